import CountersignCore
import CountersignServer
import Foundation
import ServerTestSupport
import StorePostgres
import TestSupport
import Testing

/// Two servers on one PostgreSQL database, in one process: their clocks differ, and a commit hangs.
@Suite(.serialized, .enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
struct ServersApartTests {
    /// The clock of a machine that is wrong by some seconds.
    private struct WrongClock: WallClock {
        let error: TimeInterval

        var now: Date { Date(microseconds: (SystemClock().now + error).microseconds) }
    }

    private struct Pair: Sendable {
        let first: URL
        let second: URL
        let database: TestDatabase

        /// The same, named from the other side.
        var exchanged: Pair { Pair(first: second, second: first, database: database) }
    }

    private static let (email, password) = ("ada@example.com", "a quiet afternoon")

    /// - Parameter error: seconds that the second server's clock is ahead.
    private func withServers(
        _ error: TimeInterval = 0, _ options: PostgresStore.Options = .patient,
        _ body: @escaping @Sendable (Pair) async throws -> Void
    ) async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        try await ServerInProcess.run(in: "first", database: database.url, postgres: options) { first, opened in
            let key = (opened.directory.path as NSString).appendingPathComponent("master-key")
            try await ServerInProcess.run(
                in: "second", database: database.url, postgres: options, masterKey: .file(key),
                clock: WrongClock(error: error)
            ) { second, _ in
                try await body(Pair(first: first, second: second, database: database))
            }
        }
    }

    private func post(_ server: URL, _ path: String, _ body: [String: String]) async throws -> Volley.Answer {
        let answers = try await Volley.fire([try Volley.Shot(server, "\(path)?key=dev-app", body)])
        return try #require(answers.first)
    }

    private func signUp(_ server: URL) async throws -> Volley.Answer {
        let answer = try await post(server, "/v1/accounts:signUp", ["email": Self.email, "password": Self.password])
        try #require(answer.status == 200, "\(answer.words)")
        return answer
    }

    private func signIn(_ server: URL, _ password: String = password) async throws -> Volley.Answer {
        let answer = try await post(
            server, "/v1/accounts:signInWithPassword", ["email": Self.email, "password": password])
        try #require(answer.status == 200, "\(answer.words)")
        return answer
    }

    private func refresh(_ server: URL, _ token: String?) async throws -> Volley.Answer {
        try await post(
            server, "/v1/token", ["grantType": "refresh_token", "refreshToken": try #require(token)])
    }

    /// The answer of a server, asked again where it says so, as it does where a slow machine takes longer than a transaction may.
    private func settled(_ server: URL, _ token: String?) async throws -> Volley.Answer {
        var answer = try await refresh(server, token)
        try await eventually {
            if answer.status == 503 { answer = try await refresh(server, token) }
            return answer.status != 503
        }
        return answer
    }

    private func lookUp(_ server: URL, _ token: String?) async throws -> Int {
        try await post(server, "/v1/accounts:lookup", ["idToken": try #require(token)]).status
    }

    // MARK: Clocks

    @Test(
        arguments: [-12, -2, -0.1, 0.1, 2, 12] as [TimeInterval])
    func `A user who signs in at one server after a new password at the other has tokens that count at both`(
        error: TimeInterval
    ) async throws {
        try await withServers(error) { pair in
            var signedIn = try await signUp(pair.first)
            var password = Self.password
            for (number, pair) in [pair, pair.exchanged].enumerated() {
                password = "a quiet evening \(number)"
                let changed = try await post(
                    pair.first, "/v1/accounts:update",
                    ["idToken": try #require(signedIn.text("idToken")), "password": password])
                #expect(changed.status == 200, "\(changed.words)")
                signedIn = try await signIn(pair.second, password)
                for server in [pair.first, pair.second] {
                    #expect(try await lookUp(server, signedIn.text("idToken")) == 200, "\(error) s")
                }
                let refreshed = try await refresh(pair.first, signedIn.text("refreshToken"))
                #expect(refreshed.status == 200, "\(error) s: \(refreshed.words)")
                // A verifier elsewhere compares the two.
                let token = try #require(signedIn.text("idToken"))
                let claims = try #require(IDToken.claims(of: token))
                let user = try await post(pair.first, "/v1/accounts:lookup", ["idToken": token])
                let record = try #require((user.json["users"] as? [[String: Any]])?.first)
                let validSince = try #require((record["validSince"] as? String).flatMap { Int($0) })
                for claim in ["iat", "auth_time"] {
                    #expect(try #require(claims[claim] as? Int) >= validSince, "\(claim) at \(error) s")
                }
            }
            // What is measured has the way there and back in it, which is long while the machine does much else.
            var skew: [String: Any] = [:]
            try await eventually {
                skew = try await Probe(pair.second, "/health/ready").json
                return (skew["clockSkewSeconds"] as? Double).map { abs($0 - error) < 0.5 } == true
            }
            #expect((skew["warnings"] as? [String] ?? []).isEmpty == (abs(error) < 1), "\(skew)")
        }
    }

    @Test(
        arguments: [-12, 12, 120] as [TimeInterval])
    func `A refresh is repeated at the other server for a minute and until its successor was used`(error: TimeInterval)
        async throws
    {
        try await withServers(error) { pair in
            _ = try await signUp(pair.first)
            for pair in [pair, pair.exchanged] {
                let token = try await signIn(pair.first).text("refreshToken")
                let next = try await refresh(pair.first, token).text("refresh_token")
                let again = try await refresh(pair.second, token)
                #expect(again.text("refresh_token") == next, "\(error) s: \(again.words)")
                try await refresh(pair.second, next).expect(200)
                try await refresh(pair.first, token).expect(400, "\(error) s")

                let late = try await signIn(pair.first).text("refreshToken")
                try await refresh(pair.first, late).expect(200)
                for server in [pair.first, pair.second] {
                    let moved = try await Volley.fire([try .init(server, "/dev/clock", ["advanceSeconds": 61])])
                    #expect(moved.first?.status == 200)
                }
                try await refresh(pair.second, late).expect(400, "\(error) s")
            }
        }
    }

    // MARK: A commit that hangs

    @Test(
        arguments: [true, false])
    func `A refresh whose commit hangs is answered 503, and repeated as told, wherever: the session goes on`(
        isDoneInTheEnd: Bool
    ) async throws {
        var options = PostgresStore.Options()
        options.statementTimeout = .seconds(60)
        // Mostly enough for what does not hang; where it is not, that is done again.
        options.transactionTimeout = .seconds(4)
        try await withServers(0, options) { pair in
            let database = pair.database
            var (token, tries) = (String?.none, 0)
            try await eventually {
                tries += 1
                let answer = try await post(
                    pair.first, "/v1/accounts:signUp", ["email": "ada\(tries)@example.com", "password": Self.password])
                token = answer.text("refreshToken")
                return answer.status == 200
            }
            // A trigger that runs within COMMIT, and waits there for a lock of another transaction.
            try await database.run(
                """
                CREATE FUNCTION hang() RETURNS trigger AS \
                'BEGIN PERFORM pg_advisory_xact_lock_shared(77); RETURN NULL; END' LANGUAGE plpgsql; \
                CREATE CONSTRAINT TRIGGER hanging AFTER UPDATE ON grants DEFERRABLE INITIALLY DEFERRED \
                FOR EACH ROW EXECUTE FUNCTION hang()
                """)
            let holder = Task {
                try? await database.run("SELECT pg_advisory_lock(77), pg_sleep(0); SELECT pg_sleep(900)")
            }
            try await eventually {
                do {
                    try await database.run(
                        """
                        DO 'BEGIN IF NOT EXISTS (SELECT FROM pg_locks WHERE objid = 77 AND granted) \
                        THEN RAISE EXCEPTION ''not yet''; END IF; END'
                        """)
                    return true
                } catch {
                    return false
                }
            }

            let begin = ContinuousClock.now
            // The second comes while the first is still under way in the database, and so do more.
            for server in [pair.first, pair.second, pair.first] {
                let answer = try await refresh(server, token)
                #expect(answer.status == 503 && (answer.retryAfter ?? 0) >= 1, "\(answer.words)")
            }
            #expect(ContinuousClock.now - begin < .seconds(300))
            if !isDoneInTheEnd {
                try await database.endConnections(where: "query = 'COMMIT' AND state = 'active'")
            }
            try await database.cluster.run(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
                WHERE query LIKE '%pg_sleep(900)%' AND pid <> pg_backend_pid()
                """)
            await holder.value

            var next: String?
            try await eventually {
                let answer = try await refresh(pair.second, token)
                #expect([200, 503].contains(answer.status), "\(answer.words)")
                next = answer.text("refresh_token")
                return answer.status == 200
            }
            let again = try await settled(pair.first, token)
            #expect(again.text("refresh_token") == next, "\(again.words)")
            // Reuse is still told from it.
            try await settled(pair.first, next).expect(200)
            try await settled(pair.second, token).expect(400)
            try await settled(pair.second, next).expect(400)
        }
    }
}

extension Volley.Answer {
    /// Expects this status, and says otherwise what was answered.
    fileprivate func expect(_ wanted: Int, _ comment: String = "", _ location: SourceLocation = #_sourceLocation) {
        #expect(status == wanted, "\(comment) \(words)", sourceLocation: location)
    }
}
