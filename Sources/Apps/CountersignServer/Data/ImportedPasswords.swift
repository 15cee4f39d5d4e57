import CountersignCore
import PasswordHashing

/// Takes the password hashes that `ImportedPasswordHash` can verify: the core asks, the hashing module knows.
struct ImportedPasswords: PasswordImporter {
    func keep(
        _ hash: ForeignPasswordHash, of scheme: ForeignPasswordScheme
    ) -> Result<KeptPasswordHash, PasswordImportFault> {
        guard let algorithm = ImportedPasswordHash.Algorithm(rawValue: scheme.algorithm) else {
            return .failure(.unknownAlgorithm)
        }
        do throws(ImportedPasswordHashError) {
            let imported = try ImportedPasswordHash(
                algorithm, ImportedPasswordHash.Parameters(scheme), salt: hash.salt, hash: hash.hash)
            return .success(KeptPasswordHash(Secret(imported.text)))
        } catch {
            let isOwn = error.parameter == "passwordHash" || error.parameter == "salt"
            return .failure(isOwn ? .invalidHash(error.description) : .invalidParameter(error.description))
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
