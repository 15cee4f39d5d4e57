import CountersignCore
import DialectTestSupport
import Foundation
import OneTimePassword
import Testing

/// What happens at once (design, "Charge, judge, settle").
@Suite struct RaceTests {
    @Test func `One right code over two credentials signs in once`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credentials = [try await server.pendingCredential(person), try await server.pendingCredential(person)]
            let code = app.code(at: server.now)
            let replies = try await server.atOnce(20) { number in
                try await server.finishSignIn(
                    credentials[number % 2], app.enrollmentID, code: code, from: "198.51.100.\(number)")
            }
            #expect(replies.count { $0.status == 200 } == 1)
            for reply in replies where reply.status != 200 {
                #expect(reply.status == 400)
                #expect(
                    ["INVALID_CODE", "INVALID_PENDING_TOKEN", "QUOTA_EXCEEDED : Exceeded quota."]
                        .contains(reply.message), "\(reply.text)")
            }
        }
    }

    @Test func `Of fifty wrong codes at once five are looked at`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            var credentials: [String] = []
            for _ in 0..<10 { credentials.append(try await server.pendingCredential(person)) }
            let all = credentials
            let replies = try await server.atOnce(50) { number in
                try await server.finishSignIn(
                    all[number % 10], app.enrollmentID, code: app.wrongCode(at: server.now, number: number),
                    from: "198.51.100.\(number)")
            }
            #expect(replies.count { $0.message == "INVALID_CODE" } == 5)
            #expect(replies.count { $0.message == "QUOTA_EXCEEDED : Exceeded quota." } == 45)
            // The right one would not be looked at either.
            let right = try await server.finishSignIn(
                try await server.pendingCredential(person), app.enrollmentID, code: app.code(at: server.now))
            expectRefused(right, "QUOTA_EXCEEDED : Exceeded quota.", .status)
        }
    }

    @Test func `Of many codes of one enrolment three are looked at`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            let info = try await server.startEnrolment(person.idToken).json["totpSessionInfo"]
            let app = try AuthenticatorApp(base32: try #require(info["sharedSecretKey"].text))
            let session = try #require(info["sessionInfo"].text)
            let replies = try await server.atOnce(12) { number in
                try await server.finishEnrolment(
                    person.idToken, session: session, code: app.wrongCode(at: server.now, number: number))
            }
            #expect(replies.count { $0.message == "INVALID_CODE" } == 3)
            #expect(
                replies.count { $0.message == "TOO_MANY_ENROLLMENT_ATTEMPTS : restart enrollment" } == 9)
        }
    }

    @Test func `One session enrols one factor`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            var begun: [(session: String, code: String)] = []
            for _ in 0..<4 {
                let info = try await server.startEnrolment(person.idToken).json["totpSessionInfo"]
                let app = try AuthenticatorApp(base32: try #require(info["sharedSecretKey"].text))
                begun.append((try #require(info["sessionInfo"].text), app.code(at: server.now)))
            }
            let all = begun
            let replies = try await server.atOnce(12) { number in
                try await server.finishEnrolment(
                    person.idToken, session: all[number % 4].session, code: all[number % 4].code)
            }
            #expect(replies.count { $0.status == 200 } == 1)
            #expect(replies.allSatisfy { $0.status == 200 || $0.status == 400 })
            #expect(try await server.account(person.idToken)["mfaInfo"].elements.count == 1)
        }
    }

    @Test func `An address is given once`() async throws {
        try await TestServer.with { server in
            let replies = try await server.atOnce(10) { number in
                try await server.post(
                    "/v1/accounts:signUp",
                    ["email": "ada@example.com", "password": "correct horse number \(number)"])
            }
            #expect(replies.count { $0.status == 200 } == 1)
            #expect(replies.count { $0.message == "EMAIL_EXISTS" } == 9)
        }
    }

    @Test func `A link is followed once`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let code = try await server.link(["requestType": "PASSWORD_RESET", "email": .string(person.email)])
            let replies = try await server.atOnce(8) { number in
                try await server.post(
                    "/v1/accounts:resetPassword",
                    ["oobCode": .string(code), "newPassword": "correct horse number \(number)"])
            }
            #expect(replies.count { $0.status == 200 } == 1)
            #expect(replies.allSatisfy { $0.status == 200 || $0.message == "INVALID_OOB_CODE" })
        }
    }

    @Test func `A refresh asked for twice at once gives one successor`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let replies = try await server.atOnce(8) { _ in try await server.refresh(person.refreshToken) }
            #expect(replies.allSatisfy { $0.status == 200 })
            #expect(Set(replies.map { $0.json["refresh_token"] }).count == 1)
        }
    }

    @Test func `A factor is withdrawn once`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let replies = try await server.atOnce(6) { _ in
                try await server.withdraw(person.idToken, app.enrollmentID)
            }
            #expect(replies.count { $0.status == 200 } == 1)
            #expect(
                replies.allSatisfy {
                    $0.status == 200 || ["MFA_ENROLLMENT_NOT_FOUND", "TOKEN_EXPIRED"].contains($0.message)
                })
        }
    }
}

extension TestServer {
    /// Sends that many requests without waiting for one to be answered before the next.
    func atOnce(
        _ count: Int, _ request: @escaping @Sendable (Int) async throws -> Reply
    ) async throws -> [Reply] {
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for number in 0..<count { group.addTask { try await request(number) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
