import ClientHTTP
import Foundation
import KeychainServices
import Testing

@testable import Guardian

/// What goes over the wire, as Guardian.swift sends and reads it.
@Suite struct WireTests {
    @Test(arguments: [
        ("samples.guardian.auth0.com", "https://samples.guardian.auth0.com", "https://samples.auth0.com/rich-consents"),
        (
            "samples.guardian.eu.auth0.com", "https://samples.guardian.eu.auth0.com",
            "https://samples.eu.auth0.com/rich-consents"
        ),
        (
            "tenant.eu.auth0.com", "https://tenant.eu.auth0.com/appliance-mfa",
            "https://tenant.eu.auth0.com/rich-consents"
        ),
        (
            "samples.guardian.some.thing.auth0.com",
            "https://samples.guardian.some.thing.auth0.com/appliance-mfa", nil
        ),
        ("mfa.example.com", "https://mfa.example.com/appliance-mfa", "https://mfa.example.com/rich-consents"),
        ("https://h.example/appliance-mfa", "https://h.example/appliance-mfa", "https://h.example/rich-consents"),
        ("https://h.example/appliance-mfa/", "https://h.example/appliance-mfa/", "https://h.example/rich-consents"),
        ("https://h.example/base", "https://h.example/base/appliance-mfa", "https://h.example/base/rich-consents"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/appliance-mfa", "http://127.0.0.1:8080/rich-consents"),
        ("localhost:8080", "https://localhost:8080/appliance-mfa", "https://localhost:8080/rich-consents"),
        ("https://samples.guardian.auth0.com/", "https://samples.guardian.auth0.com/appliance-mfa", nil),
        // The original takes this host for a URL without a scheme, and crashes.
        ("httpbin.example.com", "https://httpbin.example.com/appliance-mfa", nil),
    ])
    func `Requests go to the layout that the address has`(domain: String, api: String, consent: String?) throws {
        let address = ServerAddress(domain: domain, environment: [:])
        #expect(try address.apiBase.get().absoluteString == api)
        if let consent { #expect(try address.consentBase.get().absoluteString == consent) }
        if domain.hasPrefix("http"), let url = URL(string: domain), url.host != nil {
            #expect(try ServerAddress(url: url).apiBase.get().absoluteString == api)
        }
    }

    @Test(arguments: [
        "", " ", "a b.example", "http://", "https://", "https://u:p@h.example", "https://h.example?x=1",
        "https://h.example/#x", "ftp://h.example", "http://h.example", "http://10.0.0.1:8080", "<t>.auth0.com",
        "{domain}", "h.example\r\nX: y", "[", "https://[::1",
    ])
    func `What is no address, and plain http to elsewhere, fails and sends nothing`(domain: String) async throws {
        let server = StandIn()
        let request = server.api(domain).resolve(transaction: "t", withChallengeResponse: "r")
        let called = Locked(0)
        let error = await failure { try await request.on(request: { _ in called.withLock { $0 += 1 } }).start() }
        #expect((error as? GuardianError)?.code == "a0.guardian.internal.invalid.base_url")
        #expect(called.current == 1 && server.requests.isEmpty)
    }

    @Test func `The environment names the server where the app does not, and the QR code where neither does`() {
        let environment = ["COUNTERSIGN_URL": "http://127.0.0.1:9"]
        func base(_ domain: String, _ environment: [String: String], _ fallback: String?) -> String? {
            try? ServerAddress(domain: domain, otherwise: fallback, environment: environment).url.get().absoluteString
        }
        #expect(base("", environment, "https://qr.example") == "http://127.0.0.1:9")
        #expect(base("app.example", environment, "https://qr.example") == "https://app.example")
        #expect(base("", [:], "https://qr.example") == "https://qr.example")
        #expect(base("", [:], nil) == nil)
    }

    @Test func `A device enrols as the vendor's SDK does`() async throws {
        let server = StandIn(
            201,
            #"{"id":"dev_1","url":"https://t","issuer":"t","user_id":"auth0|1","token":"T","recovery_code":"RC","#
                + #""totp":{"secret":"GRXC4KC5","algorithm":"SHA1","digits":6,"period":30}}"#,
            type: "application/json; charset=utf-8")
        let key = try Samples.rsa.get()
        let enrollment = try await server.api().enroll(
            withTicket: "qfjn", identifier: "8E2D", name: "Maria's iPhone", notificationToken: "A0B1",
            verificationKey: key.verificationKey()
        ).start()
        #expect(enrollment.id == "dev_1" && enrollment.userId == "auth0|1" && enrollment.deviceToken == "T")
        // Servers write SHA1 too, on which the original fails.
        #expect(enrollment.totp == OTPParameters(base32Secret: "GRXC4KC5") && enrollment.recoveryCode == "RC")
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.url.absoluteString == "https://tenant.eu.auth0.com/appliance-mfa/api/enroll")
        #expect(request.headers["Authorization"] == #"Ticket id="qfjn""#)
        #expect(request.headers["Content-Type"] == "application/json" && request.headers["Auth0-Client"] == nil)
        #expect(server.body["identifier"] == .string("8E2D") && server.body["name"] == .string("Maria's iPhone"))
        #expect(
            server.body["push_credentials"] == .object(["service": .string("APNS"), "token": .string("A0B1")]))
        let jwk = try #require(server.body["public_key"]?.objectValue)
        #expect(jwk["kty"] == .string("RSA") && jwk["use"] == .string("sig") && jwk["alg"] == .string("RS256"))
        #expect(jwk["e"] == .string("AQAB") && jwk.count == 5)
        // 257 bytes, of which the first is zero.
        let modulus = try #require(Token.data(jwk["n"]?.stringValue ?? ""))
        #expect(modulus.count == 257 && modulus.first == 0)
    }

    @Test func `An enrolment without codes, or with a null, has none`() async throws {
        for totp in ["", #","totp":null"#] {
            let server = StandIn(
                200, #"{"id":"d","issuer":"t","user_id":"u","token":"T"\#(totp)}"#, type: "application/json")
            let enrollment = try await server.api().enroll(
                withTicket: "t", identifier: "i", name: "n", notificationToken: "",
                verificationKey: DataP256PrivateKey.new().verificationKey()
            ).start()
            #expect(enrollment.totp == nil && enrollment.recoveryCode == nil && enrollment.url == nil)
            #expect(server.body["public_key"]?["crv"] == .string("P-256"))
        }
    }

    @Test(arguments: [
        "", "https://x", "otpauth://hotp/x?enrollment_tx_id=1", "OTPAUTH://totp/x?enrollment_tx_id=1",
        "otpauth://totp/x?secret=A", "otpauth://totp/x?enrollment_tx_id=",
        #"otpauth://totp/x?enrollment_tx_id=a%22b"#, "otpauth://totp/x?enrollment_tx_id=a%0D%0AX:%20y",
    ])
    func `A QR code that is no enrolment's fails before anything is sent`(uri: String) async throws {
        let server = StandIn()
        let key = try DataP256PrivateKey.new()
        let request = EnrollRequest(
            api: server.api(), ticket: EnrollmentTicket(uri: uri), notificationToken: "", signingKey: key,
            verificationKey: try key.verificationKey())
        // Before start returns.
        let code = Locked<String?>(nil)
        request.start { result in
            guard case .failure(let cause) = result else { return }
            code.withLock { $0 = (cause as? GuardianError)?.code }
        }
        #expect(code.current == "a0.guardian.internal.invalid.enrollment_uri")
        #expect(server.requests.isEmpty)
    }

    @Test func `The ticket of a QR code is the last that it names, decoded`() {
        let ticket = EnrollmentTicket(
            uri: "otpauth://totp/issuer%20name:myuser%40gmail.com?secret=S&enrollment_tx_id=0&issuer=issuer%20name&id=d"
                + "&base_url=https%3A%2F%2Fa.guardian.auth0.com&algorithm=sha1&enrollment_tx_id=aa1%20234&period=30")
        #expect(ticket.text == "aa1 234" && ticket.server == "https://a.guardian.auth0.com")
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        let accepts: Bool
        var reason: String?
        var number: String?
        var testDescription: String { "\(accepts) \(reason ?? "-") \(number ?? "-")" }
    }

    @Test(arguments: [
        Answer(accepts: true), Answer(accepts: false), Answer(accepts: false, reason: "hacked"),
        Answer(accepts: false, reason: RejectReason.notMe), Answer(accepts: true, number: "042"),
    ])
    func `An answer is signed as the original signs it`(answer: Answer) async throws {
        let server = StandIn()
        let key = try Samples.rsa.get()
        let authentication = server.authentication(TestDevice(signingKey: key))
        let notification = TestNotification(numberLength: answer.number?.count)
        let request =
            if let number = answer.number {
                authentication.allow(notification: notification, number: number)
            } else if answer.accepts {
                authentication.allow(notification: notification)
            } else {
                authentication.reject(notification: notification, withReason: answer.reason)
            }
        _ = try await request.start()
        let sent = try #require(server.requests.first)
        let audience = "https://tenant.eu.auth0.com/appliance-mfa/api/resolve-transaction"
        #expect(sent.url.absoluteString == audience && sent.method == "POST")
        #expect(sent.headers["Authorization"] == "Bearer transaction")
        let token = try #require(Token(server.body["challenge_response"]?.stringValue))
        #expect(token.header == .object(["alg": .string("RS256"), "typ": .string("JWT")]))
        var expected: [String: Json] = [
            "sub": .string("challenge"), "iss": .string("8E2D0F6C-0B8E-4F7B-9B5E-0D4B1F1C7B11"),
            "aud": .string(audience), "iat": .number(1_795_215_220), "exp": .number(1_795_215_250),
            "auth0_guardian_method": .string("push"), "auth0_guardian_accepted": .bool(answer.accepts),
        ]
        expected["auth0_guardian_reason"] = answer.reason.map { .string($0) }
        expected["countersign_number"] = answer.number.map { .string($0) }
        #expect(token.claims == .object(expected))
    }

    @Test func `Actions of a push do what they say, and others fail`() async throws {
        let server = StandIn()
        let authentication = server.authentication(TestDevice(signingKey: try DataP256PrivateKey.new()))
        let category = AuthenticationCategory.default
        #expect(category.identifier == "com.auth0.notification.authentication")
        for (action, accepts) in [(category.allow, true), (category.reject, false)] {
            _ = try await authentication.handleAction(
                withIdentifier: action.identifier, notification: TestNotification()
            ).start()
            let token = try #require(Token(server.body["challenge_response"]?.stringValue))
            #expect(token.claims["auth0_guardian_accepted"] == .bool(accepts))
            #expect(token.claims["auth0_guardian_reason"] == nil)
        }
        let error = await failure {
            try await authentication.handleAction(withIdentifier: "other", notification: TestNotification()).start()
        }
        #expect((error as? GuardianError)?.code == "a0.guardian.internal.invalid.notification_action_identifier")
        #expect(server.requests.count == 2)
    }

    @Test func `A device signs a token of its own for two hours, and not at each request`() async throws {
        let server = StandIn()
        let key = CountingKey(try DataP256PrivateKey.new())
        let device = server.api().device(forEnrollmentId: "dev|1/2", userId: "auth0|1", signingKey: key)
        _ = try await device.delete().start()
        _ = try await device.delete().start()
        let sent = try #require(server.requests.first)
        #expect(sent.method == "DELETE" && sent.body == nil && sent.headers["Content-Type"] == nil)
        let base = "https://tenant.eu.auth0.com/appliance-mfa/api/device-accounts"
        #expect(sent.url.absoluteString == base + "/dev%7C1%2F2")
        let bearer = try #require(sent.headers["Authorization"])
        #expect(bearer.hasPrefix("Bearer "))
        let token = try #require(Token(String(bearer.dropFirst(7))))
        #expect(token.header == .object(["alg": .string("ES256"), "typ": .string("JWT")]))
        #expect(
            token.claims
                == .object([
                    "sub": .string("auth0|1"), "iss": .string("dev|1/2"), "aud": .string(base),
                    "iat": .number(1_795_215_220), "exp": .number(1_795_222_420),
                ]))
        #expect(key.signatures == 1 && server.requests[1].headers["Authorization"] == bearer)
    }

    @Test func `A key that does not sign fails the request, which is not sent with an empty bearer`() async throws {
        let server = StandIn()
        let device = server.api().device(
            forEnrollmentId: "dev_1", userId: "u", signingKey: RefusingKey(try DataP256PrivateKey.new()))
        let error = await failure { try await device.delete().start() } as? GuardianError
        #expect(error?.code == "a0.guardian.internal.cannot.sign_challenge" && error?.cause is CancellationError)
        #expect(server.requests.isEmpty)
    }

    @Test func `A change names what it changes and nothing else`() async throws {
        let server = StandIn(200, #"{"id":"dev_1","identifier":"i","name":"n"}"#, type: "application/json")
        let device = DeviceAPIClient(server.api(), id: "dev_1", bearer: .opaque("T"))
        let table: [(String?, String?, String?, Json)] = [
            (nil, nil, nil, .object([:])), ("i", nil, nil, .object(["identifier": .string("i")])),
            (
                nil, "n", "A0",
                .object([
                    "name": .string("n"),
                    "push_credentials": .object(["service": .string("APNS"), "token": .string("A0")]),
                ])
            ),
        ]
        for (identifier, name, token, body) in table {
            let updated = try await device.update(localIdentifier: identifier, name: name, notificationToken: token)
                .start()
            #expect(updated.id == "dev_1" && updated.localIdentifier == "i" && updated.notificationToken == nil)
            #expect(server.body == body)
        }
        #expect(server.requests.allSatisfy { $0.method == "PATCH" && $0.headers["Authorization"] == "Bearer T" })
    }

    @Test func `The app is named in a header where it says who it is`() async throws {
        let server = StandIn()
        let api = APIClient(
            ServerAddress(domain: "h.example", environment: [:]), Auth0TelemetryInfo(name: "App", version: "2"),
            transport: server)
        _ = try await api.resolve(transaction: "t", withChallengeResponse: "r").start()
        let header = try #require(server.requests.first?.headers["Auth0-Client"])
        let said = try JSONDecoder().decode(Json.self, from: #require(Token.data(header)))
        #expect(said["env"] == .object(["appName": .string("App"), "appVersion": .string("2")]))
        #expect(said["name"]?.stringValue != nil && said["version"]?.stringValue != nil)
    }
}

/// Counts what it signs.
final class CountingKey: SigningKey {
    private let key: DataP256PrivateKey
    private let count = Locked(0)
    init(_ key: DataP256PrivateKey) { self.key = key }

    var signatures: Int { count.current }
    var secKey: SecKey { key.secKey }
    func signature(for message: Data) throws -> Data {
        count.withLock { $0 += 1 }
        return try key.signature(for: message)
    }
}

/// A key whose user always refuses. It has a thread of its own.
struct RefusingKey: SigningKey, @unchecked Sendable {
    // Unchecked as the keys that it stands in for are.
    let secKey: SecKey
    init(_ key: DataP256PrivateKey) { secKey = key.secKey }
    var signsAtOnce: Bool { false }
    func signature(for message: Data) throws -> Data { throw CancellationError() }
}
