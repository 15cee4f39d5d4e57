import Foundation

extension AuthorizationRequests {
    static let pushedPurpose = "pushed-authorization"
    /// Seconds for which a pushed request may be brought (RFC 9126, section 2.2).
    public static let pushedLifetime: TimeInterval = 60
    /// What the names of pushed requests begin with (RFC 9126, section 2.2).
    public static let pushedPrefix = "urn:ietf:params:oauth:request_uri:"

    private struct PushedBody: Codable {
        let client: ClientID
        let parameters: [String: [String]]
    }

    /// Keeps the parameters of a request that an application sends ahead (RFC 9126). They were validated and are validated again
    /// when they are brought, as the registration may have changed.
    /// - Parameter source: the address that the request is counted for; nil where an application that an administrator let in showed who it
    ///   is. Each is a row.
    /// - Returns: what the `request_uri` names.
    public func push(
        _ parameters: [String: [String]], of client: ClientID, from source: String?
    ) async throws -> AuthorizationBeginning {
        let realm = realm
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random, prefix: Self.pushedPrefix)
        return try await realm.store.write { transaction in
            let body = try realm.sealer.seal(
                JSONEncoder().encode(PushedBody(client: client, parameters: parameters)), for: .flow(handle.digest),
                in: transaction)
            if let source, let until = try transaction.chargeRow(of: source, bytes: body.count, at: now) {
                return .limited(until: until)
            }
            _ = try transaction.insert(
                FlowRecord(
                    digest: handle.digest, userID: nil, purpose: Self.pushedPurpose, createdAt: now,
                    expiresAt: now + Self.pushedLifetime, body: body))
            return .begun(handle)
        }
    }

    /// The parameters that a `request_uri` names, and what names them when they are used up.
    /// - Returns: nil where it is unknown, too old, another application's, or was used.
    public func pushed(_ uri: String, of client: ClientID) async throws -> (parameters: [String: [String]], id: Data)? {
        guard uri.hasPrefix(Self.pushedPrefix) else { return nil }
        let realm = realm
        let now = realm.clock.now
        let digest = FlowHandle(uri).digest
        return try await realm.store.read { transaction in
            guard let record = try transaction.flow(digest: digest), record.purpose == Self.pushedPurpose,
                record.finishedAt == nil, record.expiresAt > now
            else { return nil }
            let body = try JSONDecoder().decode(
                PushedBody.self, from: realm.sealer.open(record.body, for: .flow(digest)))
            return body.client == client ? (body.parameters, digest) : nil
        }
    }
}

extension AuthorizationRequest {
    /// Notes the pushed request that this came of: the code of this one uses it up.
    public mutating func cameOf(pushed id: Data) { pushed = id }
}
