#if !canImport(Security)
    import Crypto
    import CryptoExtras
    import KeychainTPM
    import KeychainTestSupport
    import KeychainTypes
    import SecretVault
    import TPMTestSupport
    import TestSupport
    import Testing

    @_spi(Testing) import KeychainServices

    extension KeychainSuite {
        /// The whole stack on a TPM in software: nothing between `SecItem…` and the chip is a fake.
        @Suite(.enabled(if: SoftwareTPM.isWanted, Comment(rawValue: SoftwareTPM.hint)))
        struct TPMVaultTests {
            private let log = TestLog()
            private let message = Data("approve the login of ada".utf8)

            /// A folder for a vault, for the time of a closure.
            private func with(_ body: (_ directory: String) async throws -> Void) async throws {
                let directory = FileManager.default.temporaryDirectory
                    .appendingPathComponent("facade-\(UUID().uuidString)").path
                defer {
                    KeychainVault.reset()
                    try? FileManager.default.removeItem(atPath: directory)
                }
                try await body(directory)
            }

            /// Opens the vault as a process that begins again.
            private func open(
                _ directory: String, _ presence: ScriptedPresence = .init(always: "correct horse"),
                chip: (any HardwareKeystore)?, seals: Bool = true
            ) async throws(KeychainError) {
                KeychainVault.reset()
                var configuration = try VaultConfiguration(
                    application: TestVault.application, presence: presence, directory: directory)
                configuration.keyDerivation = .weakForTests
                configuration.hardware = chip
                configuration.sealsPasscodeToHardware = seals
                let log = log
                configuration.log = { log.append($0) }
                try await KeychainVault.configure(configuration)
            }

            private func failure(_ body: () async throws(KeychainError) -> Void) async -> KeychainError? {
                do throws(KeychainError) {
                    try await body()
                    return nil
                } catch {
                    return error
                }
            }

            private func keystore(_ chip: SoftwareTPM) -> TPMKeystore { .tpm(.unixSocket(path: chip.socket)) }

            // MARK: A sealed passcode

            @Test func `A sealed vault opens with its passcode on its TPM`() async throws {
                let chip = try SoftwareTPM()
                try await with { directory in
                    // As an application writes it.
                    KeychainVault.reset()
                    try await KeychainVault.configure(
                        presence: .scripted("correct horse"), factors: [.passcode],
                        application: TestVault.application, directory: directory, keyDerivation: .weakForTests,
                        hardware: .tpm(.unixSocket(path: chip.socket)))
                    #expect(add("ada") == errSecSuccess)
                    try await open(directory, chip: keystore(chip))
                    #expect(read("ada") == "secret")
                    // After a restart of the machine too.
                    chip.stop()
                    try chip.start()
                    try await open(directory, chip: keystore(chip))
                    #expect(read("ada") == "secret")
                    #expect(try chip.occupiedSlots() == "")
                    #expect(try chip.run("tpm2_getcap", ["handles-persistent"]) == "")
                }
            }

            @Test func `A wrong passcode is counted by the TPM`() async throws {
                let chip = try SoftwareTPM()
                try chip.limitGuessing(tries: 10, recovery: 1000)
                try await with { directory in
                    try await open(directory, chip: keystore(chip))
                    #expect(add("ada") == errSecSuccess)
                    let wrong = await failure { () async throws(KeychainError) in
                        try await open(directory, .init(always: "wrong horse"), chip: keystore(chip))
                    }
                    #expect(wrong == .authenticationFailed(triesLeft: 2))
                    #expect(try chip.tpm.status().failuresCounted == 1)
                    try await open(directory, chip: keystore(chip))
                    #expect(read("ada") == "secret")
                }
            }

            @Test func `Another TPM opens nothing`() async throws {
                let (home, abroad) = (try SoftwareTPM(), try SoftwareTPM())
                try await with { directory in
                    try await open(directory, chip: keystore(home))
                    #expect(add("ada") == errSecSuccess)
                    for _ in 1...5 {
                        let foreign = await failure { () async throws(KeychainError) in
                            try await open(directory, chip: keystore(abroad))
                        }
                        guard case .factorUnavailable(let text) = foreign else {
                            Issue.record("\(String(describing: foreign))")
                            return
                        }
                        #expect(text.contains("another TPM"))
                    }
                    #expect(try abroad.tpm.status().failuresCounted == 0)
                    // Nor does the file alone, before any prompt.
                    let presence = ScriptedPresence(always: "correct horse")
                    let without = await failure { () async throws(KeychainError) in
                        try await open(directory, presence, chip: nil, seals: false)
                    }
                    #expect(without?.osStatus == errSecAuthFailed)
                    #expect(presence.requests.isEmpty)
                    // And all of that has cost no attempt.
                    try await open(directory, chip: keystore(home))
                    #expect(read("ada") == "secret")
                }
            }

            @Test func `A cleared TPM is another`() async throws {
                let chip = try SoftwareTPM()
                try await with { directory in
                    try await open(directory, chip: keystore(chip))
                    try chip.run("tpm2_clear", [])
                    let cleared = await failure { () async throws(KeychainError) in
                        try await open(directory, chip: keystore(chip))
                    }
                    guard case .factorUnavailable = cleared else {
                        Issue.record("\(String(describing: cleared))")
                        return
                    }
                }
            }

            @Test func `A lockout is reported without a prompt`() async throws {
                let chip = try SoftwareTPM()
                try chip.limitGuessing(tries: 2, recovery: 1000)
                try await with { directory in
                    try await open(directory, chip: keystore(chip))
                    #expect(add("ada") == errSecSuccess)
                    let guesses = ScriptedPresence(["one", "two", "correct horse"])
                    let wrong = await failure { () async throws(KeychainError) in
                        try await open(directory, guesses, chip: keystore(chip))
                    }
                    #expect(wrong == .authenticationFailed(triesLeft: 0))
                    #expect(guesses.requests.map(\.triesLeftAfterWrongAnswer) == [nil, 1])
                    let right = ScriptedPresence(always: "correct horse")
                    let locked = await failure { () async throws(KeychainError) in
                        try await open(directory, right, chip: keystore(chip))
                    }
                    #expect(locked == .lockedOut(seconds: 1000))
                    #expect(right.requests.isEmpty)
                    #expect(log.lines.contains { $0.contains("locked after too many wrong answers") })

                    try chip.run("tpm2_dictionarylockout", ["-c"])
                    try await open(directory, right, chip: keystore(chip))
                    #expect(read("ada") == "secret")
                }
            }

            @Test func `A TPM that is not there is said so`() async throws {
                let chip = try SoftwareTPM()
                let nowhere = TPMKeystore.tpm(.device(path: "/dev/there-is-no-tpm"))
                try await with { directory in
                    let none = await failure { () async throws(KeychainError) in
                        try await open(directory, chip: nowhere)
                    }
                    #expect(none?.osStatus == errSecNotAvailable)
                    try await open(directory, chip: keystore(chip))
                    let presence = ScriptedPresence(always: "correct horse")
                    let gone = await failure { () async throws(KeychainError) in
                        try await open(directory, presence, chip: nowhere)
                    }
                    #expect(gone?.osStatus == errSecNotAvailable)
                    #expect(presence.requests.isEmpty)
                }
                // A vault that does not need it opens.
                try await with { directory in
                    try await open(directory, chip: nowhere, seals: false)
                    #expect(add("ada") == errSecSuccess)
                    #expect(log.lines.contains { $0.contains("'tpm2' does not answer") })
                    await #expect(throws: KeychainError.self) { _ = try await KeychainVault.hardwareStatus() }
                }
            }

            @Test func `The log says where guesses are not limited`() async throws {
                let chip = try SoftwareTPM()
                try await with { directory in
                    try await open(directory, chip: keystore(chip))
                    #expect(log.lines.count { $0.contains("lockout authorization is not set") } == 1)
                    #expect(try await KeychainVault.hardwareStatus()?.limitsGuesses == false)
                    try chip.run("tpm2_changeauth", ["-c", "lockout", "administrator"])
                    try await open(directory, chip: keystore(chip))
                    #expect(log.lines.count { $0.contains("lockout authorization is not set") } == 1)
                    let status = try #require(try await KeychainVault.hardwareStatus())
                    #expect(status.limitsGuesses)
                    #expect(!status.isLockedOut)
                }
            }

            // MARK: Keys

            private func verifies(
                _ signature: Data, by key: Data, isRSA: Bool = false
            ) throws -> Bool {
                let openssl = try OpenSSL()
                let pem =
                    isRSA
                    ? try _RSA.Signing.PublicKey(derRepresentation: key).pemRepresentation
                    : try P256.Signing.PublicKey(x963Representation: key).pemRepresentation
                try openssl.write(Data(pem.utf8), "public.pem")
                try openssl.write(message, "message")
                try openssl.write(signature, "signature")
                let outcome = try openssl.run(
                    "dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", "message")
                return outcome.status == 0 && outcome.output.contains("Verified OK")
            }

            private func parameters(_ type: CFString, _ bits: Int) -> CFDictionary {
                let control = try? accessControl([.userPresence, .privateKeyUsage])
                let parameters: [CFString: Any] = [
                    kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                    kSecPrivateKeyAttrs: [
                        kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data("chip".utf8),
                        kSecAttrAccessControl: control as Any,
                    ],
                ]
                return parameters as CFDictionary
            }

            private func found() -> SecKey? {
                let query: [CFString: Any] = [
                    kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("chip".utf8), kSecReturnRef: true,
                ]
                return find(query as CFDictionary).result as? SecKey
            }

            @Test(arguments: [(false, 256), (true, 2048)])
            func `A key of the secure enclave lives in the TPM`(_ isRSA: Bool, _ bits: Int) async throws {
                let (chip, other) = (try SoftwareTPM(), try SoftwareTPM())
                let type = isRSA ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeECSECPrimeRandom
                let algorithm: SecKeyAlgorithm =
                    isRSA ? .rsaSignatureMessagePKCS1v15SHA256 : .ecdsaSignatureMessageX962SHA256
                try await with { directory in
                    let presence = ScriptedPresence(always: "correct horse")
                    try await open(directory, presence, chip: keystore(chip), seals: false)
                    let made = try #require(SecKeyCreateRandomKey(parameters(type, bits), nil))
                    let half = try #require(SecKeyCopyPublicKey(made))
                    let publicKey = try #require(SecKeyCopyExternalRepresentation(half, nil))
                    let asked = presence.requests.count
                    let again = try #require(found())
                    for key in [made, again] {
                        let signature = try #require(SecKeyCreateSignature(key, algorithm, message as CFData, nil))
                        #expect(try verifies(Data(signature), by: Data(publicKey), isRSA: isRSA))
                        var error: Unmanaged<CFError>?
                        #expect(SecKeyCopyExternalRepresentation(key, &error) == nil)
                        #expect(code(error) == Int(errSecUnimplemented))
                    }
                    #expect(presence.requests.count == asked + 2, "each signature asks")
                    #expect(try chip.occupiedSlots() == "")

                    // The same vault on another TPM, or without one, signs nothing.
                    try await open(directory, chip: keystore(other), seals: false)
                    var error: Unmanaged<CFError>?
                    let foreign = try #require(found())
                    #expect(
                        SecKeyCreateSignature(foreign, algorithm, message as CFData, &error) == nil)
                    #expect(code(error) == Int(errSecAuthFailed))
                    chip.stop()
                    try await open(directory, chip: keystore(chip), seals: false)
                    let orphan = try #require(found())
                    #expect(
                        SecKeyCreateSignature(orphan, algorithm, message as CFData, &error) == nil)
                    #expect(code(error) == Int(errSecNotAvailable))
                }
            }

            @Test func `No key is imported into the TPM`() async throws {
                let chip = try SoftwareTPM()
                try await with { directory in
                    try await open(directory, chip: keystore(chip), seals: false)
                    let key = Data(P256.Signing.PrivateKey().x963Representation)
                    let token: [CFString: Any] = [
                        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
                        kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                    ]
                    var error: Unmanaged<CFError>?
                    #expect(SecKeyCreateWithData(key as CFData, token as CFDictionary, &error) == nil)
                    #expect(code(error) == Int(errSecUnimplemented))
                    let bytes: [CFString: Any] = [kSecClass: kSecClassKey, kSecValueData: key]
                    #expect(
                        SecItemAdd(bytes.merging(token) { own, _ in own } as CFDictionary, nil)
                            == errSecUnimplemented)
                    var plain = token
                    plain[kSecAttrTokenID] = nil
                    let loaded = try #require(SecKeyCreateWithData(key as CFData, plain as CFDictionary, nil))
                    let reference: [CFString: Any] = [
                        kSecClass: kSecClassKey, kSecValueRef: loaded, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                    ]
                    #expect(SecItemAdd(reference as CFDictionary, nil) == errSecUnimplemented)
                }
            }

            @Test func `The modern surface signs in the TPM`() async throws {
                let chip = try SoftwareTPM()
                try await with { directory in
                    try await open(directory, chip: keystore(chip))
                    let keychain = Keychain()
                    for (kind, algorithm) in [(KeyKind.p256, SignatureAlgorithm.es256DER), (.rsa2048, .rs256)] {
                        let made = try await keychain.makeKey(
                            kind, tag: "chip", access: .presentUserSigning, inHardware: true)
                        #expect(made.isHardwareBound)
                        let signature = try await keychain.sign(message, with: "chip", algorithm)
                        #expect(try verifies(signature, by: made.publicKey, isRSA: kind == .rsa2048))
                        try await keychain.removeKey(tag: "chip")
                    }
                    await #expect(throws: KeychainError.self) {
                        try await keychain.makeKey(
                            .rsa3072, tag: "chip", access: .presentUserSigning, inHardware: true)
                    }
                }
            }

            /// A lockout of the TPM affects the whole machine: what asks with the passcode of a sealed vault says so.
            @Test func `A signature in a lockout is refused with its wait`() async throws {
                let chip = try SoftwareTPM()
                try await with { directory in
                    try await open(directory, chip: keystore(chip), seals: false)
                    let keychain = Keychain()
                    _ = try await keychain.makeKey(
                        .p256, tag: "chip", access: AccessControl(unconstrained: .whenUnlocked), inHardware: true)
                    try chip.limitGuessing(tries: 1, recovery: 500)
                    let sealed = try keystore(chip).seal(LockedBytes([1]), authorization: LockedBytes([1]))
                    #expect(throws: KeychainError.authenticationFailed(triesLeft: 0)) {
                        try keystore(chip).unseal(sealed, authorization: LockedBytes([2]))
                    }
                    await #expect(throws: KeychainError.lockedOut(seconds: 500)) {
                        _ = try await keychain.sign(Data("m".utf8), with: "chip", .es256)
                    }
                }
            }
        }
    }
#endif
