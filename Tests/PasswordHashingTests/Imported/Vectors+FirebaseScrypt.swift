@testable import PasswordHashing

extension ImportedVector {
    /// The first is the example of https://github.com/firebase/scrypt, the second Firebase's own test against its
    /// servers. The others come from Python: `hashlib.scrypt`, and AES by the package `cryptography`.
    static let firebaseScrypt: [ImportedVector] = [
        ImportedVector(
            "the published example", password: "user1password", .scrypt,
            Parameters(signerKey: publishedKey, saltSeparator: base64("Bw=="), rounds: 8, memoryCost: 14),
            salt: base64("42xEC+ixf3L2lw=="),
            hash: base64("lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==")),
        ImportedVector(
            "Firebase's test", password: "password", .scrypt,
            Parameters(signerKey: publishedKey, saltSeparator: base64("Bw=="), rounds: 8, memoryCost: 14),
            salt: Array("NaCl".utf8),
            hash: base64("V358E8LdWJXAO7muq0CufVpEOXaj8aFiC7T/rcaGieN04q/ZPJ08WhJEHGjj9lz/2TT+/86N5VjVoc5DdBhBiw==")),
        ImportedVector(
            "no salt, no separator, a key of 48 bytes", password: ImportedVector.words, .scrypt,
            Parameters(signerKey: Array(0..<48), rounds: 4, memoryCost: 5),
            hash: base64("EuxF/i1wpM0HGXvyTbik8mr+Uz7/gzfzSBShaooCUMgf4JkHTBhx84PRcm7Flo13")),
        ImportedVector(
            "a key that does not fill its last block", password: ImportedVector.phrase, .scrypt,
            Parameters(signerKey: Array(0..<37), saltSeparator: [1, 2, 3], rounds: 1, memoryCost: 1),
            salt: ImportedVector.salt,
            hash: base64("TyoH6mjBr0lUOp4+FOeSfW0JqNXy+yVxB4iuDBPaWzz1oIcIxQ==")),
    ]

    private static let publishedKey = base64(
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==")
}
