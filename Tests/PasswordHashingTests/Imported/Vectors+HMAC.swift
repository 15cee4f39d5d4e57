@testable import PasswordHashing

extension ImportedVector {
    /// Made with Python's `hmac`.
    static let hmac: [ImportedVector] = [
        ImportedVector(
            "password first, as always unless said", password: ImportedVector.phrase, .hmacMD5,
            Parameters(signerKey: Array("secret".utf8)),
            salt: ImportedVector.salt, hash: hexadecimal("01bacf6466609a491946a25431e178a4")),
        ImportedVector(
            "salt first", password: ImportedVector.phrase, .hmacMD5,
            Parameters(signerKey: Array("secret".utf8), passwordHashOrder: .saltAndPassword),
            salt: ImportedVector.salt, hash: hexadecimal("46367dbaaf0347c298e9a1948eb38202")),
        ImportedVector(
            "a long key and a separator", password: ImportedVector.words, .hmacMD5,
            Parameters(signerKey: Array(0..<200), saltSeparator: [7]),
            salt: ImportedVector.salt, hash: hexadecimal("ac0b03a0e1f2c1590cdd752037c0ea90")),
        ImportedVector(
            "no salt", password: ImportedVector.phrase, .hmacMD5,
            Parameters(signerKey: [0]),
            hash: hexadecimal("8e677c19dffcad5ad16a29172a8d82e6")),
        ImportedVector(
            "password first, as always unless said", password: ImportedVector.phrase, .hmacSHA1,
            Parameters(signerKey: Array("secret".utf8)),
            salt: ImportedVector.salt, hash: hexadecimal("d615741cdb5a2068faf295a2ec9ee15cdd34b4c8")),
        ImportedVector(
            "salt first", password: ImportedVector.phrase, .hmacSHA1,
            Parameters(signerKey: Array("secret".utf8), passwordHashOrder: .saltAndPassword),
            salt: ImportedVector.salt, hash: hexadecimal("a9196fbbf8e3d525ee7e255ba476ee51fef1c30e")),
        ImportedVector(
            "a long key and a separator", password: ImportedVector.words, .hmacSHA1,
            Parameters(signerKey: Array(0..<200), saltSeparator: [7]),
            salt: ImportedVector.salt, hash: hexadecimal("fbc01bd95b01dd65beae30cb59c03ee656fb048c")),
        ImportedVector(
            "no salt", password: ImportedVector.phrase, .hmacSHA1,
            Parameters(signerKey: [0]),
            hash: hexadecimal("fe63947ef7fe05e8db66ebb635a9681e83da2796")),
        ImportedVector(
            "password first, as always unless said", password: ImportedVector.phrase, .hmacSHA256,
            Parameters(signerKey: Array("secret".utf8)),
            salt: ImportedVector.salt,
            hash: hexadecimal("3aa8f3cace6cf70ec2d5609a065f0d50b041cb7b9ce97afd507f904d82f536cd")),
        ImportedVector(
            "salt first", password: ImportedVector.phrase, .hmacSHA256,
            Parameters(signerKey: Array("secret".utf8), passwordHashOrder: .saltAndPassword),
            salt: ImportedVector.salt,
            hash: hexadecimal("e153bf958f4aff6e2893e1985538384865b4eaff660801bcdaca055bd696e3d5")),
        ImportedVector(
            "a long key and a separator", password: ImportedVector.words, .hmacSHA256,
            Parameters(signerKey: Array(0..<200), saltSeparator: [7]),
            salt: ImportedVector.salt,
            hash: hexadecimal("db8a97b1e77192fce9d7eacc056552271c125e2ad958fdfb3c4e5feb36ce9752")),
        ImportedVector(
            "no salt", password: ImportedVector.phrase, .hmacSHA256,
            Parameters(signerKey: [0]),
            hash: hexadecimal("cc38c203d66e8748f9e6516746c316bcf17423d0871c5b5cf2b6377f057a674f")),
        ImportedVector(
            "password first, as always unless said", password: ImportedVector.phrase, .hmacSHA512,
            Parameters(signerKey: Array("secret".utf8)),
            salt: ImportedVector.salt,
            hash: hexadecimal(
                "79cd8c57c276464c1673c75d36d9498dff4f684f4b611770d46500c0a530e65b96625d66bfa5041f21c6"
                    + "23356f74be5742fea2fec03896b0384a2f927ad528bb")),
        ImportedVector(
            "salt first", password: ImportedVector.phrase, .hmacSHA512,
            Parameters(signerKey: Array("secret".utf8), passwordHashOrder: .saltAndPassword),
            salt: ImportedVector.salt,
            hash: hexadecimal(
                "b19f8e6ac8cbd3cf4873b8d2e51425438e1510c99415dbadedbb4563e7734e3b45f8a58cb5dcddf542f4"
                    + "230693394801a25fb24e9e6b5ff43177b0093b18904d")),
        ImportedVector(
            "a long key and a separator", password: ImportedVector.words, .hmacSHA512,
            Parameters(signerKey: Array(0..<200), saltSeparator: [7]),
            salt: ImportedVector.salt,
            hash: hexadecimal(
                "e853201f8cdb2c2022573c6edbcd66ccf794c97e7a5d739e85b94fb5e99e584474412ba31523673700a1"
                    + "a10b7ca15df2696fe638471c4d7386e0e198f38f51b8")),
        ImportedVector(
            "no salt", password: ImportedVector.phrase, .hmacSHA512,
            Parameters(signerKey: [0]),
            hash: hexadecimal(
                "7ea9582690b8d6350a3448827ee3cf30699ffcbf3ba24a7f88a47454552b138e6d5038d334bdd14afd91"
                    + "b1d382b1c46c08192917b683f3b2bc678f2f7e11249a")),
    ]
}
