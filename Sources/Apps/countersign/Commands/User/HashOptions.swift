import AdminServer
import ArgumentParser

/// How another system hashed passwords, by the names of `firebase auth:import`.
struct HashOptions: ParsableArguments {
    @Option(help: ArgumentHelp("For instance SCRYPT, BCRYPT, PBKDF2_SHA256.", valueName: "name"))
    var hashAlgo: String?

    @Option(
        help: ArgumentHelp(
            "The key of SCRYPT and HMAC, in Base64. Other users of the machine can read it here: prefer a file.",
            valueName: "base64"))
    var hashKey: String?

    @Option(help: ArgumentHelp("The same, from a file.", valueName: "file"))
    var hashKeyFile: String?

    @Option(help: ArgumentHelp("In Base64.", valueName: "base64"))
    var saltSeparator: String?

    @Option(help: "Rounds of SCRYPT, PBKDF2 and digests.")
    var rounds: Int?

    @Option(help: "The memory cost of SCRYPT, or N of STANDARD_SCRYPT.")
    var memCost: Int?

    @Option(help: "p of STANDARD_SCRYPT.")
    var parallelization: Int?

    @Option(help: "r of STANDARD_SCRYPT.")
    var blockSize: Int?

    @Option(help: "Bytes of a hash of STANDARD_SCRYPT.")
    var dkLen: Int?

    @Option(help: "SALT_FIRST or PASSWORD_FIRST, for digests and HMAC.")
    var hashInputOrder: String?

    func validate() throws {
        if hashKey != nil && hashKeyFile != nil { throw ValidationError("Give --hash-key or --hash-key-file.") }
        let others: [Any?] = [
            hashKey, hashKeyFile, saltSeparator, rounds, memCost, parallelization, blockSize, dkLen, hashInputOrder,
        ]
        if hashAlgo == nil && others.contains(where: { $0 != nil }) {
            throw ValidationError("The options for hashes need --hash-algo.")
        }
        if let hashInputOrder, !["SALT_FIRST", "PASSWORD_FIRST"].contains(hashInputOrder.uppercased()) {
            throw ValidationError("--hash-input-order is SALT_FIRST or PASSWORD_FIRST.")
        }
    }

    /// Nil where nothing is said.
    func settings() throws -> PasswordHashSettings? {
        guard let hashAlgo else { return nil }
        var settings = PasswordHashSettings(hashAlgorithm: hashAlgo)
        settings.signerKey = try (hashKey ?? hashKeyFile.map(SecretInput.file)).map(SecretText.init)
        settings.saltSeparator = saltSeparator
        settings.rounds = rounds
        settings.memoryCost = memCost
        settings.parallelization = parallelization
        settings.blockSize = blockSize
        settings.dkLen = dkLen
        settings.passwordHashOrder = hashInputOrder.map {
            $0.uppercased() == "SALT_FIRST" ? "SALT_AND_PASSWORD" : "PASSWORD_AND_SALT"
        }
        return settings
    }
}
