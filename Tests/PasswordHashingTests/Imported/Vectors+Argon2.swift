@testable import PasswordHashing

extension ImportedVector {
    /// The salt of those from libargon2.
    private static let argon2Salt = Array("salt-of-16-bytes".utf8)

    static let argon2: [ImportedVector] = [
        // Made with Python's argon2-cffi, which brings its own libargon2.
        ImportedVector(
            "Argon2d", password: ImportedVector.words, .argon2,
            Parameters(
                argon2Parameters: .init(
                    hashLengthBytes: 32, hashType: .argon2d, parallelism: 1, iterations: 3, memoryCostKib: 64)),
            salt: argon2Salt,
            hash: hexadecimal("d57876bd388df5bae1dbc9194b7cb78edefddbab3f070b020115df41d421f1ea")),
        ImportedVector(
            "Argon2i with lanes", password: ImportedVector.words, .argon2,
            Parameters(
                argon2Parameters: .init(
                    hashLengthBytes: 24, hashType: .argon2i, parallelism: 4, iterations: 3, memoryCostKib: 128)),
            salt: argon2Salt, hash: hexadecimal("8dc416ba6cd61054a539ecaee93dd5ae82b2c8b678489b65")),
        ImportedVector(
            "Argon2id with lanes", password: ImportedVector.words, .argon2,
            Parameters(
                argon2Parameters: .init(
                    hashLengthBytes: 64, hashType: .argon2id, parallelism: 3, iterations: 2, memoryCostKib: 256)),
            salt: argon2Salt,
            hash: hexadecimal(
                "0a6cc86ecff96d120705017885121944b0cea59102877b7a048a9b4aeccb3fd5d1c69c193bf4ae7fc6de"
                    + "fe373e85dece7d976fe2944fca142054929b7cee383c")),
        ImportedVector(
            "Argon2d, version 10", password: ImportedVector.words, .argon2,
            Parameters(
                argon2Parameters: .init(
                    hashLengthBytes: 16, hashType: .argon2d, parallelism: 2, iterations: 1, memoryCostKib: 64,
                    version: .version10)),
            salt: argon2Salt, hash: hexadecimal("f5062ae3cf1c0ba298ea57e859b6c660")),
        ImportedVector(
            "Argon2i, version 10", password: ImportedVector.words, .argon2,
            Parameters(
                argon2Parameters: .init(
                    hashLengthBytes: 32, hashType: .argon2i, parallelism: 1, iterations: 3, memoryCostKib: 32,
                    version: .version10)),
            salt: argon2Salt,
            hash: hexadecimal("91dd49c9a0419cb25881653f2bafc34d042a575b2f18e21631e1050851b9da19")),
        ImportedVector(
            "Argon2id, version 10, the shortest hash", password: ImportedVector.words, .argon2,
            Parameters(
                argon2Parameters: .init(
                    hashLengthBytes: 4, hashType: .argon2id, parallelism: 1, iterations: 2, memoryCostKib: 64,
                    version: .version10)),
            salt: argon2Salt, hash: hexadecimal("beb62381")),
        ImportedVector(
            "Argon2id, a long hash", password: ImportedVector.words, .argon2,
            Parameters(
                argon2Parameters: .init(
                    hashLengthBytes: 100, hashType: .argon2id, parallelism: 1, iterations: 1, memoryCostKib: 8)),
            salt: argon2Salt,
            hash: hexadecimal(
                "10a54c903d786762a1eb7e46d347cec241e584987ee55137c75a29496538b9ebe2ce69ea71b38788c393"
                    + "c21742503f184d982aaf1b55b0517180a39a55631ab9e50dcce1fd2c7bd16f63718d25e295221419edd2"
                    + "8ed345154531dafb34d0d4782acdff59")),
        // Made with Python's cryptography, which is OpenSSL's Argon2.
        ImportedVector(
            "Argon2d with associated data", password: ImportedVector.phrase, .argon2,
            Parameters(
                argon2Parameters: .init(
                    hashLengthBytes: 32, hashType: .argon2d, parallelism: 2, iterations: 2, memoryCostKib: 64,
                    associatedData: Array("associated".utf8))),
            salt: Array("saltsalt".utf8),
            hash: hexadecimal("7397d9f1cd302a5cc2775489d302df22d6021059c86d697078a8deadb7d11878")),
        ImportedVector(
            "Argon2i with associated data", password: ImportedVector.phrase, .argon2,
            Parameters(
                argon2Parameters: .init(
                    hashLengthBytes: 32, hashType: .argon2i, parallelism: 2, iterations: 2, memoryCostKib: 64,
                    associatedData: Array("associated".utf8))),
            salt: Array("saltsalt".utf8),
            hash: hexadecimal("4153067691dfb821f0c5ad5ea63ef1057dba9876dd99cb8507c36e98b36cb45b")),
        ImportedVector(
            "Argon2id with associated data", password: ImportedVector.phrase, .argon2,
            Parameters(
                argon2Parameters: .init(
                    hashLengthBytes: 32, hashType: .argon2id, parallelism: 2, iterations: 2, memoryCostKib: 64,
                    associatedData: Array("associated".utf8))),
            salt: Array("saltsalt".utf8),
            hash: hexadecimal("c6535eab11964a624c5689e9d80e6bd5eea25fe8a10deb4f75ab8ae967c8bb87")),
    ]
}
