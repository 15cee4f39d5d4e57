import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

extension TestServer {
    /// A method below the project, as an administrator.
    func administer(_ method: String, _ body: JSON = [:], scope: String = "/v1/projects/countersign") async throws
        -> Reply
    {
        try await post("\(scope)/accounts\(method)", body, headers: administrator)
    }

    /// The account as administrators see it; null where there is none.
    func record(of id: String) async throws -> JSON {
        try await administer(":lookup", ["localId": [.string(id)]]).json["users"][0]
    }

    /// Makes an account, which has to work.
    @discardableResult
    func create(_ body: JSON) async throws -> String {
        let reply = try await administer("", body)
        return try #require(reply.json["localId"].text, "\(reply.text)")
    }
}

/// A row of a table of refusals.
struct Refused: Sendable, CustomTestStringConvertible {
    let body: JSON
    let message: String

    init(_ body: JSON, _ message: String) {
        self.body = body
        self.message = message
    }

    var testDescription: String { message }
}
