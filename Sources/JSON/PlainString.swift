extension UnsafeBufferPointer<UInt8> {
    /// Where the first byte at or after a place is that does not stand for itself in a JSON string: a quote, a backslash or a control
    /// character (RFC 8259, section 7). The end where there is none.
    ///
    /// Eight bytes are looked at together as long as none of them is such a byte: a token has a thousand that are not.
    func endOfPlainString(from start: Int) -> Int {
        var place = start
        let bytes = UnsafeRawBufferPointer(self)
        while place + 8 <= count {
            let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let quotes = word ^ Self.each(UInt8(ascii: "\""))
            let backslashes = word ^ Self.each(UInt8(ascii: "\\"))
            // The highest bit of a byte is set by a borrow, and so by a byte that is too small; those above 127 are not.
            let small = (word &- Self.each(0x20)) & ~word
            let zero = (quotes &- Self.each(1)) & ~quotes | (backslashes &- Self.each(1)) & ~backslashes
            if (small | zero) & Self.each(0x80) != 0 { break }
            place += 8
        }
        while place < count, self[place].isPlainInString { place += 1 }
        return place
    }

    /// A byte, eight times.
    private static func each(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}

extension UInt8 {
    /// Neither a quote, a backslash nor a control character.
    fileprivate var isPlainInString: Bool {
        self >= 0x20 && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
    }
}
