#if !canImport(Security)
    import AuthenticatorBook
    import Foundation
    import JSON
    import KeychainTestSupport
    import KeychainTypes
    import PasskeyAuthenticator
    import Passkeys
    import SecretVault
    import TPMTestSupport
    import Testing

    @_spi(Testing) import KeychainServices

    extension KeychainSuite {
        /// The authenticator's passkeys in a vault, before a relying party that shares no code with them.
        @Suite struct PasskeyBookTests {
            private let party: RelyingParty
            private let origin: CallingOrigin
            private let ada = CreationOptions.User(
                id: Array("user-1".utf8), name: "ada@example.org", displayName: "Ada")

            init() throws {
                party = try RelyingParty(id: "example.org", name: "Example", origins: ["https://login.example.org"])
                origin = try CallingOrigin("https://login.example.org/sign-in")
            }

            private func with(
                _ presence: ScriptedPresence = ScriptedPresence(always: "correct horse"),
                hardware: (any HardwareKeystore)? = nil,
                _ body: @Sendable (PasskeyBook, ScriptedPresence) async throws -> Void
            ) async throws {
                try await TestVault.with(presence, hardware: hardware) { directory in
                    let book = PasskeyBook(lockFile: directory + "/authenticator.lock", isOpenedByUser: true)
                    try await body(book, presence)
                }
            }

            private func creation(excluding ids: [[UInt8]] = [], verification: UserVerification = .required)
                -> CreationOptions
            {
                CreationOptions(
                    relyingParty: party, user: ada, challenge: Array(0..<32),
                    excludeCredentials: ids.map { CredentialDescriptor(id: $0) }, userVerification: verification)
            }

            private func request(allowing ids: [[UInt8]] = []) -> RequestOptions {
                RequestOptions(
                    relyingParty: party, challenge: Array(32..<64),
                    allowCredentials: ids.map { CredentialDescriptor(id: $0) })
            }

            private func read(_ options: CreationOptions) throws -> CreationRequest {
                try CreationRequest(parsing: Array(JSONEncoder().encode(options)))
            }

            private func read(_ options: RequestOptions) throws -> AssertionRequest {
                try AssertionRequest(parsing: Array(JSONEncoder().encode(options)))
            }

            /// Makes a passkey, and has the relying party verify it.
            @discardableResult
            private func register(
                _ book: PasskeyBook, asksEachTime: Bool = false, inHardware: Bool = false
            ) async throws -> (passkey: Passkey, record: CredentialRecord) {
                let options = creation()
                let (passkey, response) = try await book.make(
                    for: try read(options), at: origin, asksEachTime: asksEachTime, inHardware: inHardware)
                let verified = try party.verifyRegistration(
                    RegistrationResponse(parsing: response.jsonText()), options: options, at: Date())
                #expect(verified.isUserVerified)
                return (passkey, verified.credential)
            }

            private func signIn(
                _ book: PasskeyBook, _ record: CredentialRecord, by selector: String? = nil
            ) async throws -> VerifiedAssertion {
                let options = request()
                let (_, response) = try await book.answer(try read(options), at: origin, by: selector)
                return try party.verifyAssertion(
                    AuthenticationResponse(parsing: response.jsonText()), options: options, credential: record)
            }

            @Test func `A passkey of the vault registers and signs in`() async throws {
                try await with { book, presence in
                    let (passkey, record) = try await register(book)
                    #expect(record.id == passkey.credentialID && record.id.count == 32)
                    #expect(record.userHandle == Array("user-1".utf8))
                    #expect(record.aaguid == AAGUID(Passkey.model))
                    #expect(record.attestation.format == "none")
                    // A vault is a folder that can be copied.
                    #expect(record.backupEligible && !record.backupState && !passkey.isInHardware)
                    let asked = presence.requests.count
                    let verified = try await signIn(book, record)
                    #expect(verified.isUserVerified && verified.credential.signCount == 0)
                    #expect(presence.requests.count == asked)
                    #expect(try await book.passkeys().map(\.label) == ["Example (ada@example.org)"])
                    #expect(try await book.passkeys().first?.lastUsedAt != nil)
                }
            }

            @Test func `A passkey that asks each time does, and is not used without an answer`() async throws {
                let presence = ScriptedPresence(always: "correct horse")
                try await with(presence) { book, presence in
                    let (_, record) = try await register(book, asksEachTime: true)
                    let asked = presence.requests.count
                    _ = try await signIn(book, record)
                    _ = try await signIn(book, record)
                    #expect(presence.requests.count == asked + 2)
                    #expect(presence.requests.last?.reason?.contains("example.org") == true)
                }
            }

            @Test(.enabled(if: SoftwareTPM.isWanted, Comment(rawValue: SoftwareTPM.hint)))
            func `A passkey of the TPM signs there and is nowhere else`() async throws {
                let chip = try SoftwareTPM()
                try await with(hardware: .tpm(.unixSocket(path: chip.socket))) { book, _ in
                    let (passkey, record) = try await register(book, inHardware: true)
                    #expect(passkey.isInHardware && !record.backupEligible)
                    #expect(try await signIn(book, record).isUserVerified)
                    chip.stop()
                    await #expect(throws: PasskeyBookError.self) { try await signIn(book, record) }
                }
            }

            @Test func `Several passkeys of one domain are told apart`() async throws {
                try await with { book, _ in
                    let (first, record) = try await register(book)
                    let (second, other) = try await register(book)
                    await #expect(throws: PasskeyBookError.ambiguous(try await book.passkeys())) {
                        try await book.answer(try read(request()), at: origin)
                    }
                    _ = try await signIn(book, other, by: second.id)
                    _ = try await signIn(book, record, by: first.id)
                    try await book.rename(first.id, to: "The old one")
                    _ = try await signIn(book, record, by: "old")
                    let (used, _) = try await book.answer(
                        try read(request(allowing: [second.credentialID])), at: origin)
                    #expect(used.id == second.id)
                    await #expect(throws: PasskeyBookError.noneFor("example.org")) {
                        try await book.answer(try read(request(allowing: [[1, 2, 3]])), at: origin)
                    }
                }
            }

            @Test func `Neither another domain nor an account that has the passkey gets one`() async throws {
                try await with { book, _ in
                    let (passkey, _) = try await register(book)
                    let excluding = try read(creation(excluding: [passkey.credentialID]))
                    await #expect(throws: PasskeyBookError.alreadyThere(passkey)) {
                        try await book.make(for: excluding, at: origin, asksEachTime: false, inHardware: false)
                    }
                    let thief = try CallingOrigin("https://login.example.com")
                    let refusal = AuthenticatorRefusal.foreignRelyingParty(id: "example.org", origin: thief.text)
                    await #expect(throws: PasskeyBookError.options(refusal)) {
                        try await book.make(
                            for: try read(creation()), at: thief, asksEachTime: false, inHardware: false)
                    }
                    await #expect(throws: PasskeyBookError.options(refusal)) {
                        try await book.answer(try read(request()), at: thief)
                    }
                    #expect(try await book.passkeys().count == 1)
                }
            }

            @Test func `A user who was not verified is not called so`() async throws {
                try await with { _, _ in
                    let book = PasskeyBook(isOpenedByUser: false)
                    await #expect(throws: PasskeyBookError.userNotVerified) {
                        try await book.make(
                            for: try read(creation()), at: origin, asksEachTime: false, inHardware: false)
                    }
                    let options = creation(verification: .preferred)
                    let (_, response) = try await book.make(
                        for: try read(options), at: origin, asksEachTime: false, inHardware: false)
                    let verified = try party.verifyRegistration(
                        RegistrationResponse(parsing: response.jsonText()), options: options, at: Date())
                    #expect(!verified.isUserVerified)
                    await #expect(throws: PasskeyBookError.userNotVerified) {
                        try await book.answer(try read(request()), at: origin)
                    }
                }
            }

            @Test func `What is removed leaves nothing, and names are checked`() async throws {
                try await with { book, _ in
                    let (passkey, _) = try await register(book)
                    for name in ["", "a\u{1B}[2J", String(repeating: "a", count: 201)] {
                        await #expect(throws: PasskeyBookError.badName) { try await book.rename(passkey.id, to: name) }
                    }
                    try await book.remove(passkey.id)
                    #expect(try await book.passkeys().isEmpty)
                    await #expect(throws: PasskeyBookError.notFound(passkey.id)) { try await book.remove(passkey.id) }
                    await #expect(throws: PasskeyBookError.noneFor("example.org")) {
                        try await book.answer(try read(request()), at: origin)
                    }
                }
            }
        }
    }
#endif
