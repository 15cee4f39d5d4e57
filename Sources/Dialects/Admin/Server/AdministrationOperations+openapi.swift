import CountersignCore
import Foundation
import HTTPTypes
import ServerHTTP

extension AdministrationOperations {
    /// What `/openapi.json` says of the operations: their own names, rights, members and answers.
    public static var openAPI: [OpenAPIEndpoint] {
        all.map { describe($0) }
    }

    private static func describe<Operation: AdministrationOperation>(_ type: Operation.Type) -> OpenAPIEndpoint {
        let words = type.name.split { ":-".contains($0) }
        return OpenAPIEndpoint(
            .post, "/admin/v1/\(type.name)", id: "admin" + words.map(\.capitalized).joined(), "\(type)",
            tag: "administration", security: .administrator(right: type.right.rawValue),
            request: .json(JSONSchema(of: type).closed), response: JSONSchema(of: type.Answer.self).value,
            refusal: OpenAPIEndpoint.problem)
    }
}
