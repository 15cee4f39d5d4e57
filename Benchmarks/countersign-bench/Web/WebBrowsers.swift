import CountersignCore
import Crypto
import Foundation

/// Browsers that are signed in, and the applications that they use.
enum WebBrowsers {
    /// One for each connection.
    static let count = 64
    /// The secret has the form of one that the server drew, as operators have it.
    static let application = (id: "bench-web", secret: "bench-web-secret-of-the-length-that-is-draw")
    static let redirectURI = "https://app.bench.example/callback"

    /// Makes people with a browser session each, an application, and grants that belong to others.
    /// - Returns: what each browser's cookie has.
    static func prepare(_ count: Int, grants: Int, in realm: Realm) async throws -> [String] {
        try await Person.add(0..<count, to: realm)
        var registration = ApplicationRegistration(
            displayName: "Bench", redirectURIs: [redirectURI], scopes: ["openid", "email", "offline_access", "bench"])
        registration.setSecret(Secret(application.secret), isDrawn: true)
        registration.oauth = OAuthRegistration(kind: .web)
        registration.oauth.grantTypes = ["authorization_code", "refresh_token", "client_credentials"]
        registration.oauth.isFirstParty = true
        _ = try await realm.applications.add(
            id: ClientID(rawValue: application.id), registration, by: .commandLine)
        var cookies: [String] = []
        for number in 0..<count {
            cookies.append(
                try await signIn(Person(number: number), realm, by: ClientID(rawValue: application.id)))
        }
        try await addGrants(grants, to: realm)
        return cookies
    }

    /// A session as the pages make it, of password and code.
    static func signIn(_ person: Person, _ realm: Realm, by application: ClientID) async throws -> String {
        let client = ClientContext(
            clientID: application, dialect: .oauth, limitedSource: nil, source: person.source)
        guard let address = EmailAddress(person.email) else { throw OutOfPeople() }
        var verdict = try await realm.authenticator.answer(
            .password(Secret(Person.password)),
            to: .opening(FlowOpening(subject: .email(address), terms: GrantTerms())), by: client)
        if case .more(let continuation) = verdict {
            let expectation = FlowExpectation(
                [.signIn], at: [.secondFactor], of: [.application(client.clientID, of: .oauth)])
            verdict = try await realm.authenticator.answer(
                .code(Secret(Person.rightCode())), to: .flow(continuation.handle, expectation), by: client)
        }
        guard case .accomplished(.signedIn(let signedIn)) = verdict,
            let begun = try await realm.sessions.begin(inBrowser: signedIn)
        else { throw UnexpectedAnswer(status: 0, body: "a browser could not be signed in") }
        return begun.token.reveal()
    }

    /// Grants of sessions of one person each, straight into the store.
    ///
    /// Their ids are drawn first and go in in their order, so that every index grows at its end. In the order in which they are drawn, each part
    /// would read and write again most pages of a database that is many times larger than SQLite's cache.
    private static func addGrants(_ count: Int, to realm: Realm) async throws {
        let now = realm.clock.now
        let random = realm.random
        let users = (0..<count).map { _ in UserID(random: random) }.sorted { $0.rawValue < $1.rawValue }
        let sessions = (0..<count).map { _ in SessionID(rawValue: random.uuid()) }.sorted { $0.rawValue < $1.rawValue }
        let grants = (0..<count).map { _ in GrantID(rawValue: random.uuid()) }.sorted { $0.rawValue < $1.rawValue }
        for start in stride(from: 0, to: count, by: 5000) {
            let part = start..<min(count, start + 5000)
            try await realm.store.write { transaction in
                for number in part {
                    let (user, session, grant) = (users[number], sessions[number], grants[number])
                    // All addresses have one length, so that their order is that of their numbers.
                    let address = EmailAddress("other\(10_000_000 + number)@bench.example")
                    _ = try transaction.insert(User(id: user, email: address, createdAt: now))
                    _ = try transaction.insert(
                        Session(
                            id: session, userID: user, dialect: .oauth, tokenEpoch: 0, createdAt: now,
                            expiresAt: now + 86_400, proofs: [Proof(kind: .password, at: now)]))
                    _ = try transaction.insert(
                        Grant(
                            id: grant, sessionID: session, userID: user,
                            clientID: ClientID(rawValue: application.id), dialect: .oauth, createdAt: now,
                            expiresAt: now + 86_400,
                            refresh: RefreshTokenState(
                                currentDigest: Data(SHA256.hash(data: Data(grant.rawValue.utf8))))))
                }
            }
        }
    }
}
