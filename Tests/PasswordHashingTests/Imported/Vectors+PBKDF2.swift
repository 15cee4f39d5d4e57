@testable import PasswordHashing

extension ImportedVector {
    static let pbkdf2: [ImportedVector] =
        rfc6070 + rfc7914PBKDF2 + [
            // Made with Python's `hashlib`.
            ImportedVector(
                "64 bytes, as Firebase's own test makes them", password: ImportedVector.phrase, .pbkdf2SHA256,
                Parameters(rounds: 100_000),
                salt: ImportedVector.salt,
                hash: hexadecimal(
                    "ad8693d8d4b8e46eee02f48d7a22c0a326ecf40cbc3940e9546b258ef60da7e35eb45e5bc9988aad97d7"
                        + "f47b5a17f9856d0f3d87358a60c96effae53e84fdb7c")),
            ImportedVector(
                "no salt", password: ImportedVector.words, .pbkdf2SHA256,
                Parameters(rounds: 1000),
                hash: hexadecimal("82ceda24c1576e17653446e71424dc5b387ef601249fdb391bc347070cad8ad8")),
            ImportedVector(
                "a separator behind the salt", password: ImportedVector.words, .pbkdfSHA1,
                Parameters(saltSeparator: [7], rounds: 12_000),
                salt: ImportedVector.salt, hash: hexadecimal("f6b349754cc4a238b63a2534dcb9ef084bbc745c")),
            ImportedVector(
                "an empty password", password: "", .pbkdfSHA1,
                Parameters(rounds: 2),
                salt: ImportedVector.salt, hash: hexadecimal("9fcc951829c5f0ce0fbe0b228f556e5ad5a85025")),
        ]

    /// RFC 6070, section 2, but for the one of 16,777,216 rounds.
    private static let rfc6070: [ImportedVector] = [
        ImportedVector(
            "RFC 6070, 1 round", password: "password", .pbkdfSHA1,
            Parameters(rounds: 1),
            salt: Array("salt".utf8), hash: hexadecimal("0c60c80f961f0e71f3a9b524af6012062fe037a6")),
        ImportedVector(
            "RFC 6070, 2 rounds", password: "password", .pbkdfSHA1,
            Parameters(rounds: 2),
            salt: Array("salt".utf8), hash: hexadecimal("ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957")),
        ImportedVector(
            "RFC 6070, 4096 rounds", password: "password", .pbkdfSHA1,
            Parameters(rounds: 4096),
            salt: Array("salt".utf8), hash: hexadecimal("4b007901b765489abead49d926f721d065a429c1")),
        ImportedVector(
            "RFC 6070, 25 bytes", password: "passwordPASSWORDpassword", .pbkdfSHA1,
            Parameters(rounds: 4096),
            salt: Array("saltSALTsaltSALTsaltSALTsaltSALTsalt".utf8),
            hash: hexadecimal("3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038")),
        ImportedVector(
            "RFC 6070, zero bytes", password: "pass\u{0}word", .pbkdfSHA1,
            Parameters(rounds: 4096),
            salt: Array("sa\u{0}lt".utf8), hash: hexadecimal("56fa6aa75548099dcc37d7f03425e0c3")),
    ]

    /// RFC 7914, section 11.
    private static let rfc7914PBKDF2: [ImportedVector] = [
        ImportedVector(
            "RFC 7914, 1 round", password: "passwd", .pbkdf2SHA256,
            Parameters(rounds: 1),
            salt: Array("salt".utf8),
            hash: hexadecimal(
                "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b6459916"
                    + "64b39d77ef317c71b845b1e30bd509112041d3a19783")),
        ImportedVector(
            "RFC 7914, 80,000 rounds", password: "Password", .pbkdf2SHA256,
            Parameters(rounds: 80000),
            salt: Array("NaCl".utf8),
            hash: hexadecimal(
                "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb"
                    + "841b51c9b3176a272bdebba1d078478f62b397f33c8d")),
    ]
}
