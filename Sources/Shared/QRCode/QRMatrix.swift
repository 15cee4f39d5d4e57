import CQREncode

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The modules of a QR code: true is dark.
package struct QRMatrix: Equatable {
    package let width: Int
    private let modules: [Bool]

    /// Whether the module is dark. Everything outside of the code is light.
    package subscript(row: Int, column: Int) -> Bool {
        guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
        return modules[row * width + column]
    }

    package init(_ text: String) throws {
        guard !text.isEmpty else { throw QRCodeError(.empty, "there is no text for a QR code") }
        guard !text.utf8.contains(0) else {
            throw QRCodeError(.containsZero, "a QR code's text has no zero bytes")
        }
        // Mode 8 leaves the bytes as they are: UTF-8, which readers expect today.
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else {
            if errno == ERANGE {
                throw QRCodeError(.tooLong, "\(text.utf8.count) bytes do not fit into a QR code")
            }
            throw QRCodeError(.failed, "libqrencode failed")
        }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        self.width = width
        // The lowest bit is the colour; the others say what a module is for.
        modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
    }

    private init(width: Int, modules: [Bool]) {
        self.width = width
        self.modules = modules
    }

    /// The code with a light border of that many modules.
    package func surrounded(by border: Int) -> QRMatrix {
        let width = width + 2 * border
        return QRMatrix(
            width: width,
            modules: (0..<width * width).map { self[$0 / width - border, $0 % width - border] })
    }
}
