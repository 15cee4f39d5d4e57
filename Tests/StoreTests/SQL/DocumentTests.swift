import CountersignCore
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

    private struct NoText: Error {}
}
