import CArgon2

/// Argon2 (RFC 9106) from its reference implementation, libargon2.
///
/// libsodium has no Argon2d, no associated data, no version 10 and no lanes, and wants salts of 16 bytes.
enum Argon2 {
    /// All lanes are computed on the calling thread: the hashing threads bound what the server does at once.
    /// - Returns: nil where there is no memory, or the library refuses the parameters.
    static func hash(
        _ password: [UInt8], salt: [UInt8], _ parameters: ImportedPasswordHash.Argon2Parameters
    ) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: parameters.hashLengthBytes)
        // libargon2 takes mutable pointers, and does not write through them without being told to.
        var password = password
        defer { Sodium.wipe(&password) }
        var salt = salt
        var associatedData = parameters.associatedData
        let code = output.withUnsafeMutableBufferPointer { output in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    associatedData.withUnsafeMutableBufferPointer { associatedData in
                        var context = argon2_context()
                        context.out = output.baseAddress
                        context.outlen = UInt32(output.count)
                        context.pwd = password.baseAddress
                        context.pwdlen = UInt32(password.count)
                        context.salt = salt.baseAddress
                        context.saltlen = UInt32(salt.count)
                        context.ad = associatedData.isEmpty ? nil : associatedData.baseAddress
                        context.adlen = UInt32(associatedData.count)
                        context.t_cost = UInt32(parameters.iterations)
                        context.m_cost = UInt32(parameters.memoryCostKib)
                        context.lanes = UInt32(parameters.parallelism)
                        context.threads = 1
                        context.version = parameters.version == .version10 ? 0x10 : 0x13
                        return argon2_ctx(&context, type(parameters.hashType))
                    }
                }
            }
        }
        return code == Int32(ARGON2_OK.rawValue) ? output : nil
    }

    private static func type(_ hashType: ImportedPasswordHash.Argon2Parameters.HashType) -> argon2_type {
        switch hashType {
        case .argon2d: Argon2_d
        case .argon2i: Argon2_i
        case .argon2id: Argon2_id
        }
    }

    /// The shortest salt that libargon2 takes.
    static let leastSaltBytes = 8
}
