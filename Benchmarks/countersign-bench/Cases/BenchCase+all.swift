import PasswordHashing

extension BenchCase {
    /// Measured only where they are asked for (`--million`).
    static let ofMillion = Set(["password-million", "code-million"] + ofLists.map(\.name))

    /// Everything, in the order in which a round measures it: what is compared stands close together.
    static let all = ofSingleRequests + ofLists

    private static let ofSingleRequests: [BenchCase] = [
        BenchCase(name: "hmac", title: "bare HMAC-SHA-1", section: .inProcess, measure: InProcess.hmac),
        BenchCase(
            name: "hmac-three", title: "bare HMAC-SHA-1 of three steps", section: .inProcess,
            measure: InProcess.hmacOfThree),
        BenchCase(
            name: "totp-verify", title: "verify a TOTP code, one step to either side", section: .inProcess,
            limits: [Limit(name: "hmac-three"), Limit(name: "hmac")], measure: InProcess.totpVerify),
        BenchCase(name: "es256", title: "bare ES256 signature", section: .inProcess, measure: InProcess.es256),
        BenchCase(
            name: "id-token", title: "issue an ID token", section: .inProcess, limits: [Limit(name: "es256")],
            measure: InProcess.idToken),
        BenchCase(
            name: "rsa-verify", title: "bare RSA-2048 verification", section: .inProcess, measure: InProcess.rsaVerify),
        BenchCase(
            name: "openssl-es256", title: "bare ES256 verification, `openssl speed`", section: .inProcess,
            measure: { _ in try PasskeyVerification.openSSL(.es256) }),
        BenchCase(
            name: "passkey-es256", title: "verify a passkey's assertion, ES256", section: .inProcess,
            limits: [Limit(name: "openssl-es256")], measure: { try PasskeyVerification.assertion($0, .es256) }),
        BenchCase(
            name: "openssl-eddsa", title: "bare Ed25519 verification, `openssl speed`", section: .inProcess,
            measure: { _ in try PasskeyVerification.openSSL(.eddsa) }),
        BenchCase(
            name: "passkey-eddsa", title: "verify a passkey's assertion, EdDSA", section: .inProcess,
            limits: [Limit(name: "openssl-eddsa")], measure: { try PasskeyVerification.assertion($0, .eddsa) }),
        BenchCase(
            name: "openssl-rs256", title: "bare RSA-2048 verification, `openssl speed`", section: .inProcess,
            measure: { _ in try PasskeyVerification.openSSL(.rs256) }),
        BenchCase(
            name: "passkey-rs256", title: "verify a passkey's assertion, RS256", section: .inProcess,
            limits: [Limit(name: "openssl-rs256")], measure: { try PasskeyVerification.assertion($0, .rs256) }),
        BenchCase(
            name: "hash-minimum", title: "password hash, 1 MiB × 1, all cores", section: .inProcess,
            measure: { try await InProcess.hash($0, Workbench.leastHashing) }),
        BenchCase(
            name: "hash-default", title: "password hash by libsodium alone, 19 MiB × 2, all cores",
            section: .inProcess, measure: InProcess.bareHash),
        BenchCase(
            name: "hash-server", title: "the same on the server's threads, its memory in huge pages",
            section: .inProcess, limits: [Limit(name: "hash-default")],
            measure: { try await InProcess.hash($0, Argon2idParameters()) }),
        BenchCase(
            name: "disk", title: "4 KiB and fdatasync, one after another", section: .inProcess, measure: InProcess.disk),
        BenchCase(
            name: "store", title: "durable writes to the SQLite store, 64 writers", section: .inProcess,
            measure: InProcess.store),

        BenchCase(name: "hello", title: "bare Hummingbird \"hello\"", section: .http, measure: OverHTTP.hello),
        BenchCase(
            name: "jwks", title: "JWKS GET", section: .http, limits: [Limit(name: "hello")], measure: OverHTTP.jwks),
        BenchCase(
            name: "peer-jwks", title: "JWKS GET", section: .peer, limits: .ours("jwks"), measure: Peers.keys),
        BenchCase(
            name: "refresh", title: "token refresh", section: .http,
            limits: [Limit(name: "hello"), Limit(name: "store")], measure: { try await OverHTTP.refresh($0, .minimum) }),
        BenchCase(
            name: "peer-refresh", title: "token refresh, used once", section: .peer, limits: .ours("refresh"),
            measure: Peers.refresh),
        BenchCase(
            name: "wrong-code", title: "wrong TOTP code", section: .http,
            limits: [Limit(name: "hello"), Limit(name: "store")],
            measure: { try await OverHTTP.wrongCode($0, .minimum) }),
        BenchCase(
            name: "peer-wrong-code", title: "wrong TOTP code", section: .peer, limits: .ours("wrong-code"),
            measure: Peers.wrongCode),
        BenchCase(
            name: "right-code", title: "right TOTP code: a session and its tokens", section: .http,
            limits: [Limit(name: "hello"), Limit(name: "store")],
            measure: { try await OverHTTP.rightCode($0, .minimum) }),
        BenchCase(
            name: "peer-right-code", title: "right TOTP code, authorization, tokens: three requests", section: .peer,
            limits: .ours("right-code"), measure: Peers.rightCode),
        BenchCase(
            name: "sign-in-minimum", title: "full sign-in, least hash", section: .http,
            limits: [Limit(name: "hello"), Limit(name: "store"), Limit(name: "hash-minimum")],
            measure: { try await OverHTTP.signIn($0, .minimum) }),
        BenchCase(
            name: "peer-sign-in-minimum", title: "full sign-in, least hash: four requests", section: .peer,
            limits: .ours("sign-in-minimum"), measure: Peers.signIn),
        BenchCase(
            name: "passkey-sign-in", title: "sign-in by passkey: the challenge, and the response for the tokens",
            section: .http,
            limits: [
                Limit(name: "hello"), Limit(name: "store"),
                Limit(name: "sign-in-minimum", quantity: .serverMicroseconds),
            ], measure: OverHTTP.passkeySignIn),
        BenchCase(
            name: "sign-in-default", title: "full sign-in, default hash", section: .http,
            limits: [
                Limit(name: "hello"), Limit(name: "store"), Limit(name: "hash-default"), Limit(name: "hash-server"),
            ],
            measure: { try await OverHTTP.signIn($0, .standard) }),
        BenchCase(
            name: "allow", title: "a device allows a request, RSA-2048", section: .http,
            limits: [Limit(name: "hello"), Limit(name: "store"), Limit(name: "rsa-verify")], measure: Pushes.allow),

        BenchCase(
            name: "mailed-code", title: "sign-in by a mailed code, from `initiate` to the tokens", section: .http,
            limits: [Limit(name: "hello"), Limit(name: "store")], measure: Mails.signIn),

        BenchCase(
            name: "web-code", title: "OAuth: `/authorize` with a live session, code, tokens, userinfo", section: .http,
            limits: [Limit(name: "hello"), Limit(name: "store")], measure: Web.codes),
        BenchCase(
            name: "web-refresh", title: "OAuth: refresh", section: .http,
            limits: [Limit(name: "hello"), Limit(name: "store")], measure: { try await Web.refresh($0, .web) }),
        BenchCase(
            name: "introspect", title: "OAuth: introspection", section: .http, limits: [Limit(name: "hello")],
            measure: { try await Web.introspect($0, .web) }),
        BenchCase(
            name: "client-credentials", title: "OAuth: client credentials, Bearer", section: .http,
            limits: [Limit(name: "hello")], measure: { try await Web.clientCredentials($0, isBound: false) }),
        BenchCase(
            name: "client-credentials-dpop", title: "OAuth: client credentials, DPoP", section: .http,
            limits: [
                Limit(name: "hello"), Limit(name: "client-credentials", quantity: .serverMicroseconds),
            ], measure: { try await Web.clientCredentials($0, isBound: true) }),

        BenchCase(
            name: "open", title: "GET where tokens are issued, no scope", section: .guarded,
            measure: { try await Guarded.atIssuer($0, "open") }),
        BenchCase(
            name: "guarded", title: "the same behind a scope", section: .guarded, limits: [Limit(name: "open")],
            measure: { try await Guarded.atIssuer($0, "guarded") }),
        BenchCase(
            name: "guarded-clients", title: "the same, of sixteen clients in turn", section: .guarded,
            limits: [Limit(name: "open")], measure: { try await Guarded.atIssuer($0, "guarded", clients: 16) }),
        BenchCase(
            name: "service-open", title: "GET in another process, no scope", section: .guarded,
            measure: { try await Guarded.atService($0, "open") }),
        BenchCase(
            name: "service-offline", title: "the same behind a scope, by published keys", section: .guarded,
            limits: [Limit(name: "service-open")], measure: { try await Guarded.atService($0, "offline") }),
        BenchCase(
            name: "service-online", title: "the same behind a scope, the issuer asked each time", section: .guarded,
            limits: [Limit(name: "service-open")], measure: { try await Guarded.atService($0, "online") }),
        BenchCase(
            name: "service-online-issuer", title: "what that costs the issuer", section: .guarded,
            measure: Guarded.issuerAsked),

        BenchCase(name: "get-alone", title: "JWKS GET, no other load", section: .mixed, measure: OverHTTP.calm),
        BenchCase(
            name: "get-amid-sign-ins", title: "JWKS GET, eight clients sign in", section: .mixed,
            limits: [Limit(name: "get-alone", quantity: .p99Latency)], measure: OverHTTP.calmAmidSignIns),
        BenchCase(
            name: "push-wire", title: "push to a device that polls, bare connections", section: .push,
            limits: [Limit(name: "get-alone", quantity: .medianLatency)], measure: Pushes.deliveryOnTheWire),
        BenchCase(
            name: "push", title: "push to a device that polls, the client module on both sides", section: .push,
            limits: [
                Limit(name: "get-alone", quantity: .medianLatency), Limit(name: "get-alone", quantity: .p99Latency),
            ], measure: Pushes.delivery),

        BenchCase(
            name: "password-few", title: "right password, 100 users", section: .size,
            measure: { try await OverHTTP.password($0, .few) }),
        BenchCase(
            name: "password-many", title: "right password, many users", section: .size,
            limits: [Limit(name: "password-few", quantity: .serverMicroseconds)],
            measure: { try await OverHTTP.password($0, .many) }),
        BenchCase(
            name: "code-few", title: "right TOTP code, 100 users", section: .size,
            measure: { try await OverHTTP.code($0, .few) }),
        BenchCase(
            name: "code-many", title: "right TOTP code, many users", section: .size,
            limits: [Limit(name: "code-few", quantity: .serverMicroseconds)],
            measure: { try await OverHTTP.code($0, .many) }),

        BenchCase(
            name: "introspect-many", title: "OAuth: introspection, many grants", section: .size,
            limits: [Limit(name: "introspect", quantity: .serverMicroseconds)],
            measure: { try await Web.introspect($0, .webMany) }),
        BenchCase(
            name: "web-refresh-many", title: "OAuth: refresh, many grants", section: .size,
            limits: [Limit(name: "web-refresh", quantity: .serverMicroseconds)],
            measure: { try await Web.refresh($0, .webMany) }),

        BenchCase(
            name: "password-million", title: "right password, a million users", section: .size,
            limits: [Limit(name: "password-few", quantity: .serverMicroseconds)],
            measure: { try await OverHTTP.password($0, .million) }),
        BenchCase(
            name: "code-million", title: "right TOTP code, a million users", section: .size,
            limits: [Limit(name: "code-few", quantity: .serverMicroseconds)],
            measure: { try await OverHTTP.code($0, .million) }),

        BenchCase(
            name: "idle-devices", title: "devices that wait, each on a connection (10,000; --idle)", section: .idle,
            measure: IdleDevices.waiting),

        BenchCase(
            name: "postgres-store", title: "durable writes to the PostgreSQL store, 64 writers", section: .postgres,
            measure: InProcess.postgresStore),
        BenchCase(
            name: "postgres-refresh", title: "token refresh", section: .postgres,
            limits: [Limit(name: "hello"), Limit(name: "postgres-store")],
            measure: { try await OverHTTP.refresh($0, .postgres) }),
        BenchCase(
            name: "postgres-wrong-code", title: "wrong TOTP code", section: .postgres,
            limits: [Limit(name: "hello"), Limit(name: "postgres-store")],
            measure: { try await OverHTTP.wrongCode($0, .postgres) }),
        BenchCase(
            name: "postgres-right-code", title: "right TOTP code: a session and its tokens", section: .postgres,
            limits: [Limit(name: "hello"), Limit(name: "postgres-store")],
            measure: { try await OverHTTP.rightCode($0, .postgres) }),

        BenchCase(
            name: "start", title: "start to the first answer, data is there", section: .start,
            measure: { try await Life.start($0, isFresh: false) }),
        BenchCase(
            name: "start-fresh", title: "start to the first answer, everything has to be made", section: .start,
            measure: { try await Life.start($0, isFresh: true) }),

        BenchCase(
            name: "memory-start", title: "at the start", section: .memory, measure: Life.memoryAtStart),
        BenchCase(
            name: "memory-loaded", title: "after the rounds so far, default hash", section: .memory,
            measure: { try await Life.memory($0, .standard) }),
        BenchCase(
            name: "memory-loaded-minimum", title: "after the rounds so far, least hash, 64 connections of everything",
            section: .memory, measure: { try await Life.memory($0, .minimum) }),
        BenchCase(
            name: "syncs", title: "right TOTP code, 64 connections", section: .syncs, measure: Life.syncs),
    ]
}

extension [BenchCase.Limit] {
    /// Ours beside another server's: how many times as many a second, and which part of the processor time.
    fileprivate static func ours(_ name: String) -> [BenchCase.Limit] {
        [
            BenchCase.Limit(name: name, isInverse: true),
            BenchCase.Limit(name: name, quantity: .serverMicroseconds, isInverse: true),
        ]
    }
}
