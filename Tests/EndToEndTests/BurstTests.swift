import Foundation
import TestSupport
import Testing

/// 2,000 sign-ins and refreshes that are under way at once: none is refused, and every token names its own user, how that
/// user signed in and its own time.
///
/// In `make test` hashes cost next to nothing and there are 600; `make endurance` has neither mercy.
@Suite(.serialized) struct BurstTests {
    /// Each signs in and refreshes.
    private static var people: Int { Endurance.rounds == nil ? 300 : 1000 }

    private static let password = "a quiet afternoon"
    private static let hashing = Endurance.rounds == nil ? Endurance.cheapHashes : [:]

    @Test(arguments: Database.available)
    func `A burst is served and no user gets another's token`(_ database: Database) async throws {
        let server = try await ServerProcess(
            ["--tls-ended-by-proxy"] + database.arguments(), environment: Self.hashing)
        let key = try server.apiKey
        let jwks = try await server.get("/.well-known/jwks.json").json
        func shot(_ path: String, _ body: [String: Any], from number: Int) throws -> Volley.Shot {
            // Each comes from an address of its own, because limits per address hold.
            try Volley.Shot(server.url, "\(path)?key=\(key)", body, source: "10.1.\(number / 250).\(number % 250 + 1)")
        }

        let count = Self.people
        var people: [Person] = []
        for start in stride(from: 0, to: count, by: 250) {
            let numbers = start..<min(start + 250, count)
            let answers = try await fire(
                try numbers.map {
                    try shot("/v1/accounts:signUp", ["email": email($0), "password": Self.password], from: $0)
                })
            for (number, answer) in zip(numbers, answers) {
                people.append(try Person(email: email(number), answer, jwks))
            }
        }

        let begin = Int(Date().timeIntervalSince1970)
        let answers = try await fire(
            try people.enumerated().flatMap { number, person in
                [
                    try shot(
                        "/v1/accounts:signInWithPassword", ["email": person.email, "password": Self.password],
                        from: number),
                    try shot(
                        "/v1/token", ["grantType": "refresh_token", "refreshToken": person.refreshToken], from: number),
                ]
            })
        let end = Int(Date().timeIntervalSince1970)
        #expect(refusals(answers, of: ["sign-in", "refresh"]) == [:])
        var successors: [(person: Person, refreshToken: String)] = []
        for (number, person) in people.enumerated() {
            let (signIn, refresh) = (answers[2 * number], answers[2 * number + 1])
            guard signIn.status == 200, refresh.status == 200 else { continue }
            let fresh = try IDToken(#require(signIn.text("idToken")), jwks: jwks)
            person.expectOwn(fresh, begin...end)
            #expect(fresh.number("auth_time").map { begin...(fresh.number("iat") ?? 0) ~= $0 } == true)
            #expect(signIn.text("localId") == person.id)
            #expect(signIn.text("email") == person.email)
            #expect(signIn.text("expiresIn") == "3600")

            let renewed = try IDToken(#require(refresh.text("id_token")), jwks: jwks)
            person.expectOwn(renewed, begin...end)
            #expect(renewed.number("auth_time") == person.authTime)
            #expect(refresh.text("user_id") == person.id)
            #expect(refresh.text("expires_in") == "3600")
            #expect(refresh.text("project_id") == "countersign")
            successors.append((person, try #require(signIn.text("refreshToken"))))
            successors.append((person, try #require(refresh.text("refresh_token"))))
        }
        #expect(Set(successors.map(\.refreshToken)).count == answers.count)
        report(database, answers, "sign-ins and refreshes")

        // A refresh token says nothing of its user: that shows when it is used.
        let again = try await fire(
            try successors.enumerated().map { number, successor in
                try shot(
                    "/v1/token", ["grantType": "refresh_token", "refreshToken": successor.refreshToken],
                    from: number / 2)
            })
        #expect(refusals(again, of: ["refresh"]) == [:])
        for (successor, answer) in zip(successors, again) { #expect(answer.text("user_id") == successor.person.id) }
        report(database, again, "refreshes")
        #expect(await server.terminate() == 0)
    }

    /// The answers; in `make endurance` of those whom the server tells to come again, since the machine computes too few hashes in a minute
    /// (docs/scale.md), when they have come again. Where hashes cost nothing the server tells none so.
    private func fire(_ shots: [Volley.Shot]) async throws -> [Volley.Answer] {
        var answers = try await Volley.fire(shots)
        for _ in 0..<20 where Endurance.rounds != nil {
            let early = answers.indices.filter { answers[$0].status == 503 && answers[$0].retryAfter != nil }
            guard let seconds = early.compactMap({ answers[$0].retryAfter }).max() else { break }
            Endurance.report("\(early.count) of \(shots.count) come again after \(seconds) s")
            try await Task.sleep(for: .seconds(seconds))
            for (place, answer) in zip(early, try await Volley.fire(early.map { shots[$0] })) {
                answers[place] = answer
            }
        }
        return answers
    }

    private func email(_ number: Int) -> String { "user\(number)@example.com" }

    /// What was not answered with 200, and how often.
    /// - Parameter kinds: of requests, which take turns.
    private func refusals(_ answers: [Volley.Answer], of kinds: [String]) -> [String: Int] {
        answers.enumerated().filter { $0.element.status != 200 }.reduce(into: [:]) { result, refused in
            result["\(kinds[refused.offset % kinds.count]): \(refused.element.words)", default: 0] += 1
        }
    }

    private func report(_ database: Database, _ answers: [Volley.Answer], _ what: String) {
        let times = answers.map { $0.after / .seconds(1) }.sorted()
        func seconds(_ place: Int) -> String { String(format: "%.1f s", times[place]) }
        Endurance.report(
            "\(database.testDescription): \(answers.count) \(what) at once: half answered after "
                + "\(seconds(times.count / 2)), all after \(seconds(times.count - 1))")
    }
}

/// Who signed up, and what the first token said.
private struct Person {
    let email: String
    let id: String
    let refreshToken: String
    /// Seconds since 1970.
    let authTime: Int

    init(email: String, _ answer: Volley.Answer, _ jwks: [String: Any]) throws {
        self.email = email
        id = try #require(answer.text("localId"), "\(answer.words)")
        refreshToken = try #require(answer.text("refreshToken"))
        let token = try IDToken(#require(answer.text("idToken")), jwks: jwks)
        authTime = try #require(token.number("auth_time"))
    }

    /// Every claim: there are no others.
    func expectOwn(_ token: IDToken, _ seconds: ClosedRange<Int>) {
        #expect(
            Set(token.claims.keys) == [
                "iss", "aud", "sub", "user_id", "auth_time", "iat", "exp", "email", "email_verified", "firebase",
                "countersign_epoch", "countersign_session",
            ])
        #expect(token.text("iss") == "https://securetoken.google.com/countersign")
        #expect(token.text("aud") == "countersign")
        #expect(token.text("sub") == id)
        #expect(token.text("user_id") == id)
        #expect(token.text("email") == email)
        #expect(token.firebase("sign_in_provider") as? String == "password")
        #expect(token.firebase("sign_in_second_factor") == nil)
        #expect(token.firebase("identities") as? [String: [String]] == ["email": [email]])
        #expect(token.number("iat").map(seconds.contains) == true)
        #expect(token.number("exp") == token.number("iat").map { $0 + 3600 })
    }
}
