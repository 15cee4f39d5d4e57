import ClientHTTP
import CountersignCore
import CountersignServer
import Foundation
import MSAL
import OneTimePassword
import ServerTestSupport
import Testing

/// The real server in this process, on a port of its own, with its developer's inbox and its clock.
struct RealServer: Sendable {
    let url: URL
    let realm: Realm

    static let email = "ada@example.com"
    static let password = "a quiet afternoon"

    /// Gone when the body returns.
    static func run(_ body: @escaping @Sendable (RealServer) async throws -> Void) async throws {
        try await ServerInProcess.run(in: "msal") { url, opened in
            try await body(RealServer(url: url, realm: opened.realm))
        }
    }

    /// Registers an application and makes a client of it. Without a registration it is `dev-app`.
    func application(
        _ registration: ApplicationRegistration? = nil, _ types: MSALNativeAuthChallengeTypes = [.OOB, .password],
        capabilities: MSALNativeAuthCapabilities = [.mfaRequired, .registrationRequired],
        storage: MemoryStorage = MemoryStorage(), transport: any HTTPTransport = URLSessionTransport.shared
    ) async throws -> MSALNativeAuthPublicClientApplication {
        var id = "dev-app"
        if let registration {
            id = try #require(try await realm.applications.add(registration, by: .commandLine)).id.rawValue
        }
        let authority = try MSALCIAMAuthority(url: url.appendingPathComponent("contoso.onmicrosoft.com"))
        let config = MSALNativeAuthPublicClientApplicationConfig(
            clientId: id, authority: authority, challengeTypes: types)
        config.capabilities = capabilities
        // Polls come after two seconds; here without the wait.
        return try MSALNativeAuthPublicClientApplication(
            nativeAuthConfiguration: config,
            environment: ClientEnvironment(transport: transport, storage: storage, pause: { _ in }))
    }

    private struct Inbox: Decodable {
        struct Message: Decodable {
            let to: String
            let text: String
        }

        let messages: [Message]
    }

    /// The codes that went to an address, as its owner reads them, the newest last.
    func codes(to address: String = email) async throws -> [String] {
        let answer = try await HTTPClient().get(url.appendingPathComponent("dev/inbox.json"))
        return try JSONDecoder().decode(Inbox.self, from: answer.body).messages.filter { $0.to == address }
            .compactMap { $0.text.firstMatch(of: /\b[0-9]{8}\b/).map { String($0.0) } }
    }

    func newestCode(to address: String = email) async throws -> String {
        try #require(try await codes(to: address).last)
    }

    /// A code that is none of those that were sent.
    func wrongCode(to address: String = email) async throws -> String {
        let codes = try await codes(to: address)
        return codes.contains("00000000") ? "00000001" : "00000000"
    }

    /// Gives the account an authenticator.
    func enrolAuthenticator() async throws -> TOTP {
        let address = try #require(EmailAddress(Self.email))
        let user = try #require(await realm.accounts.user(email: address))
        let evidence = SessionEvidence(dialect: .nativeAuth, proofs: [Proof(kind: .password, at: realm.clock.now)])
        let outcome = try await realm.enrolments.beginTOTP(for: user.id, evidence: evidence, by: .commandLine)
        guard case .offered(let offer) = outcome else { throw CancellationError() }
        let totp = try TOTP(secret: offer.secret.reveal())
        let code = Secret(totp.code(at: realm.clock.now).stringCode)
        let verdict = try await realm.authenticator.answer(
            .enrolmentCode(code, name: "Phone"),
            to: .flow(offer.handle, FlowExpectation([.enrolFactor], at: [.factorEnrolment], of: [.dialect(.admin)])),
            by: .commandLine)
        guard case .accomplished(.enrolled) = verdict else { throw CancellationError() }
        return totp
    }

    func advanceClock(seconds: Int) async throws {
        let answer = try await HTTPClient().post(
            json: ["advanceSeconds": seconds], to: url.appendingPathComponent("dev/clock"))
        #expect(answer.status == 200)
    }
}
