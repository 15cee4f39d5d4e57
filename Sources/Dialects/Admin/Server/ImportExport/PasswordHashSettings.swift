import CountersignCore
import Foundation

/// How another system hashed passwords, by the names of Identity Toolkit's `accounts:batchCreate`: for all rows that do
/// not say it themselves.
public struct PasswordHashSettings: Codable, Sendable {
    /// For instance `SCRYPT`, `BCRYPT`, `PBKDF2_SHA256`, `ARGON2`.
    public var hashAlgorithm: String
    /// Base64. A secret of the other system.
    public var signerKey: SecretText?
    /// Base64.
    public var saltSeparator: String?
    public var rounds: Int?
    public var memoryCost: Int?
    public var cpuMemCost: Int?
    public var parallelization: Int?
    public var blockSize: Int?
    public var dkLen: Int?
    /// `SALT_AND_PASSWORD` or `PASSWORD_AND_SALT`.
    public var passwordHashOrder: String?
    public var argon2Parameters: Argon2?
    /// `NFC` where passwords were brought into Unicode's normal form C before they were hashed.
    public var passwordForm: String?

    public init(hashAlgorithm: String) {
        self.hashAlgorithm = hashAlgorithm
    }

    public struct Argon2: Codable, Sendable {
        public var hashLengthBytes: Int?
        /// `ARGON2_D`, `ARGON2_I` or `ARGON2_ID`.
        public var hashType: String?
        public var parallelism: Int?
        public var iterations: Int?
        public var memoryCostKib: Int?
        /// `VERSION_10` or `VERSION_13`.
        public var version: String?
        /// Base64.
        public var associatedData: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case hashLengthBytes, hashType, parallelism, iterations, memoryCostKib, version, associatedData
        }
    }
}

extension PasswordHashSettings {
    /// What a row says about its own hash; nil where it says nothing.
    init?(_ row: UserRow) {
        guard let algorithm = row.hashAlgorithm, !algorithm.isEmpty else { return nil }
        self.init(hashAlgorithm: algorithm)
        signerKey = row.signerKey.map(SecretText.init)
        saltSeparator = row.saltSeparator
        rounds = row.rounds
        memoryCost = row.memoryCost
        cpuMemCost = row.cpuMemCost
        parallelization = row.parallelization
        blockSize = row.blockSize
        dkLen = row.dkLen
        passwordHashOrder = row.passwordHashOrder
        argon2Parameters = row.argon2Parameters
        passwordForm = row.passwordForm
    }

    /// - Throws: ``UserRowFault``.
    func scheme() throws(UserRowFault) -> ForeignPasswordScheme {
        var scheme = ForeignPasswordScheme(algorithm: hashAlgorithm.uppercased())
        scheme.signerKey = Secret(try Self.bytes(signerKey?.secret.reveal(), "signerKey"))
        scheme.saltSeparator = try Self.bytes(saltSeparator, "saltSeparator")
        scheme.rounds = rounds
        scheme.memoryCost = memoryCost
        scheme.cpuMemoryCost = cpuMemCost
        scheme.parallelization = parallelization
        scheme.blockSize = blockSize
        scheme.derivedKeyLength = dkLen
        scheme.order =
            switch passwordHashOrder {
            case nil, "", "UNSPECIFIED_ORDER": nil
            case "SALT_AND_PASSWORD": .saltAndPassword
            case "PASSWORD_AND_SALT": .passwordAndSalt
            default: throw UserRowFault("passwordHashOrder is SALT_AND_PASSWORD or PASSWORD_AND_SALT")
            }
        if let argon2Parameters { scheme.argon2 = try argon2Parameters.core() }
        switch passwordForm {
        case nil, "": break
        case "NFC": scheme.isNormalized = true
        default: throw UserRowFault("passwordForm is NFC, or left out")
        }
        return scheme
    }

    static func bytes(_ text: String?, _ member: String) throws(UserRowFault) -> [UInt8] {
        guard let bytes = Base64URL.decode(text ?? "", accepting: .all) else {
            throw UserRowFault("\(member) is no Base64")
        }
        return bytes
    }
}

extension PasswordHashSettings.Argon2 {
    fileprivate func core() throws(UserRowFault) -> ForeignPasswordScheme.Argon2 {
        let variant: ForeignPasswordScheme.Argon2.Variant
        switch hashType {
        case "ARGON2_D": variant = .d
        case "ARGON2_I": variant = .i
        case "ARGON2_ID": variant = .id
        default: throw UserRowFault("argon2Parameters.hashType is ARGON2_D, ARGON2_I or ARGON2_ID")
        }
        guard [nil, "", "VERSION_UNSPECIFIED", "VERSION_10", "VERSION_13"].contains(version) else {
            throw UserRowFault("argon2Parameters.version is VERSION_10 or VERSION_13")
        }
        guard let hashLengthBytes, let parallelism, let iterations, let memoryCostKib else {
            throw UserRowFault(
                "argon2Parameters needs hashLengthBytes, parallelism, iterations and memoryCostKib")
        }
        return ForeignPasswordScheme.Argon2(
            variant, hashLength: hashLengthBytes, parallelism: parallelism, iterations: iterations,
            memoryKiB: memoryCostKib, isVersion10: version == "VERSION_10",
            associatedData: try PasswordHashSettings.bytes(associatedData, "argon2Parameters.associatedData"))
    }

    init(_ argon2: ForeignPasswordScheme.Argon2) {
        hashLengthBytes = argon2.hashLength
        hashType =
            switch argon2.variant {
            case .d: "ARGON2_D"
            case .i: "ARGON2_I"
            case .id: "ARGON2_ID"
            }
        parallelism = argon2.parallelism
        iterations = argon2.iterations
        memoryCostKib = argon2.memoryKiB
        version = argon2.isVersion10 ? "VERSION_10" : "VERSION_13"
        associatedData = argon2.associatedData.isEmpty ? nil : Data(argon2.associatedData).base64EncodedString()
    }
}
