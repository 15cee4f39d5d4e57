import CountersignCore
import CountersignServer
import Foundation
import Guardian
import MSAL
import Testing

/// A device that answers with a signature, as second factor: one app with `MSAL`, another with `Guardian`, and the real
/// server between them.
@Suite struct RealDeviceTests {
    private struct Stage {
        let server: RealServer
        let device: EnrolledDevice
        let method: MSALAuthMethod
        /// The same device by its codes.
        let codes: MSALAuthMethod
        let awaiting: AwaitingMFAState

        /// A user with a device has given the password.
        init(_ server: RealServer) async throws {
            self.server = server
            let user = try await server.addAccount()
            device = try await server.enrolDevice(of: user)
            let (methods, state) = try await Self.password(server)
            #expect(methods.map(\.channelTargetType.value) == ["push", "totp"])
            method = try #require(methods.first)
            codes = try #require(methods.last)
            awaiting = state
        }

        static func password(
            _ server: RealServer
        ) async throws -> (methods: [MSALAuthMethod], awaiting: AwaitingMFAState) {
            let nativeAuth = try await server.application()
            let parameters = MSALNativeAuthSignInParameters(username: RealServer.email)
            parameters.password = RealServer.password
            guard case .awaitingMFA(let methods, let state) = await nativeAuth.signIn(parameters: parameters) else {
                throw MemoryStorage.Broken()
            }
            return (methods, state)
        }

        func ask() async throws -> MFARequiredState {
            switch await awaiting.requestChallenge(authMethod: method) {
            case .verificationRequired(let state, let device, let channel, let length):
                #expect(!device.isEmpty && channel.value == "push" && length == -1)
                return state
            case .selectionRequired, .error: throw MemoryStorage.Broken()
            }
        }

        /// What the person with the device does.
        func decide(_ allows: Bool) async throws {
            let waiting = try await Guardian.api(forDomain: server.url.absoluteString).device(of: device)
                .notifications(waitingUpTo: 5).start()
            let notification = try #require(waiting.notifications.last)
            let authentication = Guardian.authentication(url: server.url, device: device)
            if allows {
                _ = try await authentication.allow(notification: notification).start()
            } else {
                _ = try await authentication.reject(notification: notification).start()
            }
        }
    }

    /// What submitting came to, where that was no session.
    private func refusal(
        _ state: MFARequiredState, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> MFASubmitChallengeError {
        guard case .error(let error, let newState) = await state.submitChallenge(challenge: "push") else {
            throw MemoryStorage.Broken()
        }
        #expect(newState != nil, sourceLocation: sourceLocation)
        return error
    }

    @Test func `A sign-in waits until the device has allowed it`() async throws {
        try await RealServer.run { server in
            let stage = try await Stage(server)
            let state = try await stage.ask()
            for _ in 0..<3 {
                let error = try await refusal(state)
                #expect(!error.isInvalidChallenge && !error.isBrowserRequired)
                #expect(error.cause?.isApprovalPending == true, "\(error)")
            }
            try await stage.decide(true)
            guard case .completed(let result) = await state.submitChallenge(challenge: "push") else {
                Issue.record("not signed in")
                return
            }
            #expect(result.account.accountClaims?["amr"] as? [String] == ["pwd", "mca", "hwk", "user", "mfa"])
        }
    }

    @Test func `An app that asks too often still waits, and is signed in at its own pace`() async throws {
        try await RealServer.run { server in
            let stage = try await Stage(server)
            let state = try await stage.ask()
            var words: Set<String> = []
            for _ in 0..<35 {
                let error = try await refusal(state)
                #expect(error.cause?.isApprovalPending == true)
                words.insert(error.cause?.serverError ?? "")
            }
            #expect(words == ["authorization_pending", "slow_down"])
            try await stage.decide(true)
            try await server.advanceClock(seconds: 60)
            guard case .completed = await state.submitChallenge(challenge: "push") else {
                Issue.record("not signed in")
                return
            }
        }
    }

    @Test func `A no ends the sign-in, and says that it was one`() async throws {
        try await RealServer.run { server in
            let stage = try await Stage(server)
            let state = try await stage.ask()
            try await stage.decide(false)
            for _ in 0..<2 {
                let error = try await refusal(state)
                #expect(!error.isInvalidChallenge && error.cause?.isApprovalRejected == true, "\(error)")
                #expect(error.cause?.isApprovalPending == false)
            }
        }
    }

    @Test func `A device that does not answer in time is a wrong answer, and can be asked again`() async throws {
        try await RealServer.run { server in
            let stage = try await Stage(server)
            let state = try await stage.ask()
            try await server.advanceClock(seconds: 301)
            let error = try await refusal(state)
            #expect(error.isInvalidChallenge && error.cause?.isApprovalPending == false, "\(error)")
            let again = try await stage.ask()
            #expect(try await refusal(again).cause?.isApprovalPending == true)
            // The flow itself ends after a quarter of an hour.
            try await server.advanceClock(seconds: 900)
            #expect(try await refusal(again).cause?.isFlowExpired == true)
        }
    }

    @Test func `A device's own codes do as well, each once, and no wrong one`() async throws {
        try await RealServer.run { server in
            let stage = try await Stage(server)
            let totp = try Guardian.totp(parameters: #require(stage.device.totp))
            let now = Date().timeIntervalSince1970
            let code = totp.stringCode(time: now)
            guard
                case .verificationRequired(let state, _, let channel, 6) = await stage.awaiting.requestChallenge(
                    authMethod: stage.codes)
            else {
                Issue.record("no code is asked for")
                return
            }
            #expect(channel.value == "totp")
            let right = Set((-2...2).map { totp.stringCode(time: now + Double(30 * $0)) })
            let wrong = try #require((0..<6).map { "00000\($0)" }.first { !right.contains($0) })
            guard case .error(let error, let same?) = await state.submitChallenge(challenge: wrong) else {
                Issue.record("a wrong code")
                return
            }
            #expect(error.isInvalidChallenge)
            guard case .completed(let result) = await same.submitChallenge(challenge: code) else {
                Issue.record("not signed in")
                return
            }
            #expect(result.account.accountClaims?["amr"] as? [String] == ["pwd", "otp", "mfa"])

            // Another sign-in, the same code.
            let next = try await Stage.password(server)
            guard
                case .verificationRequired(let late, _, _, _) = await next.awaiting.requestChallenge(
                    authMethod: stage.codes),
                case .error(let used, _?) = await late.submitChallenge(challenge: code)
            else {
                Issue.record("a code that was used")
                return
            }
            #expect(used.isInvalidChallenge)
        }
    }

    @Test func `The delegates are told the same`() async throws {
        try await RealServer.run { server in try await Self.delegates(server) }
    }

    @MainActor
    private static func delegates(_ server: RealServer) async throws {
        let stage = try await Stage(server)
        let recorder = Recorder()
        let asked = await recorder.told { stage.awaiting.requestChallenge(authMethod: stage.method, delegate: $0) }
        #expect(asked.line == "onMFARequestChallengeVerificationRequired")
        let state: MFARequiredState = try asked.state()
        #expect(
            await recorder.told { state.submitChallenge(challenge: "push", delegate: $0) }.line
                == "onMFASubmitChallengeError general +state")
        try await stage.decide(true)
        #expect(
            await recorder.told { state.submitChallenge(challenge: "push", delegate: $0) }.line == "onSignInCompleted")
    }
}

extension RealServer {
    /// An account with a proven address.
    @discardableResult
    func addAccount(_ email: String = email, password: String? = password) async throws -> User {
        try await realm.accounts.create(
            email: EmailAddress(email), password: password.map { Secret($0) },
            profile: UserProfile(emailVerified: true), by: .commandLine
        ).get()
    }

    /// This process as a device of the user's.
    fileprivate func enrolDevice(of user: User) async throws -> EnrolledDevice {
        guard case .offered(let ticket) = try await realm.enrolments.inviteDevice(for: user.id, by: .commandLine) else {
            throw MemoryStorage.Broken()
        }
        let key = try DataP256PrivateKey.new()
        return try await Guardian.enroll(
            forDomain: url.absoluteString, usingTicket: ticket.handle.token.reveal(), notificationToken: "",
            signingKey: key, verificationKey: key.verificationKey()
        ).start()
    }
}
