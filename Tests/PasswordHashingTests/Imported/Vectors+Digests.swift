@testable import PasswordHashing

extension ImportedVector {
    /// Made with Python's `hashlib`.
    static let digests: [ImportedVector] = [
        ImportedVector(
            "salt first, as always unless said", password: ImportedVector.phrase, .md5,
            Parameters(rounds: 1),
            salt: ImportedVector.salt, hash: hexadecimal("fc2d0fcb6f90eedae586476033ac37e3")),
        ImportedVector(
            "password first", password: ImportedVector.phrase, .md5,
            Parameters(rounds: 1, passwordHashOrder: .passwordAndSalt),
            salt: ImportedVector.salt, hash: hexadecimal("758c178eaae504d86dbebc884fbbc37a")),
        ImportedVector(
            "20 rounds with a separator", password: ImportedVector.phrase, .md5,
            Parameters(saltSeparator: [7], rounds: 20, passwordHashOrder: .saltAndPassword),
            salt: ImportedVector.salt, hash: hexadecimal("25f820bc641145a16d118173919d9225")),
        ImportedVector(
            "8192 rounds without salt", password: ImportedVector.words, .md5,
            Parameters(rounds: 8192),
            hash: hexadecimal("fcaaa630c0490e3cef457dd8fe21c11c")),
        ImportedVector(
            "password first, the separator between", password: ImportedVector.phrase, .md5,
            Parameters(saltSeparator: [7], rounds: 1, passwordHashOrder: .passwordAndSalt),
            salt: ImportedVector.salt, hash: hexadecimal("fbc7b7ab384b09d01753ac0e9a96e332")),
        ImportedVector(
            "salt first, as always unless said", password: ImportedVector.phrase, .sha1,
            Parameters(rounds: 1),
            salt: ImportedVector.salt, hash: hexadecimal("135694f3fb1c45c42c67309001ba85f7883d439f")),
        ImportedVector(
            "password first", password: ImportedVector.phrase, .sha1,
            Parameters(rounds: 1, passwordHashOrder: .passwordAndSalt),
            salt: ImportedVector.salt, hash: hexadecimal("b6b02785f6ff5e34b5c08f762a7486486b95ba64")),
        ImportedVector(
            "20 rounds with a separator", password: ImportedVector.phrase, .sha1,
            Parameters(saltSeparator: [7], rounds: 20, passwordHashOrder: .saltAndPassword),
            salt: ImportedVector.salt, hash: hexadecimal("5f4d2867e4589940b6e5d365393da8ce74013e72")),
        ImportedVector(
            "8192 rounds without salt", password: ImportedVector.words, .sha1,
            Parameters(rounds: 8192),
            hash: hexadecimal("9683205f97065480353dbc65850c2dc899a28855")),
        ImportedVector(
            "password first, the separator between", password: ImportedVector.phrase, .sha1,
            Parameters(saltSeparator: [7], rounds: 1, passwordHashOrder: .passwordAndSalt),
            salt: ImportedVector.salt, hash: hexadecimal("69afc144bb79421d80cf2535094e387d5345704e")),
        ImportedVector(
            "salt first, as always unless said", password: ImportedVector.phrase, .sha256,
            Parameters(rounds: 1),
            salt: ImportedVector.salt,
            hash: hexadecimal("ca645fb67c0b8a1dc485034860a7620eb85e7a4c327f8045abb7422161c25aa3")),
        ImportedVector(
            "password first", password: ImportedVector.phrase, .sha256,
            Parameters(rounds: 1, passwordHashOrder: .passwordAndSalt),
            salt: ImportedVector.salt,
            hash: hexadecimal("cd6dfce03a744e063eeb350b6926a2bb316ee1dc3a11fc534fd818ee7a75f7bc")),
        ImportedVector(
            "20 rounds with a separator", password: ImportedVector.phrase, .sha256,
            Parameters(saltSeparator: [7], rounds: 20, passwordHashOrder: .saltAndPassword),
            salt: ImportedVector.salt,
            hash: hexadecimal("c1e6a1b284f9472944af0d7e151ae5e12ccdc61595edcfdaae9263b862b41da4")),
        ImportedVector(
            "8192 rounds without salt", password: ImportedVector.words, .sha256,
            Parameters(rounds: 8192),
            hash: hexadecimal("6002639ddf9946ad775275ab1f7ad6e291baa976c1520f2f9b22224ad23a2058")),
        ImportedVector(
            "password first, the separator between", password: ImportedVector.phrase, .sha256,
            Parameters(saltSeparator: [7], rounds: 1, passwordHashOrder: .passwordAndSalt),
            salt: ImportedVector.salt,
            hash: hexadecimal("3834544ec52bbcd4c572c487550defb2fa6056be19b56906e7c5eda8f61184a8")),
        ImportedVector(
            "salt first, as always unless said", password: ImportedVector.phrase, .sha512,
            Parameters(rounds: 1),
            salt: ImportedVector.salt,
            hash: hexadecimal(
                "325d3d3ed90a2429fb4fb73e3ac6fd3a858e1d9c7666313b8350a5507c790b45b1d84d0a25fbd8e77975"
                    + "95d04420f427357bfe4e2b9652d8cffca9b0bd19d2a5")),
        ImportedVector(
            "password first", password: ImportedVector.phrase, .sha512,
            Parameters(rounds: 1, passwordHashOrder: .passwordAndSalt),
            salt: ImportedVector.salt,
            hash: hexadecimal(
                "5f1fdb40e733c3adb351aa77afab9e2e30187b6ca218daa86b715ceb350ab3aeaa6d1ea16f98904a5843"
                    + "ed1dda00f547de80b404f6bb0cd9e1f3a051722d0ebb")),
        ImportedVector(
            "20 rounds with a separator", password: ImportedVector.phrase, .sha512,
            Parameters(saltSeparator: [7], rounds: 20, passwordHashOrder: .saltAndPassword),
            salt: ImportedVector.salt,
            hash: hexadecimal(
                "9b43e3c584d11ee562d610c0f3b84e24348f1a97a045b4b5eb7265681cd4b761ec87a0382d549305a87d"
                    + "55590c6dab7553467d54d101590594c6ad3af8036faa")),
        ImportedVector(
            "8192 rounds without salt", password: ImportedVector.words, .sha512,
            Parameters(rounds: 8192),
            hash: hexadecimal(
                "3718da9e5e10aae116d5a3090fdeaede0834955006eeb487bc033d04d711690da8a562224884c3b2067a"
                    + "3cabad5fe207a4744375e1b0ea840e23048bbb50f67b")),
        ImportedVector(
            "password first, the separator between", password: ImportedVector.phrase, .sha512,
            Parameters(saltSeparator: [7], rounds: 1, passwordHashOrder: .passwordAndSalt),
            salt: ImportedVector.salt,
            hash: hexadecimal(
                "ab84c4d2a72c5c528f8f3253edf3e4db0cc8881abb212ed032a28555c05ccd8bc9d63b654a094c11cb28"
                    + "0b2c581e6d63d0cec9dd219b39e8d62fd8a0d11396ac")),
        // As Firebase's own test against its servers makes it: no rounds, and the text of the hexadecimal form.
        ImportedVector(
            "hexadecimal, no rounds", password: ImportedVector.phrase, .md5, Parameters(rounds: 0),
            salt: ImportedVector.salt, hash: Array("fc2d0fcb6f90eedae586476033ac37e3".utf8)),
        ImportedVector(
            "hexadecimal in upper case", password: ImportedVector.phrase, .md5, Parameters(rounds: 1),
            salt: ImportedVector.salt, hash: Array("FC2D0FCB6F90EEDAE586476033AC37E3".utf8)),
        // A hash with which a user of firebase-tools signed in (issue 1617), and one of another (a blog of 2020).
        ImportedVector(
            "seen to work", password: "tester5", .md5, Parameters(rounds: 0),
            hash: base64("NzJkNGE1YTViNjA1YzUzYWUxYWM0NzhkOWE0OTc3ZDc=")),
        ImportedVector(
            "seen to work", password: "Password1", .sha1,
            Parameters(rounds: 1, passwordHashOrder: .passwordAndSalt), salt: base64("WGl3aWloUT0="),
            hash: base64("kfjS+dtoePcY0vEKx1w5ol2ZJ88=")),
    ]
}
