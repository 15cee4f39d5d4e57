import CountersignCore
import Foundation
import JSON
import Testing

@testable import StoreSQL

@Suite("JSON inside rows")
struct DocumentTests {
    private func asAnyDocument(_ value: some StoredJSON) throws -> SQLValue { try Document.encode(value) }

    @Test
    func `Details of the log are the text that they are as any other document`() throws {
        let all: [[String: JSONValue]] = [
            [:], ["purpose": .string("signIn"), "kind": .null],
            [
                "b": .array([.integer(1), .object(["é": .bool(true), "a": .number(0.5)])]), "B": .string("\u{0}\"\\"),
                "": .null,
            ],
        ]
        for details in all {
            let text = try Document.encode(details)
            #expect(text == (try asAnyDocument(details)))
            guard case .text(let stored) = text else { throw NoText() }
            #expect(try Document.decode([String: JSONValue].self, from: stored) == details)
        }
    }

    @Test
    func `A grant's terms of before have no proofs of its own, and those of a session are not read as such`() throws {
        for text in [
            #"{"details":{},"dialect":"oauth","scopes":["openid"]}"#,
            #"{"details":{},"dialect":"oauth","proven":null,"scopes":["openid"]}"#,
            #"{"dialect":"oauth","proofs":[{"at":1,"isSecondFactor":false,"kind":"password"}],"scopes":["openid"]}"#,
        ] {
            let document = try Document.decode(GrantDocument.self, from: text)
            #expect(document.proven == nil && document.terms == GrantTerms(scopes: ["openid"]), "\(text)")
            let written = #"{"details":{},"dialect":"oauth","scopes":["openid"]}"#
            #expect(try asAnyDocument(document) == .text(written), "\(text)")
        }
        let proven = try Document.decode(
            GrantDocument.self,
            from: #"{"dialect":"oauth","proven":[{"at":1500000,"isSecondFactor":true,"kind":"totp"}],"scopes":[]}"#)
        #expect(
            proven.proven == [Proof(kind: .totp, at: Date(microseconds: 1_500_000), isSecondFactor: true)])
    }

    private struct NoText: Error {}
}
