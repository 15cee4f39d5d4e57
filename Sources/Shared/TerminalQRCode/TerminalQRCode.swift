@_exported public import QRCode

/// QR codes (ISO/IEC 18004) made of characters, for people who enrol an authenticator at a terminal.
///
/// A character stands for two modules, one above the other, which makes them about square.
public enum TerminalQRCode {
    /// How dark and light modules become characters.
    public enum Style: Sendable, CaseIterable {
        /// Black on white by escape sequences, whatever the terminal's own colours are.
        case colored
        /// Characters only, for pipes and for terminals that know no colours. Light modules are drawn and dark ones are
        /// left out, which is right on dark terminals; cameras that read inverted codes read it on light ones too.
        case plain
    }

    /// The width of the light border in modules that the standard asks for.
    public static let quietZone = 4

    /// The code as lines of text, each ended by a line feed.
    ///
    /// Errors are corrected at level M (15 %).
    /// - Parameters:
    ///   - text: at most 2,331 bytes of UTF-8, not empty, without zero bytes. An `otpauth` URI has about 100.
    ///   - style: `colored` where the output is a terminal, `plain` elsewhere.
    ///   - quietZone: the width of the border in modules; 0 to 64. Readers may fail with less than 4.
    /// - Throws: ``TerminalQRCodeError``.
    public static func render(
        _ text: String, style: Style = .colored, quietZone: Int = TerminalQRCode.quietZone
    ) throws -> String {
        guard (0...64).contains(quietZone) else {
            throw TerminalQRCodeError(.invalidQuietZone, "the border of a QR code has 0 to 64 modules")
        }
        return HalfBlocks(try QRMatrix(text).surrounded(by: quietZone)).text(in: style)
    }
}

/// Why there is no QR code.
public typealias TerminalQRCodeError = QRCodeError
