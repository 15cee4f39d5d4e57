import Crypto
import Foundation
import Synchronization
import Testing

@testable import CountersignCore

/// Key sets that applications publish.
@Suite("Published key sets")
struct ClientKeySetsTests {
    private static let uri = "https://app.example/jwks"
    private static let start = Date(timeIntervalSince1970: 1_790_000_000)

    /// A server of key sets that a test changes.
    private final class Publisher: KeySetFetcher {
        let state = Mutex<(answer: FetchedKeySet?, strangers: [Bool])>((nil, []))

        var count: Int { state.withLock { $0.strangers.count } }

        func publish(_ ids: [String], lifetime: TimeInterval? = nil) {
            let keys = ids.map { id in
                let point = Array(P256.Signing.PrivateKey().publicKey.rawRepresentation)
                return "{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"\(id)\",\"x\":\"\(point[..<32].base64URL)\","
                    + "\"y\":\"\(point[32...].base64URL)\"}"
            }
            answer("{\"keys\":[\(keys.joined(separator: ","))]}", lifetime: lifetime)
        }

        func answer(_ text: String?, lifetime: TimeInterval? = nil) {
            state.withLock { $0.answer = text.map { FetchedKeySet(body: Data($0.utf8), lifetime: lifetime) } }
        }

        func fetch(_ uri: String, isStrangers: Bool) async -> FetchedKeySet? {
            state.withLock { state in
                state.strangers.append(isStrangers)
                return state.answer
            }
        }
    }

    private func names(
        _ sets: ClientKeySets, naming id: String? = nil, after seconds: TimeInterval
    ) async -> [String] {
        await sets.keys(of: Self.uri, naming: id, at: Self.start + seconds).compactMap(\.id)
    }

    @Test
    func `What a stranger names is fetched for strangers, and kept apart`() async {
        let publisher = Publisher()
        publisher.publish(["a"])
        let sets = ClientKeySets(publisher)
        #expect(await names(sets, after: 0) == ["a"] && publisher.count == 1)
        publisher.answer(nil)
        #expect(await sets.keys(of: Self.uri, isStrangers: true, naming: nil, at: Self.start).isEmpty)
        #expect(publisher.state.withLock { $0.strangers } == [false, true])
        #expect(await names(sets, after: 1) == ["a"])
    }

    @Test
    func `Keys are kept for five minutes at least and a day at most`() async {
        for (lifetime, kept) in [(nil, 300.0), (10, 300), (3600, 3600), (1_000_000, 86_400)] as [(Double?, Double)] {
            let publisher = Publisher()
            publisher.publish(["a"], lifetime: lifetime)
            let sets = ClientKeySets(publisher)
            #expect(await names(sets, after: 0) == ["a"])
            #expect(await names(sets, naming: "a", after: kept - 1) == ["a"] && publisher.count == 1)
            publisher.publish(["b"], lifetime: lifetime)
            #expect(await names(sets, after: kept) == ["b"] && publisher.count == 2)
        }
    }

    @Test
    func `A key that is not there is looked for once a minute`() async {
        let publisher = Publisher()
        publisher.publish(["a"], lifetime: 3600)
        let sets = ClientKeySets(publisher)
        #expect(await names(sets, naming: "a", after: 0) == ["a"])
        publisher.publish(["a", "b"], lifetime: 3600)
        for second in [1.0, 30, 59] { #expect(await names(sets, naming: "b", after: second) == ["a"]) }
        #expect(publisher.count == 1)
        #expect(await names(sets, naming: "b", after: 60) == ["a", "b"])
        for second in [61.0, 100] { #expect(await names(sets, naming: "z", after: second).count == 2) }
        #expect(publisher.count == 2)
        #expect(await names(sets, naming: "z", after: 121).count == 2)
        #expect(publisher.count == 3)
    }

    @Test
    func `While the server of the keys is away those of before go on, and none are made up`() async {
        let publisher = Publisher()
        let sets = ClientKeySets(publisher)
        #expect(await names(sets, after: 0).isEmpty)
        #expect(await names(sets, after: 1).isEmpty && publisher.count == 1, "not at once again")
        publisher.publish(["a"])
        #expect(await names(sets, after: 6) == ["a"])
        publisher.answer(nil)
        #expect(await names(sets, after: 400) == ["a"])
        publisher.answer("<html>")
        #expect(await names(sets, after: 500) == ["a"])
        publisher.publish(["b"])
        #expect(await names(sets, after: 600) == ["b"])
    }

    @Test
    func `Keys for other purposes and of other kinds are left out, and so are private ones`() async {
        let publisher = Publisher()
        publisher.answer(
            #"{"keys":[{"kty":"oct","k":"AQAB","kid":"secret"},{"kty":"OKP","crv":"X25519","x":"AA","kid":"okp"},"#
                + #"{"kty":"EC","crv":"P-256","kid":"enc","use":"enc","x":"AA","y":"AA"},7]}"#)
        let sets = ClientKeySets(publisher)
        #expect(await sets.keys(of: Self.uri, naming: nil, at: Self.start).isEmpty)
        #expect(AssertionKey.usableKeys(ofJWKS: Data("[]".utf8)) == nil)
        #expect(AssertionKey.usableKeys(ofJWKS: Data("{}".utf8)) == nil)
    }

    @Test
    func `The set that was not used for longest makes room for another, and strangers take no room of others`() async {
        let publisher = Publisher()
        publisher.publish(["a"], lifetime: 3600)
        let sets = ClientKeySets(publisher)
        func ask(_ number: Int, isStrangers: Bool = false) async -> Int {
            let before = publisher.count
            let uri = "https://app\(number).example/jwks"
            let keys = await sets.keys(of: uri, isStrangers: isStrangers, naming: "a", at: Self.start)
            #expect(keys.count == 1)
            return publisher.count - before
        }
        for number in 0..<ClientKeySets.capacity { #expect(await ask(number) == 1) }
        #expect(await ask(0) == 0, "kept, and used again")
        for number in 0..<(ClientKeySets.capacity + 1) { #expect(await ask(number, isStrangers: true) == 1) }
        #expect(await ask(2) == 0)
        #expect(await ask(ClientKeySets.capacity) == 1, "in the place of the second")
        for number in [0, 2, 3] { #expect(await ask(number) == 0) }
        #expect(await ask(1) == 1)
    }

    @Test
    func `Twenty who ask at once are one question`() async {
        let publisher = Publisher()
        publisher.publish(["a"])
        let sets = ClientKeySets(publisher)
        let answers = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<20 { group.addTask { await names(sets, naming: "a", after: 0) } }
            return await group.reduce(into: [[String]]()) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0 == ["a"] } && publisher.count == 1)
    }
}
