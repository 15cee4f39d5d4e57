/// Comparison that does not tell, by the time it takes, how much of a guess was right.
public enum ConstantTime {
    /// Whether two byte strings are equal, looking at every byte whatever it finds.
    ///
    /// Use it wherever one side is secret and the other comes from a stranger: one-time codes, MACs, digests of
    /// tokens. The *length* is not protected: byte strings of different lengths differ at once.
    @inline(never)
    public static func equal(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for (x, y) in zip(a, b) {
            difference |= x ^ y
        }
        return difference == 0
    }
}
