import Foundation
import HTTPTypes
import ServerHTTP

extension AccountAPI {
    /// What `/openapi.json` says of the endpoints: their own list.
    public static var openAPI: [OpenAPIEndpoint] {
        endpoints.map { endpoint in
            let words = endpoint.path.dropFirst(prefix.count).split { "/{}-".contains($0) }
            let name = words.map(\.capitalized).joined()
            return OpenAPIEndpoint(
                endpoint.method, endpoint.path, id: "account\(endpoint.method.rawValue.capitalized)\(name)",
                endpoint.summary, tag: "account", security: .accessToken(scope: scope), query: endpoint.query,
                request: endpoint.request.map { .json(JSONSchema(of: $0).closed) } ?? .none,
                response: endpoint.response.map { JSONSchema(of: $0).value }, status: endpoint.status,
                refusal: OpenAPIEndpoint.problem)
        }
    }
}
