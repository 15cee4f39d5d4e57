/// The parameters of an Argon2 hash in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`.
///
/// libsodium reads these strings itself. They are read here first because it would also obey one that asks for all
/// the memory there is.
struct PHCString {
    let isArgon2id: Bool
    let memoryKiB: Int
    let operations: Int
    let lanes: Int
    /// Base64 without padding, as it stands there.
    let salt: String
    let hash: String

    /// The longest string that is read: 64 bytes of salt and 128 of hash fit.
    static let longest = 400

    /// - Returns: nil where the text is not a hash that ``Argon2idHasher`` would compare.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest, !text.utf8.contains(0) else { return nil }
        let parts = Self.parts(of: text[...], at: "$")
        guard parts.count == 6, parts[0].isEmpty, parts[2] == "v=19", !parts[4].isEmpty, !parts[5].isEmpty else {
            return nil
        }
        switch parts[1] {
        case "argon2id": isArgon2id = true
        case "argon2i": isArgon2id = false
        default: return nil
        }
        let costs = Self.parts(of: parts[3], at: ",")
        guard costs.count == 3,
            let memory = Self.number(costs[0], after: "m="),
            let operations = Self.number(costs[1], after: "t="),
            let lanes = Self.number(costs[2], after: "p="),
            Argon2idParameters.memoryRangeKiB.contains(memory),
            Argon2idParameters.operationsRange.contains(operations),
            (1...64).contains(lanes)
        else { return nil }
        memoryKiB = memory
        self.operations = operations
        self.lanes = lanes
        salt = String(parts[4])
        hash = String(parts[5])
    }

    private static func parts(of text: Substring, at separator: Unicode.Scalar) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map { Substring($0) }
    }

    private static func number(_ text: Substring, after prefix: String) -> Int? {
        guard text.hasPrefix(prefix) else { return nil }
        let digits = text.dropFirst(prefix.count)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(digits)
    }
}
