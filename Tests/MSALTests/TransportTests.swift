import ClientHTTP
import Foundation
import MSAL
import NativeAuthWire
import Testing

/// What stands before requests, when one is sent again, and what is no answer. Source: MSAL for iOS.
@Suite struct TransportTests {
    typealias Answer = ScriptedServer.Answer

    private func start(_ app: TestApp) async -> SignInStartError? {
        let parameters = MSALNativeAuthSignInParameters(username: "a@b.c")
        guard case .error(let error) = await app.nativeAuth.signIn(parameters: parameters) else { return nil }
        return error
    }

    private static let unreachable = Answer.failure(.unreachable(MemoryStorage.Broken()))

    @Test(arguments: [
        (Answer("", status: 500), 2), (Answer("", status: 503), 2), (.failure(.timedOut(after: 1)), 2),
        (unreachable, 2),
        (Answer("", status: 429), 1), (Answer("", status: 404), 1), (Answer("", status: 302), 1), (Answer(""), 1),
        (.failure(.responseTooLarge(limit: 1)), 1), (.refusal("server_error"), 1),
    ])
    func `A request is sent once more, after half a second, where that may help`(
        answer: Answer, count: Int
    ) async throws {
        let app = try TestApp()
        app.server.on(.initiate, answer)
        let error = try #require(await start(app))
        #expect(error.flags.isEmpty)
        #expect(app.server.requests.count == count)
        #expect(app.clock.pauses == Array(repeating: 0.5, count: count - 1))
        #expect(Set(app.server.requests.map(\.body)).count == 1)
        #expect(Set(app.server.requests.map(\.headers)).count == 1)
    }

    @Test(arguments: [Answer("", status: 502), unreachable])
    func `The second answer counts`(answer: Answer) async throws {
        let app = try TestApp()
        app.server.on(.initiate, answer, .refusal("user_not_found"))
        #expect(await start(app)?.isUserNotFound == true)
    }

    @Test func `A cause tells what the flags do not`() async throws {
        let app = try TestApp()
        let causes: [(Answer, (MSALNativeAuthErrorCause) -> Bool)] = [
            (Self.unreachable, { $0.isUnreachable && $0.underlying is HTTPClientError && $0.statusCode == nil }),
            (Answer("", status: 503), { $0.isUnexpectedAnswer && $0.statusCode == 503 }),
            (.refusal("expired_token"), { $0.isFlowExpired && $0.isRefusedByServer && $0.statusCode == 400 }),
            (.refusal("authorization_pending"), { $0.isApprovalPending && !$0.isFlowExpired }),
            (.refusal("x", "y"), { $0.serverError == "x" && $0.serverSuberror == "y" }),
        ]
        for (answer, holds) in causes {
            app.server.on(.initiate, answer)
            let cause = try #require(await start(app)?.cause)
            #expect(holds(cause), "\(cause)")
            #expect(!cause.description.isEmpty)
        }
    }

    @Test func `What the server says of its refusal is passed on`() async throws {
        let app = try TestApp()
        app.server.on(.initiate, .refusal("x", codes: [7, 8], more: #","error_uri":"https://e.example/7""#))
        let error = try #require(await start(app))
        #expect(error.errorCodes == [7, 8])
        #expect(error.errorUri == "https://e.example/7")
        #expect(error.localizedDescription == "TEXT")
        #expect("\(error)" == "SignInStartError: TEXT")
    }

    @Test func `A cancelled task says so`() async throws {
        let app = try TestApp()
        app.server.on(.initiate, Answer("", status: 500))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await start(app)
        }
        #expect(await task.value?.cause?.isCancelled == true)
    }

    @Test func `Plain http to another machine is never sent`() async throws {
        let app = try TestApp()
        let result = try await app.signedIn()
        app.server.on("openid-configuration", #"{"token_endpoint":"http://login.example.com/token"}"#)
        let parameters = MSALNativeAuthGetAccessTokenParameters()
        parameters.forceRefresh = true
        guard case .error(let error) = await result.getAccessToken(parameters: parameters) else {
            Issue.record("must fail")
            return
        }
        #expect(error.cause?.isUnreachable == true)
        #expect(app.server.requests.allSatisfy { $0.url.host == "127.0.0.1" })
    }

    @Test func `Requests are forms below the authority, with headers that say who asks`() async throws {
        let app = try TestApp { $0.sliceConfig = MSALSliceConfig(slice: nil, dc: "ESTS-PUB WEULR1") }
        app.server.on(.initiate, .redirect)
        _ = await start(app)
        let request = try #require(app.server.requests.first)
        #expect(
            request.url.absoluteString
                == "http://127.0.0.1:8080/contoso/oauth2/v2.0/initiate?dc=ESTS-PUB%20WEULR1")
        #expect(request.method == "POST")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.headers["return-client-request-id"] == "true")
        #expect(request.headers["x-client-SKU"] == "Countersign.MSAL")
        #expect(UUID(uuidString: request.headers["client-request-id"] ?? "") != nil)
    }

    private final class Interceptor: NSObject, MSALNativeAuthRequestInterceptor {
        let urls = Locked<[URL?]>([])
        let fields: [String: String]?
        let times: Int

        init(_ fields: [String: String]?, times: Int = 1) {
            self.fields = fields
            self.times = times
        }

        func addAdditionalHeaderFields(
            _ requestUrl: URL?, completionBlock: @escaping MSALNativeAuthRequestInterceptorAddHeaderCompletionBlock
        ) {
            urls.withLock { $0.append(requestUrl) }
            for number in 0..<times { completionBlock(number == 0 ? fields : ["x-late": "1"]) }
        }
    }

    @Test func `An interceptor's headers are added to each request, those that may be`() async throws {
        let interceptor = Interceptor(
            [
                "x-trace": "1", "X-Other": "2", "x-ms-trace": "3", "X-Client-Sku": "4", "x-broker-a": "5",
                "x-app-b": "6",
                "Authorization": "7", "x-": "8", "x-line": "9\r\nHost: evil", "x-na me": "10",
            ], times: 2)
        let app = try TestApp { $0.requestInterceptor = interceptor }
        _ = try await app.signedIn()
        #expect(interceptor.urls.current.map { $0?.lastPathComponent } == ["initiate", "challenge", "token"])
        for request in app.server.requests {
            let own = request.headers.filter { Int($0.value) != nil && $0.key.lowercased().hasPrefix("x-") }
            #expect(own == ["x-trace": "1", "X-Other": "2"])
            #expect(request.headers["Authorization"] == nil)
            #expect(request.headers["x-line"] == nil)
            #expect(request.headers["x-client-SKU"] == "Countersign.MSAL")
        }
    }

    @Test func `An interceptor that says nothing, ever, does not hold a request up for ever`() async throws {
        for interceptor in [Interceptor(nil), Interceptor([:], times: 0)] {
            let app = try TestApp { $0.requestInterceptor = interceptor }
            app.server.on(.initiate, .redirect)
            #expect(await start(app)?.isBrowserRequired == true)
        }
    }
}
