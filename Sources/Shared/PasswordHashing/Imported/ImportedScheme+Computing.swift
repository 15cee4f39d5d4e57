/// What each algorithm makes of a password. Slow: call it on ``HashingThreads`` only.
extension ImportedScheme {
    /// - Parameter hash: the imported one; it says how long the result is and, for bcrypt, holds salt and cost.
    /// - Returns: what ``expected(in:)`` would be if the password were right; nil where nothing can be computed.
    func compute(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) -> [UInt8]? {
        switch self {
        case .firebaseScrypt(let signerKey, let saltSeparator, let rounds, let memoryCost):
            return FirebaseScrypt.hash(
                password, salt: salt + saltSeparator, signerKey: signerKey, rounds: rounds, memoryCost: memoryCost)
        case .standardScrypt(let cost, let blockSize, let parallelization, let byteCount, let saltSeparator):
            return Sodium.scrypt(
                password, salt: salt + saltSeparator, cost: cost, blockSize: blockSize,
                parallelization: parallelization, byteCount: byteCount)
        case .bcrypt:
            return Bcrypt.hash(password, as: hash)
        case .pbkdf2(let function, let rounds, let saltSeparator):
            return PBKDF2.derive(
                password, salt: salt + saltSeparator, function: function, rounds: rounds, byteCount: hash.count)
        case .hmac(let function, let signerKey, let order, let saltSeparator):
            var message = Self.join(password, salt, saltSeparator, order)
            defer { Sodium.wipe(&message) }
            return function.authenticationCode(message, key: signerKey)
        case .digest(let function, let rounds, let order, let saltSeparator):
            var message = Self.join(password, salt, saltSeparator, order)
            defer { Sodium.wipe(&message) }
            var digest = function.digest(message)
            // No rounds are one, as Google has it for MD5.
            for _ in 1..<max(1, rounds) { digest = function.digest(digest) }
            return digest
        case .argon2(let argon2, let saltSeparator):
            return Argon2.hash(password, salt: salt + saltSeparator, argon2)
        }
    }

    /// The bytes of an imported hash that a computed one is compared with.
    func expected(in hash: [UInt8]) -> [UInt8] {
        switch self {
        case .bcrypt: Bcrypt.hash(in: hash)
        case .digest(.md5, _, _, _): Self.hexadecimal(hash) ?? hash
        default: hash
        }
    }

    /// Why no password matches the hash; nil where one may.
    func flaw(salt: [UInt8], hash: [UInt8]) -> String? {
        let name = algorithm.rawValue
        func length(_ expected: Int) -> String? {
            if hash.count != expected { return "a \(name) hash has \(expected) bytes here, this one \(hash.count)" }
            return hash.count < Bounds.leastHashBytes ? "a hash of \(hash.count) bytes is too short" : nil
        }
        switch self {
        case .firebaseScrypt(let signerKey, _, _, _):
            return length(signerKey.count)
        case .standardScrypt(_, _, _, let byteCount, _):
            return length(byteCount)
        case .bcrypt:
            guard let cost = Bcrypt.cost(of: hash) else { return "it is not a bcrypt string ($2b$…) of 60 characters" }
            return Bounds.bcryptCost.contains(cost) ? nil : "bcrypt has no cost of \(cost)"
        case .pbkdf2:
            return length(hash.count)
        case .hmac(let function, _, _, _):
            return length(function.byteCount)
        case .digest(let function, _, _, _):
            return function == .md5 && Self.hexadecimal(hash) != nil ? nil : length(function.byteCount)
        case .argon2(let argon2, let saltSeparator):
            if hash.count != argon2.hashLengthBytes {
                return "an \(name) hash has \(argon2.hashLengthBytes) bytes here, this one \(hash.count)"
            }
            return salt.count + saltSeparator.count < Argon2.leastSaltBytes
                ? "\(name) has no salt of fewer than \(Argon2.leastSaltBytes) bytes" : nil
        }
    }

    private static func join(_ password: [UInt8], _ salt: [UInt8], _ separator: [UInt8], _ order: Order) -> [UInt8] {
        switch order {
        case .saltAndPassword: salt + separator + password
        case .passwordAndSalt: password + separator + salt
        }
    }

    /// The 16 bytes that 32 hexadecimal characters stand for: in that form Google takes MD5 hashes.
    private static func hexadecimal(_ text: [UInt8]) -> [UInt8]? {
        guard text.count == 2 * DigestFunction.md5.byteCount else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = digit(text[index]), let low = digit(text[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case 48...57: character - 48
        case 65...70: character - 55
        case 97...102: character - 87
        default: nil
        }
    }
}
