import NIOCore

/// Requests of the other server.
enum PeerRequest {
    static let keys = "/api/oidc/jwks"

    static func password(_ person: Person) -> ByteBuffer {
        post("/api/auth/", #"{"username":"person\#(person.number)","password":"\#(Person.password)"}"#)
    }

    static func code(_ code: String, of waiting: Waiting) -> ByteBuffer {
        post(
            "/api/auth/",
            #"{"username":"person\#(waiting.person.number)","scheme_type":"otp","scheme_name":"otp","#
                + #""value":{"value":"\#(code)"}}"#, cookie: waiting.credential)
    }

    static func authorize(_ cookie: String) -> ByteBuffer {
        let query =
            "response_type=code&client_id=bench&redirect_uri=https%3A%2F%2Fapp.bench.example%2Fcallback"
            + "&scope=openid%20bench&state=s&nonce=n&g_continue&code_challenge=\(WebRequest.challenge)"
            + "&code_challenge_method=S256"
        return ByteBuffer(
            string: "GET /api/oidc/auth?\(query) HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: \(cookie)\r\n\r\n")
    }

    static func redeem(_ code: String) -> ByteBuffer {
        token(
            "grant_type=authorization_code&client_id=bench&code=\(code)&code_verifier=\(WebRequest.verifier)"
                + "&redirect_uri=https%3A%2F%2Fapp.bench.example%2Fcallback")
    }

    static func refresh(_ token: String) -> ByteBuffer {
        self.token("grant_type=refresh_token&client_id=bench&refresh_token=\(token)")
    }

    private static func token(_ form: String) -> ByteBuffer {
        post("/api/oidc/token", form, type: "application/x-www-form-urlencoded")
    }

    private static func post(
        _ path: String, _ body: String, type: String = "application/json", cookie: String? = nil
    ) -> ByteBuffer {
        ByteBuffer(
            string: "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: \(type)\r\n"
                + (cookie.map { "Cookie: \($0)\r\n" } ?? "") + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
}

/// What leads to tokens there, and what our two requests do: a right password for a session, the right code in it, the authorization
/// endpoint for a code of OAuth, and that for the tokens.
///
/// Where requests come at once, the other server loses some of the last two ("server_error"): such a person is given up, takes the time
/// that it took and does not count, and the next one's turn comes.
struct PeerSigningIn: Script {
    enum Step { case password, code, authorization, tokens }

    /// Those who begin with their password; none where the others have given it.
    var people: Turns?
    var waiting = Collected<Waiting>()
    var refreshTokens = Collected<String>()
    /// Whether it is done after the password.
    var isPasswordAlone = false
    private var step = Step.password
    private var current = Waiting(person: Person(number: 0), credential: "")

    init(
        people: Turns? = nil, waiting: Collected<Waiting> = Collected(), refreshTokens: Collected<String> = Collected(),
        isPasswordAlone: Bool = false
    ) {
        self.people = people
        self.waiting = waiting
        self.refreshTokens = refreshTokens
        self.isPasswordAlone = isPasswordAlone
    }

    mutating func begin() -> ByteBuffer? {
        if let people {
            guard let number = people.next() else { return nil }
            current = Waiting(person: Person(number: number), credential: "")
            step = .password
            return PeerRequest.password(current.person)
        }
        guard let next = waiting.take() else { return nil }
        current = next
        step = .code
        return PeerRequest.code(Person.rightCode(), of: current)
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        switch step {
        case .password:
            try answer.expect(200)
            guard let cookie = answer.header("set-cookie")?.prefix(while: { $0 != ";" }) else {
                throw UnexpectedAnswer(status: answer.status, body: "no cookie")
            }
            current = Waiting(person: current.person, credential: String(cookie))
            if isPasswordAlone {
                waiting.add(current)
                return nil
            }
            step = .code
            return PeerRequest.code(Person.rightCode(), of: current)
        case .code:
            try answer.expect(200)
            step = .authorization
            return PeerRequest.authorize(current.credential)
        case .authorization:
            guard answer.status < 500 else { return try given(up: answer) }
            try answer.expect(302)
            guard let location = answer.header("location"),
                let code = location.split(separator: "code=").last?.prefix(while: { $0 != "&" }),
                location.contains("code=")
            else { return try given(up: answer) }
            step = .tokens
            return PeerRequest.redeem(String(code))
        case .tokens:
            guard answer.status == 200 else { return try given(up: answer) }
            refreshTokens.add(try answer.text("refresh_token"))
            succeeded += 1
            return nil
        }
    }

    private var succeeded = 0
    private var failed = 0

    /// - Throws: ``UnexpectedAnswer`` where that is the rule.
    private mutating func given(up answer: Answer) throws -> ByteBuffer? {
        failed += 1
        guard failed < 8 + succeeded, let next = begin() else {
            throw UnexpectedAnswer(
                status: answer.status, body: answer.header("location") ?? String(buffer: answer.body))
        }
        return next
    }
}

/// Wrong codes, as many for each person as ours are given.
struct PeerGivingWrongCode: Script {
    let waiting: Collected<Waiting>
    private var current: Waiting?
    private var times = 0

    init(waiting: Collected<Waiting>) { self.waiting = waiting }

    mutating func begin() -> ByteBuffer? {
        if times == 0 {
            current = waiting.take()
            times = GivingWrongCode.timesEach
        }
        times -= 1
        return current.map { PeerRequest.code(Person.wrongCode(), of: $0) }
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(401)
        return nil
    }
}

/// Trades a refresh token, then what came back, and so on.
struct PeerRefreshing: Script {
    var token: String

    mutating func begin() -> ByteBuffer? { PeerRequest.refresh(token) }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(200)
        token = try answer.text("refresh_token")
        return nil
    }
}
