#if !canImport(Security)
    import AuthenticatorBook
    import Foundation
    import KeychainServices
    import KeychainTestSupport
    import KeychainTypes
    import OneTimePassword
    import SecretVault
    import Testing

    extension KeychainSuite {
        /// The authenticator's accounts in a vault.
        @Suite struct AccountBookTests {
            private let uri = "otpauth://totp/GitHub:ada?secret=JBSWY3DPEHPK3PXP&issuer=GitHub"
            /// RFC 4226, appendix D.
            private let counted =
                "otpauth://hotp/Bank:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bank&counter=0"

            private func with(
                _ body: @Sendable (AccountBook, ScriptedPresence) async throws -> Void
            ) async throws {
                let presence = ScriptedPresence(always: "correct horse")
                try await TestVault.with(presence) { directory in
                    try await body(AccountBook(lockFile: directory + "/authenticator.lock"), presence)
                }
            }

            @Test func `What is added is listed and makes its codes`() async throws {
                try await with { book, presence in
                    let asked = presence.requests.count
                    let added = try await book.add(try OTPAuthURI(parsing: uri))
                    #expect(try await book.accounts() == [added])
                    #expect(added.label == "GitHub (ada)")
                    let codes = try await book.open(added)
                    // oathtool --totp -b --now "2026-01-01 00:00:00 UTC" JBSWY3DPEHPK3PXP
                    let newYear = Date(timeIntervalSince1970: 1_767_225_600)
                    #expect(codes.code(at: newYear).stringCode == "260025")
                    #expect(codes.secondsRemaining(at: newYear + 29) == 1)
                    #expect(try await book.uri(of: added).uriString == (try OTPAuthURI(parsing: uri)).uriString)
                    #expect(presence.requests.count == asked)
                }
            }

            @Test func `A secret that asks each time does`() async throws {
                try await with { book, presence in
                    let added = try await book.add(try OTPAuthURI(parsing: uri), asksEachTime: true)
                    let asked = presence.requests.count
                    #expect(try await book.accounts().count == 1)
                    #expect(presence.requests.count == asked)
                    _ = try await book.open(added)
                    _ = try await book.open(added)
                    #expect(presence.requests.count == asked + 2)
                    await #expect(throws: AccountBookError.keychain(.interactionNotAllowed)) {
                        try await book.open(added, context: AuthenticationContext(interactionAllowed: false))
                    }
                }
            }

            @Test func `A counter is kept before its code is shown`() async throws {
                try await with { book, _ in
                    let added = try await book.add(try OTPAuthURI(parsing: counted))
                    #expect(try await book.nextCode(of: added).code.stringCode == "755224")
                    let kept = try await book.account(meant: "bank")
                    #expect(kept.codes?.kind == .counter(next: 1))
                    // What was listed before may be old by now: the counter that is kept counts.
                    #expect(try await book.nextCode(of: added).code.stringCode == "287082")
                    await #expect(throws: AccountBookError.noCodes(kept)) { try await book.open(kept) }
                }
            }

            @Test func `Twenty at once get twenty counters`() async throws {
                try await with { book, _ in
                    let added = try await book.add(try OTPAuthURI(parsing: counted))
                    let counters = try await withThrowingTaskGroup(of: UInt64.self) { group in
                        for _ in 0..<20 { group.addTask { try await book.nextCode(of: added).counter } }
                        return try await group.reduce(into: Set<UInt64>()) { $0.insert($1) }
                    }
                    #expect(counters == Set(0..<20))
                }
            }

            @Test func `A counter at its end is refused`() async throws {
                try await with { book, _ in
                    let last = counted.replacing("counter=0", with: "counter=\(UInt64.max)")
                    let added = try await book.add(try OTPAuthURI(parsing: last))
                    await #expect(throws: AccountBookError.counterExhausted(added)) {
                        try await book.nextCode(of: added)
                    }
                }
            }

            @Test func `One name has one secret`() async throws {
                try await with { book, _ in
                    let first = try await book.add(try OTPAuthURI(parsing: uri))
                    await #expect(throws: AccountBookError.alreadyThere(first)) {
                        try await book.add(try OTPAuthURI(parsing: uri.replacing("ada", with: "ADA")))
                    }
                    let other = try OTPAuthURI(parsing: uri.replacing("JBSWY3DPEHPK3PXP", with: "GEZDGNBVGY3TQOJQ"))
                    await #expect(throws: AccountBookError.nameTaken(first)) { try await book.add(other) }
                    let third = try OTPAuthURI(parsing: counted)
                    #expect(
                        try await book.add([try OTPAuthURI(parsing: uri), other, third, third]).map { addition in
                            switch addition {
                            case .added: "added"
                            case .alreadyThere: "already there"
                            case .refused: "refused"
                            }
                        } == ["already there", "refused", "added", "already there"])
                }
            }

            @Test func `What is removed leaves nothing`() async throws {
                try await with { book, _ in
                    let added = try await book.add(try OTPAuthURI(parsing: uri))
                    try await book.remove(added.id)
                    #expect(try await book.accounts().isEmpty)
                    await #expect(throws: AccountBookError.keychain(.itemNotFound)) { try await book.open(added) }
                    await #expect(throws: AccountBookError.notFound(added.id)) { try await book.remove(added.id) }
                    try await book.add(try OTPAuthURI(parsing: uri))
                }
            }

            @Test func `An account is found by whatever people call it`() async throws {
                try await with { book, _ in
                    let github = try await book.add(try OTPAuthURI(parsing: uri))
                    let bank = try await book.add(try OTPAuthURI(parsing: counted))
                    let gitlab = try await book.add(
                        try OTPAuthURI(parsing: uri.replacing("GitHub", with: "GitLab").replacing("ada", with: "bob")))
                    for (selector, account) in [
                        (github.id, github), ("github", github), ("GITHUB:ADA", github), ("Bank (ada)", bank),
                        ("ban", bank), ("bob", gitlab), ("lab", gitlab),
                    ] {
                        #expect(try await book.account(meant: selector) == account, "\(selector)")
                    }
                    await #expect(throws: AccountBookError.ambiguous("ada", [bank, github])) {
                        try await book.account(meant: "ada")
                    }
                    for nobody in ["", "nobody"] {
                        await #expect(throws: AccountBookError.notFound(nobody)) {
                            try await book.account(meant: nobody)
                        }
                    }
                }
            }

            /// The first form in which accounts were kept: whatever is kept later, this must be read.
            @Test func `Accounts of the first form are read`() async throws {
                try await with { book, _ in
                    let kept = """
                        {"id":"0a1b2c3d","issuer":"GitHub","name":"ada","codes":{"period":30,"algorithm":"SHA1","digits":6,
                        "fingerprint":"0011223344556677"},"asksEachTime":false,"addedAt":800000000}
                        """
                    try await Keychain().store(
                        LockedBytes(Array(kept.utf8)), account: "0a1b2c3d",
                        service: "countersign.authenticator.account",
                        access: AccessControl(unconstrained: .whenUnlockedThisDeviceOnly))
                    let account = try #require(try await book.accounts().first)
                    #expect(account.label == "GitHub (ada)")
                    #expect(account.codes?.kind == .time(period: 30))
                    #expect(account.device == nil)
                }
            }

            @Test func `What cannot be read is named and can be removed`() async throws {
                try await with { book, _ in
                    try await Keychain().store(
                        LockedBytes(Array("nonsense".utf8)), account: "0a1b2c3d",
                        service: "countersign.authenticator.account",
                        access: AccessControl(unconstrained: .whenUnlockedThisDeviceOnly))
                    await #expect(throws: AccountBookError.damaged("0a1b2c3d")) { try await book.accounts() }
                    try await book.remove("0a1b2c3d")
                    #expect(try await book.accounts().isEmpty)
                }
            }
        }
    }
#endif
