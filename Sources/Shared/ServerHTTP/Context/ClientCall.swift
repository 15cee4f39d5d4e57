import CountersignCore
import HummingbirdCore

/// One request without its body: the client, and what path, query and `Authorization` say.
public struct ClientCall: Sendable {
    public let client: ClientContext
    /// The parts of the path that the route names, decoded.
    public let parameters: [String: String]
    /// The parameters of the query, decoded.
    public let query: [String: String]
    public let authorization: Authorization
    /// For requests that wait.
    public let departure: ClientDeparture

    public init(_ request: Request, _ context: CountersignRequestContext, client: ClientContext) {
        self.client = client
        departure = context.departure
        parameters = context.pathParameters
        query = request.queryItems
        authorization = Authorization(of: request)
    }

    /// What the client sent after a scheme of `Authorization`; nil where it is another or none.
    public func credentials(_ scheme: String) -> String? { authorization.credentials(scheme) }
}
