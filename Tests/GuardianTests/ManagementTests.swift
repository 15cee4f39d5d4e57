import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

@Suite("Guardian's Management API")
struct ManagementTests {
    @Test
    func `Only the administrator gets in`() async throws {
        try await TestServer.with { server in
            for token in [nil, "Bearer wrong", "Bearer owner"] {
                var headers: HTTPFields = [:]
                headers[.authorization] = token
                expectRefused(
                    try await server.send(.get, "/api/v2/guardian/factors", headers: headers), 401, "invalid_token")
            }
        }
    }

    @Test
    func `Factors go off and on, and off means that no user is asked`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let mfaToken = try await server.mfaToken()
            let off = try await server.management(
                .put, "guardian/factors/push-notification", ["enabled": false])
            #expect(off.status == 200 && off.json == ["enabled": false])
            let listed = try await server.management(.get, "guardian/factors").json
            #expect(listed.elements.first { $0["name"] == "push-notification" }?["enabled"] == false)
            #expect(listed.elements.count == 8)
            let transaction = try #require(
                await server.browser("start-flow", bearer: mfaToken).json["transaction_token"].text)
            expectRefused(
                try await server.browser("send-push-notification", bearer: transaction), 403, "feature_disabled")
            #expect(device.id.hasPrefix("dev_"))
            #expect(
                try await server.management(.put, "guardian/factors/push-notification", ["enabled": true]).status == 200
            )
            #expect(try await server.browser("send-push-notification", bearer: transaction).status == 204)

            #expect(try await server.management(.put, "guardian/factors/otp", ["enabled": false]).status == 200)
            let second = try await server.enrolled(of: server.addUser("bob@example.org"))
            #expect(second.answer["totp"] == .null && second.answer.names.contains("recovery_code"))
            expectRefused(
                try await server.management(.put, "guardian/factors/sms", ["enabled": true]), 400, "feature_disabled")
            #expect(try await server.management(.put, "guardian/factors/sms", ["enabled": false]).status == 200)
            expectRefused(
                try await server.management(.put, "guardian/factors/none", ["enabled": true]), 404, "not_found")
            expectRefused(try await server.management(.put, "guardian/factors/otp", [:]), 400, "invalid_body")
        }
    }

    @Test
    func `Enrolments are listed, shown and removed; a reset removes all`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let path = "users/\(user.replacingOccurrences(of: "|", with: "%7C"))"
            let first = try await server.enrolled(of: user)
            let second = try await server.enrolled(of: user)
            let listed = try await server.management(.get, "\(path)/enrollments").json
            #expect(Set(listed.elements.compactMap { $0["id"].text }) == [first.id, second.id])
            let shown = try await server.management(.get, "guardian/enrollments/\(first.id)").json
            expectGolden(
                shown,
                [
                    "id": .string(first.id), "status": "confirmed", "type": "pn", "auth_method": "guardian",
                    "name": "Ada's iPhone", "identifier": .string(first.phone.identifier),
                    "enrolled_at": "2026-09-24T10:11:12.123Z",
                ])
            let code = try await server.management(.post, "\(path)/recovery-code-regeneration")
            #expect(code.json["recovery_code"].text?.count == 24)
            #expect(try await server.management(.delete, "guardian/enrollments/\(first.id)").status == 204)
            expectRefused(
                try await server.management(.get, "guardian/enrollments/\(first.id)"), 404, "enrollment_not_found")
            #expect(try await server.management(.delete, "\(path)/authenticators").status == 204)
            #expect(try await server.management(.get, "\(path)/enrollments").json == [])
            expectRefused(
                try await server.management(.post, "\(path)/recovery-code-regeneration"), 404, "enrollment_not_found")
            expectRefused(
                try await server.management(.get, "users/auth0%7Cnobody/enrollments"), 404, "inexistent_user")
            expectRefused(try await server.management(.get, "users/nobody/enrollments"), 404, "inexistent_user")
            #expect(try await server.passwordGrant().status == 200)
        }
    }

    @Test
    func `Users are made once`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            #expect(user.hasPrefix("auth0|"))
            expectRefused(
                try await server.management(.post, "users", ["email": "ada@example.org", "password": "long enough!"]),
                409, "auth0_idp_error")
            expectRefused(
                try await server.management(.post, "users", ["email": "eve@example.org", "password": "x"]), 400,
                "invalid_body")
            expectRefused(try await server.management(.post, "users", ["email": "no address"]), 400, "invalid_body")
        }
    }

    @Test
    func `The log is searched by type and user, and paged`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            _ = try await server.enrolled(of: user)
            let complete = try await server.management(.get, "logs?q=type:gd_enrollment_complete").json
            #expect(complete.elements.count == 1 && complete[0]["tenant_name"] == "countersign")
            let all = try await server.management(.get, "logs?per_page=100").json.elements
            #expect(all.count == 2)
            let second = try await server.management(.get, "logs?per_page=1&page=1").json
            #expect(second.elements == [all[1]])
            let one = try await server.management(.get, "logs/\(all[0]["log_id"].text ?? "")").json
            #expect(one == all[0])
            let nobody = try await server.management(.get, "logs?q=user_id:%22auth0%7Cnobody%22").json
            #expect(nobody == [])
            expectRefused(try await server.management(.get, "logs?q=everything"), 400, "invalid_query_string")
            expectRefused(try await server.management(.get, "logs?per_page=0"), 400, "invalid_query_string")
            expectRefused(try await server.management(.get, "logs/none"), 404, "not_found")
        }
    }
}
