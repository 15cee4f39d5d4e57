import Foundation
import JSON

/// What stands for the ID token of an application that has a user signed out, in the addresses that lead the browser through the pages of
/// this server: an ID token says who the user is, and addresses are kept by browsers, proxies and logs (docs/decisions/0563).
///
/// Nothing is stored: a reference says what it is about, and carries a digest by the realm's key.
public struct SignOutReferences: Sendable {
    let realm: Realm

    /// Seconds for which one is good: as long as a user may look at the page that asks.
    public static let lifetime: TimeInterval = 3600
    /// What the digest is made for, so that no other digest by the same key passes for one.
    private static let context = "sign-out"

    /// Whose ID token it stands for.
    public struct Named: Sendable, Equatable {
        /// The application that the token was issued to.
        public let application: ClientID
        /// The session that the token names; nil where it names none.
        public let session: SessionID?

        /// A token of this application and of this session.
        public init(application: ClientID, session: SessionID?) {
            self.application = application
            self.session = session
        }
    }

    private struct Content: Codable {
        let application: String
        let session: String?
        let expiresAt: Date
    }

    /// A reference to a token that was verified.
    public func reference(to named: Named) async throws -> String {
        let sealer = realm.sealer
        let content = Content(
            application: named.application.rawValue, session: named.session?.rawValue,
            expiresAt: realm.clock.now + Self.lifetime)
        let text = try JSONEncoder().encode(content).base64URL
        let digest = try await realm.store.read { try sealer.digest(text, for: Self.context, in: $0) }
        return "\(text).\(digest.base64URL)"
    }

    /// What a reference stands for; nil where it is none of this realm's, or its time is over.
    public func named(by reference: String) -> Named? {
        let parts = reference.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let digest = [UInt8](base64URL: parts[1]),
            realm.sealer.recognises(String(parts[0]), Data(digest), for: Self.context),
            let coded = [UInt8](base64URL: parts[0]),
            let content = try? JSONDecoder().decode(Content.self, from: Data(coded)),
            realm.clock.now < content.expiresAt
        else { return nil }
        return Named(
            application: ClientID(rawValue: content.application),
            session: content.session.map(SessionID.init(rawValue:)))
    }
}

extension Realm {
    /// What stands for ID tokens of applications that have users signed out.
    public var signOutReferences: SignOutReferences { SignOutReferences(realm: self) }
}
