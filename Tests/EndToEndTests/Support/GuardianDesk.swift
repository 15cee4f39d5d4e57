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
        let (data, response) = try await URLSession.shared.data(for: request)
        return Answer(
            status: (response as? HTTPURLResponse)?.statusCode ?? 0, json: try? JSONSerialization.jsonObject(with: data)
        )
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

    func log(_ type: String) async throws -> [[String: Any]] {
        try #require(
            try await send("GET", "/api/v2/logs?q=type:\(type)", headers: try administrator).json as? [[String: Any]])
    }
}
