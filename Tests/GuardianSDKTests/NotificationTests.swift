import ClientHTTP
import Foundation
import JSON
import Testing

@testable import Guardian

/// What pushes and polls carry (Guardian.swift, `AuthenticationNotification`).
@Suite struct NotificationTests {
    /// The sample with members of `mfa` changed and taken away.
    private static func payload(
        _ changes: [String: Any] = [:], without removed: [String] = [], category: String? = nil
    ) -> [AnyHashable: Any] {
        var userInfo = Samples.userInfo
        var mfa = userInfo["mfa"] as? [String: Any] ?? [:]
        for (name, value) in changes { mfa[name] = value }
        for name in removed { mfa[name] = nil }
        userInfo["mfa"] = mfa
        if let category { userInfo["aps"] = ["category": category] }
        return userInfo
    }

    private func parsed(_ userInfo: [AnyHashable: Any]) -> (any Guardian.Notification)? {
        Guardian.notification(from: userInfo)
    }

    @Test func `Everything that a push says is read`() throws {
        let notification = try #require(parsed(Self.payload(["nl": 2])))
        #expect(notification.domain == "samples.auth0.com" && notification.enrollmentId == "dev_VJGBI87d093cnl03")
        #expect(notification.transactionToken == "random_tx_token" && notification.challenge == "random_challenge")
        #expect(notification.transactionLinkingId == "cns_1234" && notification.numberLength == 2)
        #expect(notification.startedAt == Date(timeIntervalSince1970: 1_450_382_011))
        #expect(notification.source?.browser?.name == "Safari" && notification.source?.browser?.version == "9.0.3")
        #expect(notification.source?.os?.name == "Mac OS" && notification.source?.os?.version == "10.11.3")
        #expect(notification.location?.name == "Palermo, BA, Argentina")
        #expect(notification.location?.latitude == -34.57115 && notification.location?.longitude == -58.423297)
    }

    @Test(arguments: ["dai", "txtkn", "c", "d", "sh"])
    func `What lacks a member that it must have is no request`(name: String) {
        #expect(parsed(Self.payload(without: [name])) == nil)
        #expect(parsed(Self.payload([name: 7])) == nil)
    }

    @Test func `What is not Guardian's is no request`() {
        #expect(parsed([:]) == nil)
        #expect(parsed(["aps": "x", "mfa": 1, 3: 4]) == nil)
        #expect(parsed(Self.payload(category: "other")) == nil)
    }

    @Test(arguments: [
        ("2015-12-17T19:53:31.000Z", 0.0), ("2015-12-17T19:53:31.000+0000", 0), ("2015-12-17T19:53:31.000+00:00", 0),
        ("2015-12-17T19:53:31.250Z", 0.25), ("2015-12-17T19:53:31.123456Z", 0.123456),
        ("2015-12-17T19:53:31Z", nil), ("2015-12-17 19:53:31.000Z", nil), ("2015-12-17T19:53:31.Z", nil),
        ("2015-12-17T19:53:31.000", nil), ("1450382011", nil), ("", nil), ("yesterday", nil),
    ])
    func `A time has a fraction of a second`(text: String, fraction: Double?) throws {
        let startedAt = parsed(Self.payload(["d": text]))?.startedAt
        guard let fraction else { return #expect(startedAt == nil) }
        #expect(abs(try #require(startedAt).timeIntervalSince1970 - 1_450_382_011 - fraction) < 0.001)
    }

    @Test func `What a request may lack is left out`() throws {
        let bare = try #require(
            parsed(Self.payload(without: ["s", "l", "txlnkid"])))
        #expect(bare.source == nil && bare.location == nil && bare.transactionLinkingId == nil)
        #expect(bare.numberLength == nil)
        func source(_ value: Any) -> (any Source)? { parsed(Self.payload(["s": value]))?.source }
        #expect(source(["b": ["v": "9"], "os": [:] as [String: String]]) == nil)
        #expect(source(["b": ["v": "9"], "os": ["n": "Linux"]])?.browser == nil)
        #expect(source(["os": ["n": "Linux"]])?.os?.version == nil && source("x") == nil)
    }

    @Test func `A place has both numbers as texts or both as numbers`() {
        func place(_ value: [String: Any]) -> (any Location)? {
            parsed(Self.payload(["l": value]))?.location
        }
        #expect(
            place(["lat": "1.5", "long": "-2"])?.latitude == 1.5
                && place(["lat": "1.5", "long": "-2"])?.longitude == -2)
        #expect(place(["lat": 1.5, "long": -2])?.latitude == 1.5 && place(["lat": 1.5, "long": -2])?.longitude == -2)
        #expect(
            place(["lat": "1.5", "long": -2])?.latitude == nil
                && place(["lat": "north", "long": "-2"])?.latitude == nil)
        #expect(place(["n": "Rome"])?.name == "Rome" && place(["n": "Rome"])?.latitude == nil)
    }

    @Test(arguments: [(-1, nil), (0, nil), (2, 2)])
    func `A number to type has digits`(length: Int, expected: Int?) throws {
        #expect(try #require(parsed(Self.payload(["nl": length]))).numberLength == expected)
    }

    // MARK: Polling

    private static func page(_ tokens: String...) -> @Sendable () throws -> HTTPClientResponse {
        let payloads = tokens.map { token in
            #"{"aps":{"alert":{"title":"t","body":"b"},"category":"com.auth0.notification.authentication"},"#
                + #""mfa":{"dai":"dev_1","txtkn":"\#(token)","c":"c","d":"2015-12-17T19:53:31.000Z","sh":"h","#
                + #""l":{"lat":1.5,"long":2}}}"#
        }
        let body = Data(#"{"notifications":[\#(payloads.joined(separator: ","))]}"#.utf8)
        return { HTTPClientResponse(status: 200, headers: ["Content-Type": "application/json"], body: body) }
    }

    private static func refusal(_ status: Int, _ code: String = "") -> @Sendable () throws -> HTTPClientResponse {
        { HTTPClientResponse(status: status, body: Data(#"{"errorCode":"\#(code)","statusCode":\#(status)}"#.utf8)) }
    }

    private static let nothing: @Sendable () throws -> HTTPClientResponse = { HTTPClientResponse(status: 204) }

    /// The tokens that come out, in what pauses were made, and the error at the end.
    private func poll(
        _ answers: [@Sendable () throws -> HTTPClientResponse], _ policy: PollingPolicy = PollingPolicy(),
        count: Int = .max
    ) async -> (tokens: [String], pauses: [TimeInterval], error: (any Error)?, requests: [HTTPClientRequest]) {
        let server = StandIn(answers)
        let pauses = Locked<[TimeInterval]>([])
        var sequence = DeviceAPIClient(server.api(), id: "dev_1", bearer: .opaque("T")).notifications(policy: policy)
        sequence.sleep = { seconds in pauses.withLock { $0.append(seconds) } }
        var tokens: [String] = []
        do {
            for try await notification in sequence {
                tokens.append(notification.transactionToken)
                if tokens.count == count { return (tokens, pauses.current, nil, server.requests) }
            }
            return (tokens, pauses.current, nil, server.requests)
        } catch {
            return (tokens, pauses.current, error, server.requests)
        }
    }

    @Test func `Each request is given once, however often the server says it`() async {
        let gone = Self.refusal(404, "enrollment_not_found")
        let result = await poll([
            Self.nothing, Self.page("1"), Self.page("1"), Self.page("1", "2", "3"), Self.nothing, Self.page("1"), gone,
        ])
        #expect(result.tokens == ["1", "2", "3", "1"])
        // A server that says what is known, or holds nothing back, is not asked without a pause.
        #expect(result.pauses == [2, 2, 2])
        #expect((result.error as? GuardianError)?.code == "enrollment_not_found")
        #expect(
            result.requests.first?.url.absoluteString
                == "https://tenant.eu.auth0.com/appliance-mfa/api/device-accounts/dev_1/notifications?wait=55")
        #expect(result.requests.first?.headers["Authorization"] == "Bearer T")
        // The answer may take as long as it was asked to.
        #expect(result.requests.first?.timeout == 70)
    }

    @Test func `Outages are waited for, longer each time, and not for ever`() async {
        let down: @Sendable () throws -> HTTPClientResponse = { throw HTTPClientError.timedOut(after: 1) }
        let first = await poll(
            [down, Self.refusal(503, "service_unavailable"), Self.refusal(429), Self.page("1")], count: 1)
        #expect(first.tokens == ["1"] && first.pauses.count == 3)
        for (pause, whole) in zip(first.pauses, [1.0, 2, 4]) { #expect((whole / 2...whole).contains(pause)) }

        var policy = PollingPolicy()
        policy.failures = 9
        policy.longestRetry = 10
        let never = await poll([down], policy)
        #expect(never.pauses.count == 8 && never.pauses.allSatisfy { $0 <= 10 } && never.requests.count == 9)
        #expect((never.error as? NetworkError)?.code == .failedRequest)
    }

    @Test(arguments: [400, 401, 403, 404, 409])
    func `What asking again does not mend ends it at once`(status: Int) async {
        let result = await poll([Self.refusal(status, "x")])
        #expect(result.pauses.isEmpty && result.requests.count == 1)
        #expect((result.error as? GuardianError)?.info["statusCode"] as? Int == status)
        let bare = await poll([{ HTTPClientResponse(status: status) }])
        #expect(bare.pauses.isEmpty && (bare.error as? NetworkError)?.statusCode == status)
    }

    @Test func `Payloads that are no requests do not hide those that are`() async throws {
        let good = try Self.page("1")()
        let body = String(decoding: good.body, as: UTF8.self)
            .replacingOccurrences(of: "[{", with: #"[7,{"aps":{}},{"#)
        let mixed: @Sendable () -> HTTPClientResponse = {
            HTTPClientResponse(status: 200, headers: good.headers, body: Data(body.utf8))
        }
        #expect(await poll([mixed], count: 1).tokens == ["1"])
        let broken = await poll([{ HTTPClientResponse(status: 200, headers: good.headers, body: Data("{".utf8)) }])
        #expect(broken.error as? NetworkError == NetworkError(.invalidResponse, statusCode: 200))
    }

    @Test func `A poll says the same as a tree and by a decoder, which reads what makes no tree`() async throws {
        let good = try Self.page("1", "2")()
        let tree = try #require(PendingNotifications(JSONParser.parse([UInt8](good.body)))).notifications
        let decoded = try JSONDecoder().decode(PendingNotifications.self, from: good.body).notifications
        #expect(tree.map(\.transactionToken) == ["1", "2"] && decoded.map(\.transactionToken) == ["1", "2"])
        #expect(tree.map(\.startedAt) == decoded.map(\.startedAt) && tree.first?.location?.latitude == 1.5)
        #expect(PendingNotifications(.object(["notifications": .null])) == nil)

        let text = String(decoding: good.body, as: UTF8.self)
            .replacingOccurrences(of: #""c":"c""#, with: #""c":"c","c":"c""#)
        #expect(throws: JSONFault.self) { try JSONParser.parse(Array(text.utf8)) }
        let twice: @Sendable () -> HTTPClientResponse = {
            HTTPClientResponse(status: 200, headers: good.headers, body: Data(text.utf8))
        }
        #expect(await poll([twice], count: 2).tokens == ["1", "2"])
    }

    @Test func `A wait that servers do not have is cut`() async throws {
        for (wait, expected) in [(-1, 0), (0, 0), (7, 7), (900, 55)] {
            let server = StandIn(204)
            _ = try await DeviceAPIClient(server.api(), id: "d", bearer: .opaque("T"))
                .notifications(waitingUpTo: wait).start()
            #expect(server.requests.first?.url.query == "wait=\(expected)")
        }
    }
}
