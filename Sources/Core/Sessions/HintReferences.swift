import Foundation
import JSON

/// What stands for an ID token that hints at a user, where an application has the user signed in or out, in the addresses that lead the
/// browser through the pages of this server: the token has the user's name and address, and addresses are kept by browsers, proxies and
/// logs (docs/decisions/0563).
///
/// Nothing is stored: a reference says what it is about, and carries a digest by the realm's key.
public struct HintReferences: Sendable {
    let realm: Realm

    /// Seconds for which one is good: as long as a user may look at the page that asks.
    public static let lifetime: TimeInterval = 3600

    /// What a reference is for, which its digest is made for: one for the one is none for the other.
    public enum Use: String, Sendable, CaseIterable {
        /// At the authorization endpoint: who is expected to sign in (OpenID Connect Core, section 3.1.2.1).
        case signingIn = "hint-sign-in"
        /// At the end-session endpoint: whose sign-in ends (OpenID Connect RP-Initiated Logout, section 2).
        case signingOut = "hint-sign-out"
    }

    /// Whose ID token it stands for.
    public struct Named: Sendable, Equatable {
        /// The application that the token was issued to.
        public let application: ClientID
        /// The session that the token names; nil where it names none.
        public let session: SessionID?
        /// The user whom the token hints at; nil where the reference is to sign out by.
        public let user: UserID?

        /// A token of this application, of this session or this user.
        public init(application: ClientID, session: SessionID? = nil, user: UserID? = nil) {
            self.application = application
            self.session = session
            self.user = user
        }
    }

    private struct Content: Codable {
        let application: String
        let session: String?
        let user: String?
        let expiresAt: Date
    }

    /// A reference to a token that was verified.
    public func reference(to named: Named, for use: Use) async throws -> String {
        let sealer = realm.sealer
        let content = Content(
            application: named.application.rawValue, session: named.session?.rawValue, user: named.user?.rawValue,
            expiresAt: realm.clock.now + Self.lifetime)
        let text = try JSONEncoder().encode(content).base64URL
        let digest = try await realm.store.read { try sealer.digest(text, for: use.rawValue, in: $0) }
        return "\(text).\(digest.base64URL)"
    }

    /// What a reference stands for; nil where it is none of this realm's for this use, or its time is over.
    public func named(by reference: String, for use: Use) -> Named? {
        let parts = reference.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let digest = [UInt8](base64URL: parts[1]),
            realm.sealer.recognises(String(parts[0]), Data(digest), for: use.rawValue),
            let coded = [UInt8](base64URL: parts[0]),
            let content = try? JSONDecoder().decode(Content.self, from: Data(coded)),
            realm.clock.now < content.expiresAt
        else { return nil }
        return Named(
            application: ClientID(rawValue: content.application),
            session: content.session.map(SessionID.init(rawValue:)), user: content.user.map(UserID.init(rawValue:)))
    }
}

extension Realm {
    /// What stands for ID tokens in addresses of this server.
    public var hintReferences: HintReferences { HintReferences(realm: self) }
}
