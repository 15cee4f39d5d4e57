import CountersignCore
import DialectTestSupport
import Foundation
import Testing

/// A handle as a client has it, and how to see that it is still good where it belongs.
struct Handle: Sendable {
    private(set) var text: String
    /// The application that asks with it, where the endpoint wants to know.
    var application: String
    /// What would be the right answer to it: a mailed code, an authenticator's.
    var answer: String
    /// Whose ID token goes with it.
    var idToken: String
    /// Uses it where it belongs.
    let finish: @Sendable () async throws -> Bool

    init(
        _ text: String?, in scene: Scene, application: String? = nil, answer: String? = nil, idToken: String? = nil,
        finish: @escaping @Sendable (String) async throws -> Bool
    ) throws {
        guard let text else { throw Unexpected(what: "no handle") }
        self.text = text
        self.application = application ?? scene.application.id
        self.answer = answer ?? scene.code
        self.idToken = idToken ?? scene.idTokens.ada
        self.finish = { try await finish(text) }
    }

    /// A text of the same form that names nothing. The last character of each part stays: other ones may be no end of
    /// Base64 (RFC 4648, section 3.5).
    static func madeUp(_ text: String) -> String {
        text.split(separator: ".", omittingEmptySubsequences: false).map { part in
            shifted(part.dropLast()) + part.suffix(1)
        }.joined(separator: ".")
    }

    private static func shifted(_ text: Substring) -> String {
        String(
            text.map { character in
                let digits = Array("0123456789")
                let letters = Array("abcdefghijklmnopqrstuvwxyz")
                let capitals = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
                for alphabet in [digits, letters, capitals] {
                    if let index = alphabet.firstIndex(of: character) {
                        return alphabet[(index + 3) % alphabet.count]
                    }
                }
                return character
            })
    }

    /// A signed token: what is told of it depends on what it says.
    static func isSigned(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).count == 3
    }

    /// The texts that an attacker would try: the whole handle, and the part that names the flow, which is public.
    var texts: [String] {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let name =
            Self.isSigned(text)
            ? [UInt8](base64URL: parts[1]).flatMap { try? JSON(parsing: $0)["flow"].text }
            : parts.first.map(String.init)
        guard let name, name != text else { return [text] }
        return [text, name]
    }

    func with(_ text: String) -> Handle {
        var handle = self
        handle.text = text
        return handle
    }
}

/// A kind of handle: where it is taken, and how one comes to be.
struct HandleKind: Sendable, CustomTestStringConvertible {
    let name: String
    /// The endpoints that take it; everywhere else it is as unknown as a made-up one.
    let own: Set<String>
    let make: @Sendable (Scene) async throws -> Handle

    init(_ name: String, at own: [String], _ make: @escaping @Sendable (Scene) async throws -> Handle) {
        self.name = name
        self.own = Set(own)
        self.make = make
    }

    var testDescription: String { name }
}

/// An endpoint that takes a handle, with everything else in its request as it should be.
struct HandleEndpoint: Sendable {
    let name: String
    let send: @Sendable (Scene, Handle) async throws -> Reply

    init(_ name: String, _ send: @escaping @Sendable (Scene, Handle) async throws -> Reply) {
        self.name = name
        self.send = send
    }
}

extension Reply {
    /// The body without what differs from answer to answer: ids and times.
    var told: String {
        text.replacing(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "<id>")
            .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z?/, with: "<time>")
    }
}
