import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import TestSupport
import Testing

@testable import CountersignServer

/// Applications are told that sessions ended (OpenID Connect Back-Channel Logout 1.0).
@Suite("Back-channel logout")
struct BackchannelLogoutTests {
    /// What ends a session.
    enum End: String, CaseIterable, Sendable {
        case signedOut, ended, grantEnded, consentRevoked, disabled, deleted, revoked, passwordChanged, passwordReset
        case factorsReset
    }

    private struct Stage: Sendable {
        let server: TestServer
        let service: ScriptedService
        let tokens: JSON
        let user: User
        let session: CountersignCore.Session

        var waiting: Int { get async throws { try await server.realm.outbox.waiting(for: .logout) } }

        /// Sends what is due; answers how many messages that were.
        func deliver() async throws -> Int {
            let senders = try server.countersign.senders()
            let sender = try #require(senders.first { $0.channel == .logout })
            let count = try await OutboxDelivery(realm: server.realm, sender: sender).deliverDue()
            for sender in senders { await sender.shutDown() }
            return count
        }

        func events(_ kind: AuditEvent.Kind) async throws -> [AuditEvent] {
            try await server.realm.auditLog.events(limit: 1000).filter { $0.kind == kind }
        }

        /// The logout token of a request.
        func token(_ index: Int = 0) throws -> JSON {
            let request = service.requests[index]
            #expect(request.line == "POST /logout?x=1 HTTP/1.1")
            #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(body.hasPrefix("logout_token="))
            return .string(String(body.dropFirst("logout_token=".count)))
        }

        func end(_ end: End) async throws {
            let realm = server.realm
            let by = ClientContext.testAdministrator
            switch end {
            case .signedOut: #expect(try await realm.sessions.signOut(session.id, of: user.id, by: by))
            case .ended: #expect(try await realm.sessions.end(session.id, of: user.id, by: by))
            case .grantEnded:
                let grants = try await realm.grants.list(of: user.id).filter { $0.dialect == .oauth }
                for grant in grants { #expect(try await realm.grants.end(grant.id, of: user.id, by: by)) }
            case .consentRevoked:
                #expect(try await realm.consents.revoke(ClientID(rawValue: "dev-native"), of: user.id, by: by))
            case .disabled: try await change { $0.isDisabled = true }
            case .deleted: #expect(try await realm.accounts.delete(user.id, by: by))
            case .revoked: try await change { $0.revokesTokensAt = server.now }
            case .passwordChanged: try await change { $0.password = Secret("another long password") }
            case .passwordReset:
                let asked = try await server.post(
                    "/v1/accounts:sendOobCode", ["requestType": "PASSWORD_RESET", "email": "ada@example.org"])
                #expect(asked.status == 200, "\(asked.text)")
                let inbox = try await server.send(.get, "/dev/inbox.json").json["messages"]
                guard case .array(let messages) = inbox, let link = messages.last?["payload"]["link"].text,
                    let code = link.split(separator: "oobCode=").last?.prefix(while: { $0 != "&" })
                else { throw Unexpected(what: "no mail") }
                let reply = try await server.post(
                    "/v1/accounts:resetPassword",
                    ["oobCode": .string(String(code)), "newPassword": "another long password"])
                #expect(reply.status == 200, "\(reply.text)")
            case .factorsReset:
                _ = try await server.authenticator(of: user)
                #expect(try await realm.enrolments.reset(of: user.id, by: by) == 1)
            }
        }

        private func change(_ change: (inout AccountChange) -> Void) async throws {
            var account = AccountChange()
            change(&account)
            guard case .changed = try await server.realm.accounts.change(user.id, account, by: .testAdministrator)
            else {
                throw Unexpected(what: "refused")
            }
        }
    }

    private func with(
        _ script: @escaping ScriptedService.Script = { _ in [.send(ScriptedService.answer(200, "", type: nil))] },
        _ body: @Sendable @escaping (Stage) async throws -> Void
    ) async throws {
        let service = try ScriptedService(script)
        defer { service.stop() }
        try await TestServer.with(.development) { server in
            let address = "http://127.0.0.1:\(service.port)/logout?x=1"
            let signedIn = try await server.userInBrowser { $0.oauth.backchannelLogoutURI = address }
            var browser = signedIn.browser
            let reply = try await server.redeem(browser.code())
            #expect(reply.status == 200, "\(reply.text)")
            let stage = Stage(
                server: server, service: service, tokens: reply.json,
                user: try #require(await server.realm.accounts.user(signedIn.id)),
                session: try #require(browser.session))
            #expect(try await stage.waiting == 0)
            try await body(stage)
        }
    }

    @Test(arguments: End.allCases)
    func `Whatever ends a session, its application is told once`(end: End) async throws {
        try await with { stage in
            try await stage.end(end)
            #expect(try await stage.waiting == 1)
            #expect(try await stage.deliver() == 1)
            #expect(try await stage.waiting == 0)
            #expect(stage.service.requests.count == 1)
            let token = try stage.token()
            #expect(token.header["typ"] == "logout+jwt" && token.header["kid"].text != nil)
            let claims = token.claims
            #expect(claims["iss"] == "http://127.0.0.1:8080" && claims["aud"] == "dev-native")
            #expect(claims["sub"].text == stage.user.id.rawValue)
            #expect(claims["sid"] == stage.tokens["id_token"].claims["sid"])
            #expect(claims["events"] == ["http://schemas.openid.net/event/backchannel-logout": [:]])
            #expect(claims["nonce"] == .null && claims["jti"].text?.isEmpty == false)
            #expect((claims["exp"].int ?? 0) - (claims["iat"].int ?? 0) == 120)
            let sent = try await stage.events(.logoutSent)
            #expect(sent.count == 1 && sent.first?.details["application"] == .string("dev-native"))
            #expect(sent.first?.userID == stage.user.id)
        }
    }

    @Test
    func `All sessions of a disabled user end, each with a message, and none comes back`() async throws {
        try await with { stage in
            var tokens = [stage.tokens]
            for _ in 0..<3 {
                var browser = Browser(stage.server)
                try await browser.signIn()
                for _ in 0..<2 { tokens.append(try await stage.server.redeem(browser.code()).json) }
            }
            try await stage.end(.disabled)
            #expect(try await stage.waiting == 4)
            var change = AccountChange()
            change.isDisabled = false
            _ = try await stage.server.realm.accounts.change(stage.user.id, change, by: .testAdministrator)
            for one in tokens {
                #expect(try await stage.server.refresh(one["refresh_token"]).json["error"] == "invalid_grant")
                #expect(try await stage.server.userInfo(one["access_token"]).status == 401)
            }
        }
    }

    @Test(arguments: [End.disabled, .deleted, .revoked])
    func `An application of a user with very many sessions is told of the user, once, and none is forgotten`(
        end: End
    ) async throws {
        try await with { stage in
            let (user, session, now) = (stage.user, stage.session, stage.server.now)
            // The application's own grant is the oldest of all; the others are of one that is not told.
            try await stage.server.realm.store.write { transaction in
                for number in 0..<600 {
                    _ = try transaction.insert(
                        Grant(
                            id: GrantID(rawValue: "busy \(number)"), sessionID: session.id, userID: user.id,
                            clientID: ClientID(rawValue: "dev-web"), dialect: .oauth, createdAt: now + 1,
                            expiresAt: now + 86_400, refresh: RefreshTokenState(currentDigest: Data())))
                }
            }
            try await stage.end(end)
            #expect(try await stage.waiting == 1)
            #expect(try await stage.deliver() == 1)
            let claims = try stage.token().claims
            #expect(claims["sub"].text == user.id.rawValue && claims["sid"] == .null && claims["aud"] == "dev-native")
            #expect(claims["events"] == ["http://schemas.openid.net/event/backchannel-logout": [:]])
            let sent = try await stage.events(.logoutSent)
            #expect(sent.count == 1 && sent.first?.userID == user.id && sent.first?.details["session"] == nil)
        }
    }

    @Test
    func `The oldest application of a session is told of its end, however many grants came after`() async throws {
        try await with { stage in
            let (user, session, now) = (stage.user, stage.session, stage.server.now)
            try await stage.server.realm.store.write { transaction in
                for number in 0..<1100 {
                    _ = try transaction.insert(
                        Grant(
                            id: GrantID(rawValue: "busy \(number)"), sessionID: session.id, userID: user.id,
                            clientID: ClientID(rawValue: "dev-web"), dialect: .oauth, createdAt: now + 1,
                            expiresAt: now + 86_400, refresh: RefreshTokenState(currentDigest: Data())))
                }
            }
            try await stage.end(.signedOut)
            #expect(try await stage.waiting == 1)
            #expect(try await stage.deliver() == 1)
            #expect(try stage.token().claims["sid"].text == session.id.rawValue)
        }
    }

    @Test
    func `A logout token is verified by our keys, and is no other kind of token`() async throws {
        try await with { stage in
            try await stage.end(.signedOut)
            _ = try await stage.deliver()
            let text = try #require(try stage.token().text)
            var expectation = TokenExpectation(
                types: [.logout], issuers: .oneOf(["http://127.0.0.1:8080"]), audiences: .oneOf(["dev-native"]))
            #expect(try await stage.server.realm.tokens.verify(text, expecting: expectation).token != nil)
            expectation.types = [.jwt, .accessToken, .untyped]
            #expect(try await stage.server.realm.tokens.verify(text, expecting: expectation).token == nil)
            #expect(try await stage.server.userInfo(.string(text)).status == 401)
            var browser = Browser(stage.server)
            let hinted = try await browser.authorize("dev-native", ["id_token_hint": text])
            #expect(hinted.answer["error"] == "invalid_request", "A logout token is no ID token.")
        }
    }

    @Test
    func `Applications without an address, without a grant or with a grant that is over are not told`() async throws {
        try await with { stage in
            var browser = Browser(stage.server)
            try await browser.signIn()
            #expect(
                try await stage.server.realm.sessions.signOut(
                    try #require(browser.session).id, of: stage.user.id, by: .testAdministrator))
            #expect(try await stage.waiting == 0, "That session has no grant.")
        }
        try await with { stage in
            _ = try await stage.server.realm.applications.change(
                ClientID(rawValue: "dev-native"), by: .testAdministrator
            ) { $0.oauth.backchannelLogoutURI = nil }
            try await stage.end(.ended)
            #expect(try await stage.waiting == 0)
        }
    }

    /// What ends a grant by what its application does.
    enum OwnEnd: CaseIterable, Sendable { case givenBack, refreshedTwice, redeemedTwice }

    @Test(arguments: OwnEnd.allCases, [End.signedOut, .ended, .disabled, .passwordChanged])
    func `An application whose grant ended by what it did is told of the session's end, and not before`(
        own: OwnEnd, end: End
    ) async throws {
        try await with { stage in
            let server = stage.server
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code()
            let tokens = try await server.redeem(code)
            #expect(tokens.status == 200, "\(tokens.text)")
            let session = try #require(browser.session)
            // The other browser's session is out of the way.
            #expect(try await server.realm.sessions.end(stage.session.id, of: stage.user.id, by: .testAdministrator))
            #expect(try await stage.deliver() == 1)
            let refresh = [
                "grant_type": "refresh_token", "refresh_token": tokens.json["refresh_token"].text ?? "",
                "client_id": "dev-native",
            ]
            switch own {
            case .givenBack:
                let token = tokens.json["refresh_token"].text ?? ""
                #expect(
                    try await server.form("/oauth/revoke", ["token": token, "client_id": "dev-native"]).status == 200)
            case .refreshedTwice:
                #expect(try await server.form("/oauth/token", refresh).status == 200)
                try await server.advance(60)
                #expect(try await server.form("/oauth/token", refresh).json["error"] == "invalid_grant")
            case .redeemedTwice:
                #expect(try await server.redeem(code).json["error"] == "invalid_grant")
            }
            #expect(try await server.form("/oauth/token", refresh).json["error"] == "invalid_grant", "It ended.")
            #expect(try await stage.waiting == 0, "That is no news.")
            let ending = Stage(
                server: server, service: stage.service, tokens: tokens.json, user: stage.user, session: session)
            try await ending.end(end)
            #expect(try await stage.waiting == 1)
            #expect(try await stage.deliver() == 1)
            #expect(try stage.token(1).claims["sid"].text == session.id.rawValue)
        }
    }

    @Test
    func `Two grants of one application in one session are one message, and a step-up is none`() async throws {
        try await with { stage in
            var browser = Browser(stage.server)
            try await browser.signIn()
            let session = try #require(browser.session)
            for _ in 0..<2 { _ = try await stage.server.redeem(browser.code()) }
            // Signing in anew in the same browser raises the session.
            let again = Browser(stage.server)
            let proving = try await again.proof()
            #expect(try await stage.server.realm.sessions.raise(session, by: proving) != nil)
            #expect(try await stage.waiting == 0)
            #expect(try await stage.server.realm.sessions.end(session.id, of: stage.user.id, by: .testAdministrator))
            #expect(try await stage.waiting == 1)
            // The other browser's session goes on, and is told of when it ends.
            try await stage.end(.revoked)
            #expect(try await stage.waiting == 2)
        }
    }

    @Test
    func `An application that is away for a while is told when it is back, with a token of then`() async throws {
        try await with({ _ in [.send(ScriptedService.answer(503, ""))] }) { stage in
            try await stage.end(.signedOut)
            #expect(try await stage.deliver() == 1)
            #expect(try await stage.deliver() == 0, "not at once")
            #expect(try await stage.waiting == 1)
            try await stage.server.advance(61)
            #expect(try await stage.deliver() == 1)
            try await stage.server.advance(61)
            stage.service.answers { _ in [.send(ScriptedService.answer(204, "", type: nil))] }
            try await stage.server.advance(61)
            #expect(try await stage.deliver() == 1)
            #expect(try await stage.waiting == 0)
            let (first, last) = (try stage.token(0).claims, try stage.token(2).claims)
            #expect(first["jti"] != last["jti"])
            #expect((last["iat"].int ?? 0) >= (first["iat"].int ?? 0) + 183)
        }
    }

    @Test
    func `After seven attempts in an hour it is over, and the log says so`() async throws {
        try await with({ _ in [.send(ScriptedService.answer(404, ""))] }) { stage in
            try await stage.end(.signedOut)
            var attempts = 0
            for _ in 0..<12 {
                attempts += try await stage.deliver()
                try await stage.server.advance(1921)
            }
            // Pauses of 1, 2, 4, 8, 16 and 32 minutes; each is over when it is looked at.
            #expect(attempts <= 7 && attempts >= 4)
            #expect(try await stage.waiting == 0)
            let failed = try await stage.events(.logoutFailed)
            #expect(failed.count == 1)
            #expect(["status-404", "expired"].contains(failed.first?.reason ?? ""))
        }
    }

    @Test
    func `A token that the application refuses is not sent again, and a redirect is not followed`() async throws {
        try await with({ _ in [.send(ScriptedService.answer(400, #"{"error":"invalid_request"}"#))] }) { stage in
            try await stage.end(.signedOut)
            #expect(try await stage.deliver() == 1)
            #expect(try await stage.waiting == 0)
            #expect(try await stage.events(.logoutFailed).first?.reason == "status-400")
        }
        let other = try ScriptedService(ScriptedService.json("{}"))
        defer { other.stop() }
        let port = other.port
        try await with({ _ in
            [.send(ScriptedService.answer(307, "", headers: ["Location: http://127.0.0.1:\(port)/"]))]
        }) { stage in
            try await stage.end(.signedOut)
            #expect(try await stage.deliver() == 1)
            #expect(try await stage.waiting == 1)
        }
        #expect(other.requests.isEmpty)
    }

    @Test
    func `An address of the local network is not connected to`() async throws {
        try await with { stage in
            _ = try await stage.server.realm.applications.change(
                ClientID(rawValue: "dev-native"), by: .testAdministrator
            ) { $0.oauth.backchannelLogoutURI = "https://169.254.169.254/latest" }
            try await stage.end(.signedOut)
            #expect(try await stage.deliver() == 1)
            #expect(try await stage.events(.logoutFailed).first?.reason == "address-refused")
        }
    }

    @Test
    func `The inbox of development shows people's messages alone`() async throws {
        try await with { stage in
            try await stage.end(.signedOut)
            let inbox = try await stage.server.send(.get, "/dev/inbox.json")
            #expect(inbox.status == 200)
            #expect(!inbox.text.contains("backchannel-logout"))
        }
    }

    @Test
    func `The metadata says what there is`() async throws {
        try await TestServer.with { server in
            let metadata = try await server.send(.get, "/.well-known/openid-configuration").json
            #expect(metadata["backchannel_logout_supported"] == true)
            #expect(metadata["backchannel_logout_session_supported"] == true)
        }
    }
}

extension Browser {
    /// A sign-in that is no session of a browser yet.
    func proof(_ email: String = "ada@example.org") async throws -> SignedIn {
        let client = ClientContext(
            clientID: ClientID(rawValue: "dev-native"), dialect: .oauth, limitedSource: nil, source: "192.0.2.9")
        let address = try #require(EmailAddress(email))
        let verdict = try await server.realm.authenticator.answer(
            .password(Secret(TestServer.password)),
            to: .opening(FlowOpening(subject: .email(address), terms: GrantTerms())), by: client)
        guard case .accomplished(.signedIn(let signedIn)) = verdict else { throw Unexpected(what: "\(verdict)") }
        return signedIn
    }

    /// The same with password and authenticator.
    func proof(with totp: TOTP, _ email: String = "ada@example.org") async throws -> SignedIn {
        let client = ClientContext(
            clientID: ClientID(rawValue: "dev-native"), dialect: .oauth, limitedSource: nil, source: "192.0.2.9")
        let address = try #require(EmailAddress(email))
        let first = try await server.realm.authenticator.answer(
            .password(Secret(TestServer.password)),
            to: .opening(FlowOpening(subject: .email(address), terms: GrantTerms())), by: client)
        guard case .more(let more) = first else { throw Unexpected(what: "\(first)") }
        let verdict = try await server.realm.authenticator.answer(
            .code(Secret(totp.code(at: server.now).stringCode), factor: nil),
            to: .flow(more.handle, FlowExpectation([.signIn], at: [.secondFactor], of: [.dialect(.oauth)])), by: client)
        guard case .accomplished(.signedIn(let signedIn)) = verdict else { throw Unexpected(what: "\(verdict)") }
        return signedIn
    }
}
