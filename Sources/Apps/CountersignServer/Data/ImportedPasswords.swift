import CountersignCore
import PasswordHashing

/// Takes the password hashes that `ImportedPasswordHash` can verify: the core asks, the hashing module knows.
struct ImportedPasswords: PasswordImporter {
    func keep(
        _ hash: ForeignPasswordHash, of scheme: ForeignPasswordScheme
    ) -> Result<StoredPasswordHash, PasswordImportFault> {
        guard let algorithm = ImportedPasswordHash.Algorithm(rawValue: scheme.algorithm) else {
            return .failure(.unknownAlgorithm)
        }
        do throws(ImportedPasswordHashError) {
            let imported = try ImportedPasswordHash(
                algorithm, ImportedPasswordHash.Parameters(scheme), salt: hash.salt, hash: hash.hash)
            // A hash that this server exported is stored unchanged.
            let own = scheme.isNormalized ? imported.phc : nil
            return .success(StoredPasswordHash(Secret(own ?? imported.text)))
        } catch {
            let isOwn = error.parameter == "passwordHash" || error.parameter == "salt"
            return .failure(isOwn ? .invalidHash(error.description) : .invalidParameter(error.description))
        }
    }

    func give(_ kept: Secret<String>) -> (hash: ForeignPasswordHash, scheme: ForeignPasswordScheme)? {
        let text = kept.reveal()
        if let own = ImportedPasswordHash(phc: text) {
            var scheme = ForeignPasswordScheme(own)
            scheme.isNormalized = true
            return (ForeignPasswordHash(hash: own.hash, salt: own.salt), scheme)
        }
        return ImportedPasswordHash(text: text).map {
            (ForeignPasswordHash(hash: $0.hash, salt: $0.salt), ForeignPasswordScheme($0))
        }
    }
}

extension ForeignPasswordScheme {
    fileprivate init(_ imported: ImportedPasswordHash) {
        let parameters = imported.parameters
        self.init(algorithm: imported.algorithm.rawValue)
        signerKey = Secret(parameters.signerKey)
        saltSeparator = parameters.saltSeparator
        rounds = parameters.rounds
        memoryCost = parameters.memoryCost
        cpuMemoryCost = parameters.cpuMemCost
        parallelization = parameters.parallelization
        blockSize = parameters.blockSize
        derivedKeyLength = parameters.dkLen
        order = parameters.passwordHashOrder.map { $0 == .saltAndPassword ? .saltAndPassword : .passwordAndSalt }
        argon2 = parameters.argon2Parameters.map { argon2 in
            let variant: Argon2.Variant =
                switch argon2.hashType {
                case .argon2d: .d
                case .argon2i: .i
                case .argon2id: .id
                }
            return Argon2(
                variant, hashLength: argon2.hashLengthBytes, parallelism: argon2.parallelism,
                iterations: argon2.iterations, memoryKiB: argon2.memoryCostKib,
                isVersion10: argon2.version == .version10, associatedData: argon2.associatedData)
        }
    }
}

extension ImportedPasswordHash.Parameters {
    fileprivate init(_ scheme: ForeignPasswordScheme) {
        self.init(
            signerKey: scheme.signerKey.reveal(), saltSeparator: scheme.saltSeparator, rounds: scheme.rounds,
            memoryCost: scheme.memoryCost, cpuMemCost: scheme.cpuMemoryCost, parallelization: scheme.parallelization,
            blockSize: scheme.blockSize, dkLen: scheme.derivedKeyLength,
            passwordHashOrder: scheme.order.map { $0 == .saltAndPassword ? .saltAndPassword : .passwordAndSalt },
            argon2Parameters: scheme.argon2.map(ImportedPasswordHash.Argon2Parameters.init))
    }
}

extension ImportedPasswordHash.Argon2Parameters {
    fileprivate init(_ argon2: ForeignPasswordScheme.Argon2) {
        let hashType: HashType =
            switch argon2.variant {
            case .d: .argon2d
            case .i: .argon2i
            case .id: .argon2id
            }
        self.init(
            hashLengthBytes: argon2.hashLength, hashType: hashType, parallelism: argon2.parallelism,
            iterations: argon2.iterations, memoryCostKib: argon2.memoryKiB,
            version: argon2.isVersion10 ? .version10 : .version13, associatedData: argon2.associatedData)
    }
}
