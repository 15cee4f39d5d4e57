/// Comparison that does not tell, by the time it takes, how much of a guess was right.
public enum ConstantTime {
    /// Whether two byte strings are equal, looking at every byte whatever it finds.
    ///
    /// Use it wherever one side is secret and the other comes from a stranger: one-time codes, MACs, digests of
    /// tokens. The *length* is not protected: byte strings of different lengths differ at once.
    public static func equal(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        // Called from another module this is not specialised, and there each byte would cost an allocation.
        let found = a.withContiguousStorageIfAvailable { a in
            b.withContiguousStorageIfAvailable { b in equal(a, b) }
        }
        if case .some(.some(let isEqual)) = found { return isEqual }
        return equal(Array(a), Array(b))
    }

    /// The comparison itself; it is not inlined, so that nothing of its caller can shorten it.
    @inline(never)
    private static func equal(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for index in a.indices {
            difference |= a[index] ^ b[index]
        }
        return difference == 0
    }

    private static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.withUnsafeBufferPointer { a in b.withUnsafeBufferPointer { b in equal(a, b) } }
    }
}
