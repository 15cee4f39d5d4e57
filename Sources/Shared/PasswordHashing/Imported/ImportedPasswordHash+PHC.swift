import Foundation

/// Argon2 hashes as PHC strings, which is how the realm keeps its own.
extension ImportedPasswordHash {
    /// - Returns: nil where the text is not a PHC string that ``Argon2idHasher`` would compare.
    public init?(phc text: String) {
        guard let phc = PHCString(text), let salt = Self.bytes(phc.salt), let hash = Self.bytes(phc.hash) else {
            return nil
        }
        var parameters = Parameters()
        parameters.argon2Parameters = Argon2Parameters(
            hashLengthBytes: hash.count, hashType: phc.isArgon2id ? .argon2id : .argon2i, parallelism: phc.lanes,
            iterations: phc.operations, memoryCostKib: phc.memoryKiB)
        guard let result = try? Self(.argon2, parameters, salt: salt, hash: hash), result.phc == text else {
            return nil
        }
        self = result
    }

    /// The PHC string that says the same; nil where none does that ``Argon2idHasher`` would compare.
    public var phc: String? {
        guard let argon2 = parameters.argon2Parameters, argon2.hashType != .argon2d, argon2.version == .version13,
            argon2.associatedData.isEmpty, parameters.saltSeparator.isEmpty
        else { return nil }
        let name = argon2.hashType == .argon2id ? "argon2id" : "argon2i"
        let costs = "m=\(argon2.memoryCostKib),t=\(argon2.iterations),p=\(argon2.parallelism)"
        let text = "$\(name)$v=19$\(costs)$\(Self.text(salt))$\(Self.text(hash))"
        return PHCString(text) == nil ? nil : text
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { Array($0) }
    }
}
