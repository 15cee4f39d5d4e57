import CountersignCore
import Crypto
import Foundation
import OneTimePassword
import TestSupport
import Testing

/// 600 users each send their one code eight times at once, over two pending sign-ins, to two processes on one PostgreSQL
/// database: it counts once for each of them.
@Suite(.enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
struct OneCodeTests {
    private static let people = 600
    private static let copies = 8
    /// Whose codes are under way together.
    private static let crowd = 100
    private static let password = "a quiet afternoon"
    private static let totp: TOTP? = try? TOTP(secret: secret)
    private static let secret = Array("12345678901234567890".utf8)

    @Test func `One code sent eight times at once counts once`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let arguments = ["--dev", "--database", database.url.reveal()]
        let first = try await ServerProcess(arguments, environment: Endurance.cheapHashes)
        let masterKey = first.dataDirectory.appendingPathComponent("master-key").path
        let second = try await ServerProcess(
            arguments + ["--master-key-file", masterKey], environment: Endurance.cheapHashes)
        let servers = [first.url, second.url]
        try await importAccounts(to: first)

        let begin = ContinuousClock.now
        var accepted = 0
        for start in stride(from: 0, to: Self.people, by: Self.crowd) {
            let numbers = Array(start..<min(start + Self.crowd, Self.people))
            let pending = try await Volley.fire(
                try numbers.flatMap { number in
                    try servers.map {
                        try Volley.Shot(
                            $0, "/v1/accounts:signInWithPassword?key=any",
                            ["email": email(number), "password": Self.password])
                    }
                })
            let credentials = try pending.map { try #require($0.text("mfaPendingCredential"), "\($0.words)") }
            var left = Array(numbers.indices)
            // A code that became too old on its way, on a machine that is slow, is sent again as another one.
            for attempt in 1...4 where !left.isEmpty {
                let code = try #require(Self.totp).code(at: Date()).stringCode
                let sent = ContinuousClock.now
                // Each of the two sign-ins goes to each of the two servers twice.
                let answers = try await Volley.fire(
                    try left.flatMap { place in
                        try (0..<Self.copies).map { copy in
                            try Volley.Shot(
                                servers[copy % 2], "/v2/accounts/mfaSignIn:finalize?key=any",
                                [
                                    "mfaPendingCredential": credentials[2 * place + copy / 2 % 2],
                                    "mfaEnrollmentId": factor(numbers[place]),
                                    "totpVerificationInfo": ["verificationCode": code],
                                ])
                        }
                    })
                let mayBeTooOld = ContinuousClock.now - sent > .seconds(25) && attempt < 4
                var late: [Int] = []
                for (turn, place) in left.enumerated() {
                    let number = numbers[place]
                    let own = answers[turn * Self.copies..<(turn + 1) * Self.copies]
                    let good = own.filter { $0.status == 200 }
                    #expect(own.allSatisfy { $0.status == 200 || $0.status == 400 }, "\(own.map(\.words))")
                    if good.isEmpty, mayBeTooOld {
                        late.append(place)
                        continue
                    }
                    #expect(good.count == 1, "\(email(number)): \(own.map(\.words))")
                    for answer in good { try expectToken(answer, of: number) }
                    accepted += good.count
                }
                left = late
            }
        }
        #expect(accepted == Self.people)
        let seconds = String(format: "%.1f s", (ContinuousClock.now - begin) / .seconds(1))
        Endurance.report(
            "\(Self.people) codes sent \(Self.copies) times each: \(accepted) counted, sign-ins included in \(seconds)")
    }

    private func expectToken(_ answer: Volley.Answer, of number: Int) throws {
        // `--dev` does not sign, so that the second part is all there is to see.
        let token = try #require(answer.text("idToken"))
        let claims = try #require(IDToken.claims(of: token))
        let firebase = claims["firebase"] as? [String: Any]
        #expect(claims["sub"] as? String == id(number))
        #expect(claims["email"] as? String == email(number))
        #expect(firebase?["sign_in_second_factor"] as? String == "totp")
        #expect(firebase?["second_factor_identifier"] as? String == factor(number))
    }

    /// Accounts with password and authenticator.
    private func importAccounts(to server: ServerProcess) async throws {
        let signerKey = Data("imported".utf8)
        let hash = Data(
            HMAC<SHA256>.authenticationCode(
                for: Data(Self.password.utf8), using: SymmetricKey(data: signerKey)))
        let users: [[String: Any]] = (0..<Self.people).map { number in
            [
                "localId": id(number), "email": email(number), "emailVerified": true,
                "passwordHash": hash.base64EncodedString(),
                "mfaInfo": [
                    [
                        "mfaEnrollmentId": factor(number), "displayName": "TOTP",
                        "totpInfo": ["sharedSecretKey": Base32.encode(Self.secret)],
                    ]
                ],
            ]
        }
        // In parts, so that each is one transaction's work on a slow machine too.
        for start in stride(from: 0, to: users.count, by: 100) {
            let part = Array(users[start..<min(start + 100, users.count)])
            let imported = try await server.post(
                "/v1/projects/countersign/accounts:batchCreate",
                ["hashAlgorithm": "HMAC_SHA256", "signerKey": signerKey.base64EncodedString(), "users": part],
                bearer: "owner")
            try #require(imported.status == 200 && imported.json["error"] == nil, "\(imported.json)")
        }
    }

    private func id(_ number: Int) -> String { "user\(number)" }
    private func email(_ number: Int) -> String { "user\(number)@example.com" }
    private func factor(_ number: Int) -> String { "factor\(number)" }
}
