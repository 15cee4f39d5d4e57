/// What applications of OAuth ask.
enum Web {
    @Sendable static func codes(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let (subject, cookies) = try await browsers(bench, .web)
        return try await bench.measure(subject) { number in
            GettingCodes(cookie: cookies[number % cookies.count], source: Person(number: number).source)
        }.quantities
    }

    static func refresh(_ bench: Workbench, _ kind: Workbench.Subject.Kind) async throws -> [Quantity: [Double]] {
        let (subject, cookies) = try await browsers(bench, kind)
        let tokens = Collected<String>()
        _ = try await bench.load.run(port: subject.server.port, connections: 64, seconds: 600) { number in
            GettingCodes(
                cookie: cookies[number % cookies.count], source: Person(number: number).source, refreshTokens: tokens,
                times: 1)
        }
        return try await bench.measure(subject) { number in
            guard let token = tokens.take() else { throw OutOfPeople() }
            return RefreshingWeb(source: Person(number: number).source, token: token)
        }.quantities
    }

    static func introspect(_ bench: Workbench, _ kind: Workbench.Subject.Kind) async throws -> [Quantity: [Double]] {
        let (subject, _) = try await browsers(bench, kind)
        let tokens = Collected<String>()
        _ = try await bench.load.run(port: subject.server.port, connections: 1, seconds: 600) { _ in
            AskingForItself(source: Person(number: 0).source, proving: nil, tokens: tokens, remaining: 1)
        }
        guard let token = tokens.take() else { throw OutOfPeople() }
        return try await bench.measure(subject) { number in
            Introspecting(source: Person(number: number).source, token: token)
        }.quantities
    }

    static func clientCredentials(_ bench: Workbench, isBound: Bool) async throws -> [Quantity: [Double]] {
        let (subject, _) = try await browsers(bench, .web)
        let url = "http://127.0.0.1:\(subject.server.port)/oauth/token"
        return try await bench.measure(subject) { number in
            AskingForItself(
                source: Person(number: number).source, proving: isBound ? (url: url, key: ProvingKey()) : nil)
        }.quantities
    }

    private static func browsers(
        _ bench: Workbench, _ kind: Workbench.Subject.Kind
    ) async throws -> (Workbench.Subject, cookies: [String]) {
        let subject = try await bench.subject(kind)
        return (subject, await bench.cookies[kind] ?? [])
    }
}
