import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import ServerHTTP
import Testing

@Suite("Guardian's invitations and their page")
struct InvitationTests {
    private func ticket(_ server: TestServer, _ members: [String: JSON?] = [:]) async throws -> Reply {
        try await server.management(.post, "guardian/enrollments/ticket", JSON.object([:]).with(members))
    }

    private func open(_ server: TestServer, _ path: String) async throws -> Reply {
        try await server.send(.get, path)
    }

    private func submit(_ server: TestServer, _ form: [String: String]) async throws -> Reply {
        var components = URLComponents()
        components.queryItems = form.map { URLQueryItem(name: $0.key, value: $0.value) }
        return try await server.send(
            .post, "/guardian/enroll", headers: [.contentType: "application/x-www-form-urlencoded"],
            body: Array((components.percentEncodedQuery ?? "").utf8))
    }

    /// Presses the button of a page: answers the page that it leads to, and its address.
    private func begin(_ server: TestServer, _ ticket: String, _ method: String) async throws -> (String, Reply) {
        let begun = try await submit(server, ["ticket": ticket, "method": method])
        #expect(begun.status == 303, "\(begun.text)")
        let location = try #require(begun.headers[.location])
        return (location, try await open(server, location))
    }

    private func item(_ name: String, of location: String) throws -> String {
        try #require(URLComponents(string: location)?.queryItems?.first { $0.name == name }?.value)
    }

    private func expectPage(
        _ reply: Reply, _ status: Int, _ words: String, waits: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(reply.status == status, "\(reply.text)", sourceLocation: sourceLocation)
        #expect(reply.text.contains(words), "\(reply.text)", sourceLocation: sourceLocation)
        #expect(reply.headers[.contentType] == "text/html; charset=utf-8", sourceLocation: sourceLocation)
        #expect(reply.headers[.cacheControl] == "no-store", sourceLocation: sourceLocation)
        #expect(reply.headers[.known("Referrer-Policy")] == "no-referrer", sourceLocation: sourceLocation)
        #expect(reply.headers[.known("X-Frame-Options")] == "DENY", sourceLocation: sourceLocation)
        let policy = reply.headers[.known("Content-Security-Policy")] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        // A page that waits does so by a script of this server's, and no other page has one.
        #expect(policy.contains("script-src 'self';") == waits, "\(policy)", sourceLocation: sourceLocation)
        #expect(reply.text.contains("<script") == waits, sourceLocation: sourceLocation)
        #expect(!reply.text.contains("<script>"), sourceLocation: sourceLocation)
    }

    /// The link of the page's QR code, which is the same as on the button for the phone itself.
    private func uri(_ page: Reply) throws -> String {
        let match = try #require(page.text.firstMatch(of: /href="(otpauth:[^"]*)"/))
        return String(match.1).replacingOccurrences(of: "&amp;", with: "&")
    }

    // MARK: Tickets

    @Test
    func `A ticket by mail goes to the user, or elsewhere, in the language that was said`() async throws {
        try await TestServer.with(.development) { server in
            let reply = try await server.management(
                .post, "users", ["email": "ada@example.org", "password": "analytical engine", "email_verified": true])
            let user = try #require(reply.json["user_id"].text)
            func mails() async throws -> [JSON] {
                try await server.get("/dev/inbox.json").json["messages"].elements
            }
            _ = try await ticket(server, ["user_id": .string(user)])
            #expect(try await mails().isEmpty)
            let sent = try await ticket(
                server,
                ["user_id": .string(user), "send_mail": true, "email_locale": "de_DE", "factor": "push-notification"])
            #expect(sent.status == 201, "\(sent.text)")
            let mail = try #require(await mails().last)
            #expect(mail["to"] == "ada@example.org" && mail["kind"] == "email")
            let url = try #require(sent.json["ticket_url"].text)
            #expect(mail["text"].text?.contains("\n\(url)&lang=de-DE\n") == true, "\(mail)")
            #expect(try await server.realm.outbox.messages().last?.content.locale == "de-DE")
            server.clock.advance(1)
            _ = try await ticket(
                server, ["user_id": .string(user), "send_mail": true, "email": "desk@example.org"])
            #expect(try await mails().last?["to"] == "desk@example.org")
            for wrong: [String: JSON?] in [
                ["email": "no address"], ["email_locale": "de\r\nBcc: x"], ["email_locale": ""],
                ["send_mail": "perhaps"], ["user_id": "x"], ["allow_multiple_enrollments": "perhaps"],
            ] {
                expectRefused(
                    try await ticket(
                        server, ["user_id": .string(user), "send_mail": true].merging(wrong) { $1 }), 400,
                    "invalid_body")
            }
            for factor in ["phone", "email", "webauthn-roaming", "webauthn-platform", "magic"] {
                expectRefused(
                    try await ticket(server, ["user_id": .string(user), "factor": .string(factor)]), 400,
                    "feature_disabled")
            }
            #expect(try await mails().count == 2)
        }
    }

    @Test(
        arguments: [
            ("de", "Schützen Sie Ihr Konto", "Scannen Sie diesen Code", "Fehler: "),
            ("ja", "アカウントを保護する", "このコードをスキャンしてください", "エラー: "),
            ("en", "Protect your account", "Scan this code", "Error: "),
        ])
    func `The page speaks the language of the mail, and ties a refused code to its field`(
        lang: String, title: String, scan: String, error: String
    ) async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let invited = try #require(
                try await ticket(server, ["user_id": .string(user), "factor": "otp"]).json["ticket_id"].text)
            expectPage(
                try await open(server, "/guardian/enroll?ticket=\(invited)&lang=\(lang)-XX"), 200, "<h1>\(title)</h1>")
            let begun = try await submit(server, ["ticket": invited, "method": "otp", "lang": lang])
            let location = try #require(begun.headers[.location])
            let page = try await open(server, location)
            expectPage(page, 200, "<h1>\(scan)</h1>")
            #expect(page.text.contains("<html lang=\"\(lang)\" dir=\"ltr\">") && !page.text.contains("aria-invalid"))
            #expect(page.text.components(separatedBy: "name=\"lang\" value=\"\(lang)\"").count == 2, "\(page.text)")
            let wrong = try await submit(
                server,
                ["ticket": invited, "enrollment": try item("enrollment", of: location), "code": "000000", "lang": lang])
            expectPage(wrong, 422, "<title>\(error)\(scan) – ")
            #expect(wrong.text.contains("aria-invalid=\"true\" aria-describedby=\"problem\""))
        }
    }

    @Test
    func `Without allow_multiple_enrollments only a user without factors is invited`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let first = try await ticket(
                server, ["user_id": .string(user), "allow_multiple_enrollments": false])
            let early = try #require(first.json["ticket_id"].text)
            _ = try await server.enrolled(of: user)
            expectRefused(
                try await ticket(server, ["user_id": .string(user), "allow_multiple_enrollments": false]), 409,
                "enrollment_conflict")
            expectRefused(try await server.enroll(Phone(), ticket: early), 409, "enrollment_conflict")
            expectPage(try await submit(server, ["ticket": early]), 409, "There is one already")
            #expect(
                try await ticket(server, ["user_id": .string(user), "allow_multiple_enrollments": true]).status == 201)
        }
    }

    @Test
    func `A ticket for codes is no ticket for a device; in the browser its first code confirms it`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let reply = try await ticket(server, ["user_id": .string(user), "factor": "otp"])
            let id = try #require(reply.json["ticket_id"].text)
            expectRefused(try await server.enroll(Phone(), ticket: id), 403, "feature_disabled")
            let started = try await server.send(
                .post, "/api/start-flow", headers: [.authorization: "Ticket id=\"\(id)\""])
            #expect(started.json["available_enrollment_methods"] == ["otp"], "\(started.text)")
            let uri = try OTPAuthURI(parsing: #require(started.json["enrollment_uri"].text))
            #expect(uri.extraParameters.isEmpty && uri.issuer == "countersign")
            let transaction = try #require(started.json["transaction_token"].text)
            expectRefused(
                try await server.browser("verify-otp", bearer: transaction, ["code": "000000"]), 403, "invalid_otp")
            let code = try TOTP(secret: uri.secret).code(at: server.now).stringCode
            let verified = try await server.browser("verify-otp", bearer: transaction, ["code": .string(code)])
            #expect(verified.status == 204, "\(verified.text)")
            let state = try await server.browser("transaction-state", bearer: transaction).json
            #expect(state["enrollment"]["status"] == "confirmed")
            #expect(try await server.passwordGrant().json["error"] == "mfa_required")
        }
    }

    // MARK: The page

    @Test
    func `A device: the page shows the code, waits, and shows that it is done; the link itself changes nothing`()
        async throws
    {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let ticket = try await server.ticket(for: user)
            let path = "/guardian/enroll?ticket=\(ticket)"
            for _ in 0..<3 {
                expectPage(try await open(server, path), 200, "second step to the sign-in of ada@example.org")
            }
            let (location, shown) = try await begin(server, ticket, "push")
            expectPage(shown, 200, "<svg", waits: true)
            #expect(shown.text.contains("<noscript><meta http-equiv=\"refresh\" content=\"4\"></noscript>"))
            let link = try uri(shown)
            #expect(link.contains("&base_url=http%3A%2F%2F127.0.0.1%3A8080&"))
            let transaction = try item("enrollment", of: location)
            #expect(link.contains("enrollment_tx_id=\(transaction)&"))
            expectPage(try await open(server, location), 200, "<svg", waits: true)

            // Begun again in another window: both codes are good until one is used.
            let (other, _) = try await begin(server, ticket, "push")
            let enrolled = try await server.enroll(Phone(), ticket: transaction)
            #expect(enrolled.status == 201, "\(enrolled.text)")
            let done = try await open(server, location)
            expectPage(done, 200, "<h1>Done</h1>")
            let code = try #require(enrolled.json["recovery_code"].text)
            #expect(done.text.replacingOccurrences(of: " ", with: "").contains(code))
            #expect(!done.text.contains("http-equiv"))
            let late = try await open(server, other)
            expectPage(late, 200, "<h1>Done</h1>")
            #expect(!late.text.replacingOccurrences(of: " ", with: "").contains(code))
            expectPage(try await open(server, path), 410, "This link was used")
            expectPage(try await submit(server, ["ticket": ticket]), 410, "This link was used")
            // A later visitor of the address sees no code.
            try await server.advance(300)
            #expect(try await !open(server, location).text.contains("recovery code"))
        }
    }

    @Test
    func `Codes: the secret can be typed, a wrong code says so, the right one shows the recovery code once`()
        async throws
    {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let reply = try await ticket(server, ["user_id": .string(user), "factor": "otp"])
            let id = try #require(reply.json["ticket_id"].text)
            let landing = try await open(server, "/guardian/enroll?ticket=\(id)")
            #expect(landing.text.contains("value=\"otp\"") && !landing.text.contains("value=\"push\""))
            // Another method than the ticket's is not shown.
            let (location, shown) = try await begin(server, id, "push")
            expectPage(shown, 200, "name=\"code\"")
            #expect(!shown.text.contains("http-equiv"))
            let uri = try OTPAuthURI(parsing: self.uri(shown))
            let typed = try #require(shown.text.firstMatch(of: /<code class="secret">([^<]*)</)).1
            #expect(try Base32.decode(typed.filter { $0 != " " }) == uri.secret)
            let enrollment = try item("enrollment", of: location)
            func confirm(_ code: String) async throws -> Reply {
                try await submit(server, ["ticket": id, "enrollment": enrollment, "code": code])
            }
            expectPage(try await confirm("000 000"), 422, "That is not the code")
            let code = try TOTP(secret: uri.secret).code(at: server.now).stringCode
            let done = try await confirm("\(code.prefix(3)) \(code.suffix(3))")
            #expect(done.status == 303, "\(done.text)")
            expectPage(try await open(server, try #require(done.headers[.location])), 200, "recovery code")
            #expect(try await server.passwordGrant().json["error"] == "mfa_required")
            expectPage(try await open(server, "/guardian/enroll?ticket=\(id)"), 410, "This link was used")
        }
    }

    @Test
    func `A ticket for anything lets people choose, and either way ends it`() async throws {
        try await TestServer.with { server in
            let reply = try await ticket(server, ["user_id": .string(try await server.addUser())])
            let id = try #require(reply.json["ticket_id"].text)
            let landing = try await open(server, "/guardian/enroll?ticket=\(id)")
            #expect(landing.text.contains("value=\"otp\"") && landing.text.contains("value=\"push\""))
            let (_, push) = try await begin(server, id, "push")
            #expect(try uri(push).contains("enrollment_tx_id"))
            let (_, otp) = try await begin(server, id, "otp")
            #expect(try !uri(otp).contains("enrollment_tx_id"))
        }
    }

    @Test
    func `Tries are counted: after ten wrong codes the page begins again`() async throws {
        try await TestServer.with { server in
            let reply = try await ticket(
                server, ["user_id": .string(try await server.addUser()), "factor": "otp"])
            let id = try #require(reply.json["ticket_id"].text)
            let (location, shown) = try await begin(server, id, "otp")
            let enrollment = try item("enrollment", of: location)
            for _ in 0..<10 {
                expectPage(
                    try await submit(server, ["ticket": id, "enrollment": enrollment, "code": "000000"]), 422,
                    "That is not the code")
            }
            let secret = try OTPAuthURI(parsing: uri(shown)).secret
            let code = try TOTP(secret: secret).code(at: server.now).stringCode
            expectPage(
                try await submit(server, ["ticket": id, "enrollment": enrollment, "code": code]), 409,
                "Too many wrong codes")
        }
    }

    @Test
    func `Expired, unknown, incomplete and hostile addresses are pages that say so`() async throws {
        try await TestServer.with { server in
            let id = try await server.ticket(for: server.addUser())
            let (location, _) = try await begin(server, id, "push")
            try await server.advance(301)
            expectPage(try await open(server, location), 409, "was good for five minutes")
            try await server.advance(5 * 86_400)
            expectPage(try await open(server, "/guardian/enroll?ticket=\(id)"), 410, "This link has expired")
            expectPage(try await submit(server, ["ticket": id]), 410, "This link has expired")
            for path in [
                "", "?ticket=", "?ticket=gten_none", "?ticket=%00", "?ticket=%FF%FE", "?enrollment=x",
                "?ticket=x&enrollment=y", "?ticket=%3Cscript%3E", "?ticket=a&ticket=b",
                "?ticket=\(String(repeating: "a", count: 4000))",
            ] {
                let reply = try await open(server, "/guardian/enroll\(path)")
                #expect(reply.status == 400 || reply.status == 404, "\(path): \(reply.status)")
                expectPage(reply, reply.status, "This link is not valid")
            }
            for (type, body) in [
                ("application/json", "{}"), ("application/x-www-form-urlencoded", ""),
                ("application/x-www-form-urlencoded", "ticket=%ZZ"),
                ("application/x-www-form-urlencoded", "ticket=a&ticket=b"),
                ("application/x-www-form-urlencoded", "ticket=x&enrollment=y&code=%00"), ("text/plain", "x"),
                ("application/x-www-form-urlencoded", String(repeating: "x", count: 70_000)),
            ] {
                let reply = try await server.send(
                    .post, "/guardian/enroll", headers: [.contentType: type], body: Array(body.utf8))
                #expect((400..<500).contains(reply.status), "\(body.prefix(20)): \(reply.status)")
                #expect(reply.text.contains("<h1>"))
            }
        }
    }

    @Test
    func `What is switched off is not offered`() async throws {
        try await TestServer.with { server in
            let reply = try await ticket(server, ["user_id": .string(try await server.addUser())])
            let id = try #require(reply.json["ticket_id"].text)
            _ = try await server.management(.put, "guardian/factors/push-notification", ["enabled": false])
            let landing = try await open(server, "/guardian/enroll?ticket=\(id)")
            #expect(landing.text.contains("value=\"otp\"") && !landing.text.contains("value=\"push\""))
            _ = try await server.management(.put, "guardian/factors/otp", ["enabled": false])
            expectPage(
                try await open(server, "/guardian/enroll?ticket=\(id)"), 200, "Nothing can be enrolled at present")
            expectPage(try await submit(server, ["ticket": id]), 200, "Nothing can be enrolled at present")
        }
    }
}
