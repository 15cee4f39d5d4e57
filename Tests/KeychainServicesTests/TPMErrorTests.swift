#if !canImport(Security)
    import KeychainTPM
    import KeychainTypes
    import SecretVault
    import TPMTestSupport
    import Testing

    @testable import KeychainServices

    /// What the TPM's client says, in the words of the keychain.
    @Suite struct TPMErrorTests {
        @Test func `What each error reads as`() {
            #expect(KeychainError(.wrongAuthorization(triesLeft: 2)) == .authenticationFailed(triesLeft: 2))
            #expect(KeychainError(.wrongAuthorization(triesLeft: nil)) == .authenticationFailed(triesLeft: nil))
            #expect(KeychainError(.lockedOut(retryAfter: 600)) == .lockedOut(seconds: 600))
            #expect(KeychainError(.lockedOut(retryAfter: nil)) == .lockedOut(seconds: 1))
        }

        static let statuses: [(TPMError, OSStatus)] = [
            (.foreignKey, errSecAuthFailed), (.unavailable("x"), errSecNotAvailable),
            (.timedOut(seconds: 1), errSecNotAvailable), (.busy(TPMResponseCode(0x922)), errSecNotAvailable),
            (.untrustedResponse("x"), errSecNotAvailable), (.malformedResponse("x"), errSecNotAvailable),
            (.ownerAuthorizationRequired, errSecNotAvailable), (.unusableParent("x"), errSecNotAvailable),
            (.outOfMemory(TPMResponseCode(0x902)), errSecNotAvailable),
            (.refused(TPMResponseCode(0x101), command: "x"), errSecNotAvailable),
            (.unsupportedKey("x"), errSecUnimplemented), (.invalidArgument("x"), errSecParam),
            (.invalidBlob("x"), KeychainError.corrupted("").osStatus),
        ]

        @Test(arguments: statuses) func `What each errors status is`(_ error: TPMError, _ status: OSStatus) {
            #expect(KeychainError(error).osStatus == status)
            #expect(
                "\(KeychainError(error))".replacing("\\'", with: "'").contains(error.description),
                "the text says what to do")
        }

        @Test(.enabled(if: SoftwareTPM.isWanted, Comment(rawValue: SoftwareTPM.hint)))
        func `What is not the TPMs is refused without a crash`() throws {
            let chip = try SoftwareTPM()
            let keystore = TPMKeystore.tpm(.unixSocket(path: chip.socket))
            let authorization = LockedBytes(Array(1...32))
            let blob = try keystore.seal(LockedBytes([7, 8, 9]), authorization: authorization)
            let secret = try keystore.unseal(blob, authorization: authorization)
            #expect(secret.withBytes { Array($0) } == [7, 8, 9])
            let key = try keystore.makeKey(.p256, authorization: authorization)
            #expect(key.publicKey.count == 65)
            #expect(throws: KeychainError.self) { try keystore.unseal(key.blob, authorization: authorization) }
            let mixed = HardwareKey(kind: .p256, blob: blob, publicKey: key.publicKey)
            let digest = [UInt8](repeating: 1, count: 32)
            #expect(throws: KeychainError.self) {
                try keystore.sign(digest: digest, with: mixed, authorization: authorization)
            }
            #expect(throws: KeychainError.self) {
                try keystore.sign(digest: [1], with: key, authorization: authorization)
            }
            for count in 0..<blob.count {
                #expect(throws: KeychainError.self) {
                    try keystore.unseal(Array(blob[..<count]), authorization: authorization)
                }
            }
            #expect(throws: KeychainError.self) {
                try keystore.unseal(blob, authorization: LockedBytes([UInt8](repeating: 0, count: 32)))
            }
            #expect(try chip.tpm.status().failuresCounted == 0)
            #expect(try chip.occupiedSlots() == "")
        }
    }
#endif
