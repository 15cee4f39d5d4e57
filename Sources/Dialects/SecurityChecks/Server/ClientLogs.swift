import CountersignCore
import Hummingbird
import SecurityChecks
import SecurityChecksWire
import ServerHTTP

/// What SDKs ask in the background for their own logs ("MobileFirst Runtime REST API: loguploader, clientLogProfile"). There is
/// no such service here, and a refusal would be a fault in the app's log with each start.
extension SecurityChecks {
    /// Paths of routes that throw a body away, whatever it is written in: SDKs compress their logs.
    public static let discardingPaths: Set<String> = [Endpoint.base + "/loguploader"]

    /// Bytes that are taken of logs, as they come.
    private static let logLimit = 1 << 20

    /// `POST loguploader`: nothing of it is looked at or kept.
    func takeLogs(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        try await request.discardBody(limit: Self.logLimit)
        return try .json(JSONValue.object([:]))
    }

    /// `GET clientLogProfile/{app}/{platform}/{version}`: there is none, so that each app logs as it is set up to. Android's SDK
    /// insists on the member.
    func logProfile(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        try .json(JSONValue.object(["clientLogProfiles": .array([])]))
    }
}
