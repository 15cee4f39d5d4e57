import Crypto
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `kill -9` in the middle of exchanges of authorization codes: each token that was answered works afterwards, and no code is torn.
@Suite(.serialized) struct CodeKillTests {
    private static let codes = Endurance.rounds == nil ? 30 : 100
    private static let rounds = Endurance.rounds.map { min($0, 5) } ?? 1

    @Test(arguments: Database.available)
    func `Tokens that were answered for codes survive a kill`(database: Database) async throws {
        for round in 0..<Self.rounds {
            let folder = try TestRun.place(for: "code-kill")
            defer { try? FileManager.default.removeItem(at: folder) }
            // The address of tokens stays, whichever port the next process gets.
            let arguments =
                ["--dev", "--public-url", "http://127.0.0.1:8080"] + (try await database.arguments())
            let server = try await ServerProcess(arguments, dataDirectory: folder, environment: Endurance.hashing)
            try await server.post(
                "/v1/accounts:signUp?key=any", ["email": "ada@example.org", "password": "a quiet afternoon"])
            let visitor = Visitor(url: server.url)
            try await visitor.signIn()
            var codes: [String] = []
            for _ in 0..<Self.codes { codes.append(try await visitor.code()) }

            let answered = Answered()
            let victim = server.processIdentifier
            let enough = Self.codes / 5 + round * 7 % (Self.codes / 2)
            await withTaskGroup(of: Void.self) { tasks in
                for code in codes {
                    tasks.addTask {
                        // One that gets no answer is not known.
                        guard let tokens = try? await visitor.redeem(code).tokens else { return }
                        answered.note(code, tokens)
                    }
                }
                tasks.addTask {
                    while answered.all.count < enough { try? await Task.sleep(for: .milliseconds(1)) }
                    kill(victim, SIGKILL)
                }
            }

            let revived = try await ServerProcess(arguments, dataDirectory: folder, environment: Endurance.hashing)
            let again = Visitor(url: revived.url)
            let good = answered.all
            #expect(good.count >= enough)
            for code in codes {
                if let tokens = good[code] {
                    #expect(try await again.userInfo(tokens.access) == 200, "an access token that was answered")
                    #expect(try await again.refresh(tokens.refresh).status == 200, "a refresh token that was answered")
                } else {
                    // Redeemed without an answer, or not at all: whole in either case.
                    let late = try await again.redeem(code)
                    #expect(late.status == 200 || late.status == 400 && late.error == "invalid_grant", "\(late)")
                }
            }
            Endurance.report("killed after \(good.count) of \(codes.count) codes on \(database)")
            #expect(await revived.terminate() == 0)
        }
    }
}

/// What was answered, by the code.
private final class Answered: Sendable {
    private let tokens = Mutex<[String: Tokens]>([:])

    func note(_ code: String, _ given: Tokens) { tokens.withLock { $0[code] = given } }
    var all: [String: Tokens] { tokens.withLock { $0 } }
}

private struct Tokens: Sendable {
    let access: String
    let refresh: String
}

/// A person's browser and the application that it comes from, as far as codes go.
private final class Visitor: NSObject, URLSessionTaskDelegate, Sendable {
    struct Answer: Sendable {
        let status: Int
        let location: String?
        let text: String

        private var json: [String: Any]? {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
        }
        var error: String? { json?["error"] as? String }
        var tokens: Tokens? {
            guard let access = json?["access_token"] as? String, let refresh = json?["refresh_token"] as? String
            else { return nil }
            return Tokens(access: access, refresh: refresh)
        }
    }

    private static let callback = "http://127.0.0.1/callback"
    private static let verifier = String(repeating: "verifier-", count: 5)

    let url: URL
    private let cookies = Mutex<[String: String]>([:])

    init(url: URL) {
        self.url = url
    }

    /// Redirects are answers.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    private func send(
        _ method: String, _ path: String, form: [String: String]? = nil, bearer: String? = nil
    ) async throws -> Answer {
        let target = try #require(URL(string: path, relativeTo: url))
        var request = URLRequest(url: target)
        request.httpMethod = method
        request.httpShouldHandleCookies = false
        let known = cookies.withLock { $0 }
        if !known.isEmpty {
            request.setValue(
                known.map { "\($0.key)=\($0.value)" }.joined(separator: "; "), forHTTPHeaderField: "Cookie")
        }
        if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        if let form {
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            request.setValue("same-origin", forHTTPHeaderField: "Sec-Fetch-Site")
            request.httpBody = Data(Self.encoded(form).utf8)
        }
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        if let set = answer.value(forHTTPHeaderField: "Set-Cookie") {
            // Several headers come as one text; none of our values has a comma.
            for cookie in set.components(separatedBy: ", ") {
                let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
                if pair.count == 2, pair[0].contains("cs_") { cookies.withLock { $0[pair[0]] = pair[1] } }
            }
        }
        return Answer(
            status: answer.statusCode, location: answer.value(forHTTPHeaderField: "Location"),
            text: String(decoding: data, as: UTF8.self))
    }

    private static func encoded(_ form: [String: String]) -> String {
        form.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
    }

    private var authorization: String {
        let challenge = Array(SHA256.hash(data: Data(Self.verifier.utf8))).base64URL
        return "/authorize?"
            + Self.encoded([
                "client_id": "dev-native", "redirect_uri": Self.callback, "response_type": "code",
                "scope": "openid offline_access", "state": "s", "code_challenge": challenge,
                "code_challenge_method": "S256",
            ])
    }

    /// Through the pages, with a password.
    func signIn() async throws {
        var path = try #require(try await send("GET", authorization).location)
        for _ in 0..<8 where !path.hasPrefix(Self.callback) {
            let page = try await send("GET", path)
            if page.status == 303 {
                path = try #require(page.location)
                continue
            }
            #expect(page.status == 200, "\(page.text.prefix(400))")
            var fields: [String: String] = [:]
            for match in page.text.matches(of: /<input[^>]*type="hidden"[^>]*>/) {
                let input = match.output
                guard let name = input.firstMatch(of: /name="([^"]*)"/)?.output.1,
                    let value = input.firstMatch(of: /value="([^"]*)"/)?.output.1
                else { continue }
                fields[String(name)] = String(value)
            }
            if page.text.contains("name=\"username\"") { fields["username"] = "ada@example.org" }
            if page.text.contains("name=\"password\"") { fields["password"] = "a quiet afternoon" }
            let action = try #require(page.text.firstMatch(of: /action="([^"]*)"/)?.output.1)
            let posted = try await send("POST", String(action), form: fields)
            path = try #require(posted.location, "\(posted.status) \(posted.text.prefix(400))")
        }
        #expect(path.hasPrefix(Self.callback))
    }

    func code() async throws -> String {
        let answer = try await send("GET", authorization)
        let location = try #require(answer.location, "\(answer.status) \(answer.text.prefix(400))")
        let parts = location.components(separatedBy: "code=")
        return try #require(parts.last?.components(separatedBy: "&").first)
    }

    func redeem(_ code: String) async throws -> Answer {
        try await send(
            "POST", "/oauth/token",
            form: [
                "grant_type": "authorization_code", "code": code, "redirect_uri": Self.callback,
                "code_verifier": Self.verifier, "client_id": "dev-native",
            ])
    }

    func refresh(_ token: String) async throws -> Answer {
        try await send(
            "POST", "/oauth/token",
            form: ["grant_type": "refresh_token", "refresh_token": token, "client_id": "dev-native"])
    }

    func userInfo(_ token: String) async throws -> Int {
        try await send("GET", "/userinfo", bearer: token).status
    }
}
