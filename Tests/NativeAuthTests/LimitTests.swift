import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import Testing

@Suite("Limits of native authentication")
struct LimitTests {
    @Test
    func `A code has eight digits`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account(password: nil)
            for _ in 0..<20 {
                let code = try await client.signInByCode().code
                #expect(code.utf8.count == 8 && code.utf8.allSatisfy { (48...57).contains($0) })
            }
        }
    }

    @Test
    func `A code lives ten minutes, its flow fifteen`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account(password: nil)
            let young = try await client.signInByCode()
            let old = try await client.signInByCode()
            server.clock.advance(599)
            let inTime = try await client.token(.oob, ["continuation_token": young.token, "oob": young.code])
            #expect(inTime.status == 200, "\(inTime.text)")
            server.clock.advance(1)
            let late = try await client.token(.oob, ["continuation_token": old.token, "oob": old.code])
            expectRefused(late, "invalid_grant", "invalid_oob_value")
            // The flow is as it was, and another code can be had.
            let again = try await client.post(.challenge, ["continuation_token": old.token])
            let code = try await client.codes().last
            let tokens = try await client.token(.oob, ["continuation_token": again.token, "oob": code])
            #expect(tokens.status == 200, "\(tokens.text)")

            let third = try await client.signInByCode()
            server.clock.advance(900)
            for fields in [["oob": third.code], ["oob": "1"]] {
                let reply = try await client.token(
                    .oob, fields.merging(["continuation_token": third.token]) { $1 }.mapValues { $0 })
                expectRefused(reply, "expired_token", number: 552_003)
            }
            expectRefused(try await client.post(.challenge, ["continuation_token": third.token]), "expired_token")
        }
    }

    @Test
    func `Five wrong answers end a code; another has five of its own; ten end the flow`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account(password: nil)
            let (token, first) = try await client.signInByCode()
            func answer(_ code: String?) async throws -> Reply {
                try await client.token(.oob, ["continuation_token": token, "oob": code])
            }
            for _ in 0..<5 { expectRefused(try await answer("0"), "invalid_grant", "invalid_oob_value") }
            let dead = try await answer(first)
            expectRefused(dead, "invalid_grant", "invalid_oob_value")
            #expect(dead.json["error_description"].text?.contains("Ask for another") == true)
            _ = try await client.post(.challenge, ["continuation_token": token])
            for _ in 0..<5 { expectRefused(try await answer("0"), "invalid_grant", "invalid_oob_value") }
            expectRefused(try await client.post(.challenge, ["continuation_token": token]), "expired_token")
            expectRefused(try await answer(client.codes().last), "expired_token", number: 552_003)
        }
    }

    @Test
    func `The fifth answer may be right`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account(password: nil)
            let (token, code) = try await client.signInByCode()
            for _ in 0..<4 { _ = try await client.token(.oob, ["continuation_token": token, "oob": "0"]) }
            let reply = try await client.token(.oob, ["continuation_token": token, "oob": code])
            #expect(reply.status == 200, "\(reply.text)")
        }
    }

    @Test
    func `A code is good once, and in its own flow alone`() async throws {
        try await TestServer.with { server in
            var client = try await server.application()
            // A client that does not name its requests: none can be taken for a repetition.
            client.requestID = nil
            try await server.account(password: nil)
            let first = try await client.signInByCode()
            let second = try await client.signInByCode()
            let crossed = try await client.token(.oob, ["continuation_token": second.token, "oob": first.code])
            expectRefused(crossed, "invalid_grant", "invalid_oob_value")
            let right = try await client.token(.oob, ["continuation_token": first.token, "oob": first.code])
            #expect(right.status == 200, "\(right.text)")
            let again = try await client.token(.oob, ["continuation_token": first.token, "oob": first.code])
            expectRefused(again, "invalid_grant", number: 55200)
        }
    }

    @Test
    func `Fifty codes sent at once are looked at five times, fifty passwords ten times`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account(password: nil)
            try await server.account("grace@example.org")
            let (token, code) = try await client.signInByCode()
            let begun = try await client.initiate("grace@example.org")
            func fire(_ fields: @escaping @Sendable (Int) -> (GrantType, [String: String?])) async throws -> [Reply] {
                try await withThrowingTaskGroup(of: Reply.self) { group in
                    for index in 0..<50 {
                        group.addTask {
                            let (grant, fields) = fields(index)
                            return try await client.token(grant, fields)
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            let wrong = try await fire { (.oob, ["continuation_token": token, "oob": "\($0)"]) }
            let looked = wrong.count { $0.json["error_description"].text?.contains("The code is wrong") == true }
            #expect(looked == 5, "\(looked)")
            let dead = try await client.token(.oob, ["continuation_token": token, "oob": code])
            #expect(dead.status == 400)
            let passwords = try await fire {
                (.password, ["continuation_token": begun.token, "password": "wrong \($0)"])
            }
            #expect(passwords.count { $0.number == 50126 } == 10)
        }
    }

    @Test
    func `One right code sent twenty times at once opens one session`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let user = try await server.account(password: nil)
            let (token, code) = try await client.signInByCode()
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await client.token(.oob, ["continuation_token": token, "oob": code]) }
                }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            let tokens = Set(replies.compactMap { $0.json["refresh_token"].text })
            #expect(tokens.count == 1)
            let sessions = try await server.realm.store.read { try $0.sessions(of: user.id, limit: 100) }
            #expect(sessions.count == 1)
        }
    }

    @Test
    func `A source or an address that asks too often is told to wait, with status 400`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account(password: nil)
            let begun = try await client.initiate()
            var last: Reply?
            for _ in 0..<21 {
                var client = client
                client.requestID = nil
                last = try await client.post(.challenge, ["continuation_token": begun.token])
            }
            let reply = try #require(last)
            expectRefused(reply, "access_denied", "provider_blocked_by_rep", number: 550_024)
            #expect(Int(reply.headers[.retryAfter] ?? "") ?? 0 > 0)
            #expect(try await client.codes().count == 20)
        }
    }

    @Test
    func `A source begins six hundred sign-ins and resets in ten minutes, of whomever, and no row comes of more`()
        async throws
    {
        try await TestServer.with { server in
            // Also where the answer is that there is no such user.
            let (client, open) = (try await server.application(), try await server.application(reveals: true))
            let now = server.now
            try await server.realm.store.write {
                try $0.put(AttemptCounter(key: "attempts/192.0.2.1", count: 598, since: now))
            }
            expectRefused(try await open.initiate("nobody@example.org"), "user_not_found")
            let reset: [String: String?] = ["username": "nobody@example.org", "challenge_type": "oob redirect"]
            #expect(try await client.post(.resetPasswordStart, reset).status == 200)
            for reply in [
                try await client.initiate(), try await open.initiate("nobody@example.org"),
                try await client.post(.resetPasswordStart, reset),
            ] {
                expectRefused(reply, "invalid_request", number: 90_055)
                #expect((1...600).contains(Int(reply.headers[.retryAfter] ?? "") ?? 0))
            }
            var other = client
            other.from = "192.0.2.2"
            #expect(try await other.initiate().status == 200)
            server.clock.advance(600)
            #expect(try await client.initiate().status == 200)
        }
    }

    @Test
    func `A flow is of the application that began it`() async throws {
        try await TestServer.with { server in
            let (client, other) = (try await server.application(), try await server.application())
            try await server.account(password: nil)
            let (token, code) = try await client.signInByCode()
            let stolen = try await other.token(.oob, ["continuation_token": token, "oob": code])
            expectRefused(stolen, "invalid_grant", number: 55200)
            let own = try await client.token(.oob, ["continuation_token": token, "oob": code])
            #expect(own.status == 200, "\(own.text)")
        }
    }

    @Test
    func `A disabled account, and one whose tokens were revoked meanwhile, are refused`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let user = try await server.account(password: nil)
            let (token, code) = try await client.signInByCode()
            var change = AccountChange()
            change.isDisabled = true
            _ = try await server.realm.accounts.change(user.id, change, by: .testAdministrator)
            let disabled = try await client.token(.oob, ["continuation_token": token, "oob": code])
            expectRefused(disabled, "invalid_grant", number: 50057)
            change.isDisabled = false
            change.revokesTokensAt = server.now
            _ = try await server.realm.accounts.change(user.id, change, by: .testAdministrator)
            let revoked = try await client.token(.oob, ["continuation_token": token, "oob": code])
            expectRefused(revoked, "expired_token")
        }
    }
}
