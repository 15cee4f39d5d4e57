@testable import PasswordHashing

extension ImportedVector {
    /// RFC 7914, section 12, but for the one that fills 1 GiB; the others by Python's `hashlib`, which is OpenSSL.
    static let standardScrypt: [ImportedVector] = [
        ImportedVector(
            "RFC 7914, empty", password: "", .standardScrypt,
            Parameters(cpuMemCost: 16, parallelization: 1, blockSize: 1, dkLen: 64),
            hash: hexadecimal(
                "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a"
                    + "753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906")),
        ImportedVector(
            "RFC 7914, NaCl", password: "password", .standardScrypt,
            Parameters(cpuMemCost: 1024, parallelization: 16, blockSize: 8, dkLen: 64),
            salt: Array("NaCl".utf8),
            hash: hexadecimal(
                "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff1"
                    + "09279d9830dac727afb94a83ee6d8360cbdfa2cc0640")),
        ImportedVector(
            "RFC 7914, SodiumChloride", password: "pleaseletmein", .standardScrypt,
            Parameters(cpuMemCost: 16384, parallelization: 1, blockSize: 8, dkLen: 64),
            salt: Array("SodiumChloride".utf8),
            hash: hexadecimal(
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d4"
                    + "9705242a9af9e61e85dc0d651e40dfcf017b45575887")),
        ImportedVector(
            "a separator behind the salt", password: ImportedVector.words, .standardScrypt,
            Parameters(saltSeparator: [7], cpuMemCost: 64, parallelization: 2, blockSize: 3, dkLen: 32),
            salt: ImportedVector.salt,
            hash: hexadecimal("fd49e347ad0b60d7292e9031694dc0a3cb7e54196537d2f69237df9d6336f604")),
        ImportedVector(
            "the least cost", password: ImportedVector.phrase, .standardScrypt,
            Parameters(cpuMemCost: 2, parallelization: 1, blockSize: 1, dkLen: 16),
            salt: ImportedVector.salt, hash: hexadecimal("8f4f6ef848f873cf69823e89ce70ffc1")),
    ]
}
