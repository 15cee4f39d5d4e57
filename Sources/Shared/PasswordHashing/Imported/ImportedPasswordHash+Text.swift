import Foundation

/// The form in which a password factor keeps an imported hash:
///
///     $cs-import$v=1$SHA256$rounds=1,passwordHashOrder=SALT_AND_PASSWORD$c2FsdA$<hash>
///
/// That is: a version, the protocol's word for the algorithm, exactly the parameters that it uses in a fixed order,
/// salt and hash. Bytes are Base64 without padding. These are six fields, where a PHC string has at most five, so that
/// neither is ever read as the other. There is one text for each hash: any other spelling is refused.
extension ImportedPasswordHash {
    /// The longest text that is read. The bounds allow some 6,000 characters.
    static let longestText = 8192

    private static let prefix = "$cs-import$v=1$"

    /// What a password factor keeps. It holds the salt, the hash and the signer key: treat it like the hash itself.
    public var text: String {
        let fields = parameters.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
        return Self.prefix + "\(algorithm.rawValue)$\(fields)$\(Base64.encode(salt))$\(Base64.encode(hash))"
    }

    /// - Returns: nil where the text is not exactly the ``text`` of a hash that this build can verify.
    public init?(text: String) {
        guard text.utf8.count <= Self.longestText, text.hasPrefix(Self.prefix) else { return nil }
        let parts = text.dropFirst(Self.prefix.count).split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, let algorithm = Algorithm(rawValue: String(parts[0])),
            let parameters = Parameters(fields: parts[1]),
            let salt = Base64.decode(parts[2]),
            let hash = Base64.decode(parts[3]),
            let result = try? Self(algorithm, parameters, salt: salt, hash: hash)
        else { return nil }
        // Order, repetition, what is missing or too much, leading zeros, loose bits of Base64: all of it shows here.
        guard Array(result.text.utf8) == Array(text.utf8) else { return nil }
        self = result
    }
}

/// Its ``text``, as one string.
extension ImportedPasswordHash: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let hash = Self(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an imported password hash")
        }
        self = hash
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension ImportedPasswordHash.Parameters {
    /// The parameters that are there, in the order of the text. Empty bytes are left out.
    fileprivate var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if !signerKey.isEmpty { fields.append(("signerKey", Base64.encode(signerKey))) }
        if !saltSeparator.isEmpty { fields.append(("saltSeparator", Base64.encode(saltSeparator))) }
        func add(_ name: String, _ value: Int?) {
            if let value { fields.append((name, String(value))) }
        }
        add("rounds", rounds)
        add("memoryCost", memoryCost)
        add("cpuMemCost", cpuMemCost)
        add("parallelization", parallelization)
        add("blockSize", blockSize)
        add("dkLen", dkLen)
        if let passwordHashOrder { fields.append(("passwordHashOrder", passwordHashOrder.rawValue)) }
        if let argon2Parameters {
            add("hashLengthBytes", argon2Parameters.hashLengthBytes)
            fields.append(("hashType", argon2Parameters.hashType.rawValue))
            add("parallelism", argon2Parameters.parallelism)
            add("iterations", argon2Parameters.iterations)
            add("memoryCostKib", argon2Parameters.memoryCostKib)
            fields.append(("version", argon2Parameters.version.rawValue))
            if !argon2Parameters.associatedData.isEmpty {
                fields.append(("associatedData", Base64.encode(argon2Parameters.associatedData)))
            }
        }
        return fields
    }

    /// - Returns: nil where a field has no name, is unknown, or its value cannot be read.
    fileprivate init?(fields text: Substring) {
        self.init()
        if text.isEmpty { return }
        var argon2: [String: Substring] = [:]
        for field in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            let value = parts[1]
            switch parts[0] {
            case "signerKey":
                guard let bytes = Base64.decode(value) else { return nil }
                signerKey = bytes
            case "saltSeparator":
                guard let bytes = Base64.decode(value) else { return nil }
                saltSeparator = bytes
            case "rounds": rounds = Int(value)
            case "memoryCost": memoryCost = Int(value)
            case "cpuMemCost": cpuMemCost = Int(value)
            case "parallelization": parallelization = Int(value)
            case "blockSize": blockSize = Int(value)
            case "dkLen": dkLen = Int(value)
            case "passwordHashOrder": passwordHashOrder = .init(rawValue: String(value))
            case "hashLengthBytes", "hashType", "parallelism", "iterations", "memoryCostKib", "version",
                "associatedData":
                argon2[String(parts[0])] = value
            default: return nil
            }
        }
        guard !argon2.isEmpty else { return }
        guard let hashLengthBytes = argon2["hashLengthBytes"].flatMap({ Int($0) }),
            let hashType = argon2["hashType"].flatMap({
                ImportedPasswordHash.Argon2Parameters.HashType(rawValue: String($0))
            }),
            let parallelism = argon2["parallelism"].flatMap({ Int($0) }),
            let iterations = argon2["iterations"].flatMap({ Int($0) }),
            let memoryCostKib = argon2["memoryCostKib"].flatMap({ Int($0) }),
            let version = argon2["version"].flatMap({
                ImportedPasswordHash.Argon2Parameters.Version(rawValue: String($0))
            }),
            let associatedData = Base64.decode(argon2["associatedData"] ?? "")
        else { return nil }
        argon2Parameters = .init(
            hashLengthBytes: hashLengthBytes, hashType: hashType, parallelism: parallelism, iterations: iterations,
            memoryCostKib: memoryCostKib, version: version, associatedData: associatedData)
    }
}

/// Base64 (RFC 4648, section 4) without padding. Decoding need not be strict: the whole text is compared afterwards.
private enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }

    static func decode(_ text: Substring) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { Array($0) }
    }
}
