/// The lines of the Assuan protocol (libassuan manual, "Client requests" and "Server responses"): at most 1,000 bytes,
/// ended by a line feed, with `%` and line breaks written as `%` and two digits.
enum Assuan {
    /// The longest line with its line feed.
    static let lineBytes = 1000

    /// What a server says. Ranges count from the line's first byte.
    enum Response: Equatable {
        case ok
        /// The low 16 bits tell the cause (gpg-error), the rest who says so.
        case failure(code: UInt32)
        case data(Range<Int>)
        case status(Range<Int>)
        case inquiry
        case comment
        case unknown
    }

    static func response(_ line: UnsafeRawBufferPointer) -> Response {
        func starts(_ word: StaticString) -> Bool {
            let length = word.utf8CodeUnitCount
            guard line.count >= length else { return false }
            for index in 0..<length where line[index] != word.utf8Start[index] { return false }
            return line.count == length || line[length] == 0x20
        }
        if line.first == UInt8(ascii: "#") || line.isEmpty { return .comment }
        if starts("OK") { return .ok }
        if starts("D") { return .data(min(2, line.count)..<line.count) }
        if starts("S") { return .status(min(2, line.count)..<line.count) }
        if starts("INQUIRE") { return .inquiry }
        if starts("ERR") {
            var code: UInt32 = 0
            for byte in line.dropFirst(4) {
                guard (0x30...0x39).contains(byte) else { break }
                let (tenfold, over) = code.multipliedReportingOverflow(by: 10)
                let (sum, overAgain) = tenfold.addingReportingOverflow(UInt32(byte - 0x30))
                guard !over && !overAgain else { return .failure(code: 0) }
                code = sum
            }
            return .failure(code: code)
        }
        return .unknown
    }

    /// `text` for a command's line, cut between two characters where it would not fit.
    static func escaped(_ text: String, limit: Int = 900) -> [UInt8] {
        var result: [UInt8] = []
        for character in text {
            var piece: [UInt8] = []
            for byte in String(character).utf8 {
                if byte < 0x20 || byte == 0x25 || byte == 0x7F {
                    piece += [0x25, hexadecimal(byte >> 4), hexadecimal(byte & 0xF)]
                } else {
                    piece.append(byte)
                }
            }
            guard result.count + piece.count <= limit else { break }
            result += piece
        }
        return result
    }

    /// Undoes the escapes of a data line into `memory` from `start`.
    /// - Returns: where it ends; `nil` for an escape that is none and for more than fits.
    static func unescape(
        _ line: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, from start: Int
    ) -> Int? {
        var (read, write) = (0, start)
        while read < line.count {
            var byte = line[read]
            if byte == 0x25 {
                guard read + 2 < line.count, let high = value(line[read + 1]), let low = value(line[read + 2]) else {
                    return nil
                }
                byte = high << 4 | low
                read += 2
            }
            guard write < memory.count else { return nil }
            memory[write] = byte
            (read, write) = (read + 1, write + 1)
        }
        return write
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 { digit < 10 ? 0x30 + digit : 0x41 + digit - 10 }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
