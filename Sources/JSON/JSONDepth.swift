extension Sequence<UInt8> {
    /// Whether arrays and objects of this JSON text lie in each other at most `limit` deep. Only brackets outside
    /// strings count: the text may still be malformed.
    ///
    /// For text that a `Decoder` reads before anything is verified: decoding takes time with the square of the depth, and
    /// a token of 16 KiB can be thousands deep.
    public func isJSON(noDeeperThan limit: Int) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in self {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isInString: isEscaped = true
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if !isInString { depth += 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if !isInString { depth -= 1 }
            default: break
            }
            if depth > limit { return false }
        }
        return true
    }
}
