/// Why there is no QR code.
public struct QRCodeError: Error, Sendable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind { case empty, tooLong, containsZero, invalidQuietZone, failed }
        private let kind: Kind

        /// There is nothing to encode.
        public static let empty = Code(kind: .empty)
        /// The text does not fit into the largest code.
        public static let tooLong = Code(kind: .tooLong)
        /// The text holds a zero byte, which libqrencode takes for its end.
        public static let containsZero = Code(kind: .containsZero)
        /// The border is outside of its range.
        public static let invalidQuietZone = Code(kind: .invalidQuietZone)
        /// libqrencode failed, for want of memory.
        public static let failed = Code(kind: .failed)
    }

    public let code: Code
    public let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
