import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a web application and an administrator do at a server that speaks Guardian.
struct GuardianDesk {
    let server: ServerProcess
    /// What the browser says it is.
    static let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"

    struct Answer {
        let status: Int
        let json: Any?

        subscript(_ name: String) -> String? { (json as? [String: Any])?[name] as? String }
    }

    func send(
        _ method: String, _ path: String, _ body: [String: Any]? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: path, relativeTo: server.url)))
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
        }
        let answer = try await Requests.send(request)
        return Answer(status: answer.status, json: try? JSONSerialization.jsonObject(with: answer.body))
    }

    private var administrator: [String: String] {
        get throws { ["Authorization": "Bearer \(try server.adminToken)"] }
    }

    /// Makes a user, and answers the text of the QR code with which a device enrols.
    func enrolmentURI(of email: String) async throws -> String {
        let user = try await send(
            "POST", "/api/v2/users",
            ["email": email, "password": "analytical engine", "email_verified": true], headers: try administrator)
        let ticket = try await send(
            "POST", "/api/v2/guardian/enrollments/ticket", ["user_id": try #require(user["user_id"])],
            headers: try administrator)
        let id = try #require(ticket["ticket_id"])
        let flow = try await send(
            "POST", "/appliance-mfa/api/start-flow", ["state_transport": "polling"],
            headers: ["Authorization": "Ticket id=\"\(id)\""])
        return try #require(flow["enrollment_uri"], "\(flow)")
    }

    /// A sign-in that asks the device. With a number it is one that has to be typed.
    func signIn(
        _ email: String, asksForNumber: Bool = false
    ) async throws -> (token: String, code: String, number: String?) {
        let first = try await send(
            "POST", "/oauth/token",
            ["grant_type": "password", "client_id": "dev-app", "username": email, "password": "analytical engine"],
            headers: ["User-Agent": Self.firefox])
        #expect(first["error"] == "mfa_required", "\(first)")
        let token = try #require(first["mfa_token"])
        var body = ["client_id": "dev-app", "mfa_token": token, "challenge_type": "oob"]
        if asksForNumber { body["binding_method"] = "prompt" }
        let challenge = try await send("POST", "/mfa/challenge", body, headers: ["User-Agent": Self.firefox])
        return (token, try #require(challenge["oob_code"], "\(challenge)"), challenge["number"])
    }

    /// What the application hears of the sign-in.
    func poll(_ signIn: (token: String, code: String, number: String?)) async throws -> Answer {
        try await send(
            "POST", "/oauth/token",
            [
                "grant_type": "http://auth0.com/oauth/grant-type/mfa-oob", "client_id": "dev-app",
                "mfa_token": signIn.token, "oob_code": signIn.code,
            ])
    }

    /// Registers an application that can keep a secret and has the API of a bank, and answers the secret.
    func confidentialApplication(_ id: String) async throws -> String {
        let added = try await Tool(path: try ServerProcess.executable)
            .run([
                "app", "add", "--id", id, "--secret", "--audience", "https://bank.example/", "--json", "--data",
                server.dataDirectory.path,
            ])
        let answer = try JSONSerialization.jsonObject(with: Data(added.output.utf8)) as? [String: Any]
        return try #require(answer?["secret"] as? String, "\(added.output)\(added.errors)")
    }

    /// Asks a user by the backchannel (CIBA) to agree to a payment. Returns the id that the application polls with.
    func askToPay(_ email: String, as client: String, secret: String) async throws -> String {
        let shown = try await Tool(path: try ServerProcess.executable)
            .run(["user", "show", email, "--json", "--data", server.dataDirectory.path])
        let answer = try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any]
        let user = try #require((answer?["user"] as? [String: Any])?["id"] as? String, "\(shown.output)")
        let hint = ["format": "iss_sub", "iss": server.url.absoluteString, "sub": "auth0|\(user)"]
        let begun = try await send(
            "POST", "/bc-authorize",
            [
                "client_id": client, "client_secret": secret, "scope": "openid", "binding_message": "21-49-38",
                "audience": "https://bank.example/",
                "login_hint": String(decoding: try JSONSerialization.data(withJSONObject: hint), as: UTF8.self),
                "authorization_details": #"[{"type":"payment","amount":42}]"#,
            ])
        return try #require(begun["auth_req_id"], "\(begun)")
    }

    func poll(_ request: String, as client: String, secret: String) async throws -> Answer {
        try await send(
            "POST", "/oauth/token",
            [
                "grant_type": "urn:openid:params:grant-type:ciba", "client_id": client, "client_secret": secret,
                "auth_req_id": request,
            ])
    }

    func log(_ type: String) async throws -> [[String: Any]] {
        try #require(
            try await send("GET", "/api/v2/logs?q=type:\(type)", headers: try administrator).json as? [[String: Any]])
    }
}
