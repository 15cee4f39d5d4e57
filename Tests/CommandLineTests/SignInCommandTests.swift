import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `countersign login`, `token` and `logout` against `serve --dev`, with a browser that this test is.
@Suite struct SignInCommandTests: AtTerminal {
    let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
    }

    // MARK: The story

    @Test func `Two commands call an API and a third signs out`() async throws {
        try await serving(makesVault: true) { base in
            try await run("token").expect(4)
            let login = try start([
                "login", "--issuer", base + "/", "--no-browser", "--json", "--scope", "openid email offline_access",
            ])
            let page = try await browse(try await address(of: login), TerminalUser.typed)
            #expect(page.status == 200 && page.text.contains("You can close this page."), "\(page.text)")
            let signedIn = await login.transcript()
            #expect(signedIn.status == 0, "\(signedIn.error)")
            let answer = try signedIn.json()
            #expect(answer["issuer"] as? String == base && answer["clientID"] as? String == "dev-native")
            #expect(answer["isRenewable"] as? Bool == true && answer["isBound"] as? Bool == false)
            #expect(answer["scopes"] as? [String] == ["openid", "email", "offline_access"])
            #expect(answer["user"] as? String != nil)

            let header = try await run("token", "--header")
            #expect(header.status == 0, "\(header.error)")
            #expect(header.output.hasPrefix("Authorization: Bearer ") && header.lines.count == 1)
            let info = try await userInfo(base, header.lines)
            #expect(info.status == 200 && info.text.contains(TerminalUser.address), "\(info.text)")
            #expect(try await run("token", "--header").output == header.output, "It still counts.")
            let renewed = try await run("token", "--header", "--fresh")
            #expect(renewed.status == 0 && renewed.output != header.output, "\(renewed.error)")
            #expect(try await userInfo(base, renewed.lines).status == 200)
            let plain = try await run("token", "--json")
            #expect((try plain.json()["expiresAt"] as? String)?.hasSuffix("Z") == true)
            #expect(
                (try plain.json()["headers"] as? [String: String])?["Authorization"]
                    == renewed.lines[0].dropFirst(15).description)

            let logout = try await run("logout")
            #expect(logout.status == 0 && logout.output == "Signed out of \(base).\n", "\(logout.error)")
            #expect(try await userInfo(base, renewed.lines).status == 401)
            try await run("token").expect(4)
            try await run("logout").expect(4)
        }
    }

    @Test func `A bound token comes with a proof for one request`() async throws {
        try await serving { base in
            let login = try start(["login", "--issuer", base, "--no-browser", "--dpop"])
            _ = try await browse(try await address(of: login), TerminalUser.typed)
            let signedIn = await login.transcript()
            #expect(signedIn.status == 0 && signedIn.output.hasPrefix("Signed in at \(base) as "), "\(signedIn.error)")
            try await run("token", "--header").expect(2)
            // The first request learns the server's nonce.
            let first = try await run("token", "--header", "--url", base + "/userinfo")
            #expect(first.lines.count == 2 && first.output.hasPrefix("Authorization: DPoP "), "\(first.error)")
            let asked = try await userInfo(base, first.lines)
            let nonce = try #require(asked.nonce)
            let second = try await run("token", "--header", "--url", base + "/userinfo", "--nonce", nonce)
            #expect(try await userInfo(base, second.lines).status == 200)
            #expect(try await userInfo(base, second.lines).status == 401, "A proof counts once.")
        }
    }

    @Test func `What a stranger sends to the port changes nothing, and what the user refuses signs nobody in`()
        async throws
    {
        try await serving { base in
            let login = try start(["login", "--issuer", base, "--no-browser"])
            let link = try await address(of: login)
            let redirect = try #require(
                URLComponents(string: link)?.queryItems?.first { $0.name == "redirect_uri" }?.value)
            #expect(try await browse(redirect + "?code=x&state=made-up").status == 400)
            #expect(try await browse(redirect + "/../secret").status == 404)
            #expect(login.isRunning)
            let state = try #require(URLComponents(string: link)?.queryItems?.first { $0.name == "state" }?.value)
            let issuer = base.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let answer = redirect + "?error=access_denied&state=\(state)&iss=\(issuer)"
            let page = try await browse(answer)
            #expect(page.text.contains("did not finish"))
            let refused = await login.transcript()
            #expect(refused.status == 1 && refused.error.contains("access_denied"), "\(refused.error)")
            // Another program may have the port by now.
            let again = try? await URLSession.shared.data(from: #require(URL(string: answer))).0
            #expect(again.map { String(decoding: $0, as: UTF8.self).contains("did not finish") } != true)
            try await run("token").expect(4)
        }
    }

    @Test func `A device signs in with the browser of another`() async throws {
        try await serving { base in
            let login = try start(["login", "--issuer", base, "--device", "--json"])
            var code: Substring?
            while code == nil {
                let isRunning = login.isRunning
                code = login.errorSoFar.firstMatch(of: /enter the code ([A-Z]{4}-[A-Z]{4})\n/)?.1
                if code == nil, !isRunning { throw TerminalUser.Ended(said: login.errorSoFar) }
                try await Task.sleep(for: .milliseconds(20))
            }
            let typed = TerminalUser.typed.merging(["user_code": code.map(String.init) ?? "", "decision": "allow"]) {
                $1
            }
            let page = try await browse(base + "/activate", typed)
            #expect(page.status == 200, "\(page.text)")
            // The program asks every five seconds; its own clock is the machine's.
            let signedIn = await login.transcript()
            #expect(signedIn.status == 0, "\(signedIn.error)")
            try await run("token").expect(0)
        }
    }

    @Test func `A passkey signs in without a browser`() async throws {
        try await serving { base in
            let none = try await run("login", "--issuer", base, "--passkey", "--no-tpm")
            #expect(none.status == 4, "\(none.error)")
            let login = try start([
                "login", "--issuer", base, "--no-browser", "--add-passkey", "--unattended", "--no-tpm",
            ])
            _ = try await browse(try await address(of: login), TerminalUser.typed)
            let added = await login.transcript()
            #expect(added.status == 0, "\(added.error)")
            try await run("logout").expect(0)

            let signedIn = try await run("login", "--issuer", base, "--passkey", "--no-tpm", "--dpop", "--json")
            #expect(signedIn.status == 0, "\(signedIn.error)")
            #expect(try signedIn.json()["isBound"] as? Bool == true && signedIn.json()["user"] as? String != nil)
            #expect(try await run("token", "--header", "--url", base + "/userinfo").lines.count == 2)
            let listed = try await run("authenticator", "passkey", "list", "--json").json()
            let passkeys = try #require(listed["passkeys"] as? [[String: Any]])
            #expect(passkeys.count == 1 && passkeys[0]["rpID"] as? String == "localhost")
            #expect(passkeys[0]["user"] as? String == TerminalUser.address)

            try await run("authenticator", "passkey", "remove", "localhost", "--yes").expect(0)
            try await run("login", "--issuer", base, "--passkey", "--no-tpm").expect(4)
        }
        try await run("login", "--passkey", "--device").expect(2)
        try await run("login", "--unattended").expect(2)
    }

    @Test func `What cannot be is refused with its exit code`() async throws {
        try await run("login", "--issuer", "http://127.0.0.1:1", "--no-browser").expect(3)
        try await run("login", "--issuer", "http://auth.example.com", "--no-browser").expect(1)
        try await run("login", "--issuer", "nonsense", "--no-browser").expect(1)
        try await run("login", "--redirect-path", "callback").expect(2)
        try await run("login", "--device", "--no-browser").expect(2)
        try await run("token", "--url", "nonsense").expect(2)
    }

    // MARK: The API

    private func userInfo(
        _ base: String, _ headers: [String]
    ) async throws -> (status: Int, text: String, nonce: String?) {
        var request = URLRequest(url: try #require(URL(string: base + "/userinfo")))
        for line in headers {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            request.setValue(parts[1], forHTTPHeaderField: parts[0])
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        return (http.statusCode, String(decoding: data, as: UTF8.self), http.value(forHTTPHeaderField: "DPoP-Nonce"))
    }
}
