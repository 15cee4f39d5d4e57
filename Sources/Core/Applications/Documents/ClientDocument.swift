import Foundation

/// When an application's document was read, beside the registration that was made of it.
public struct ClientDocument: Sendable, Equatable, Codable {
    /// When it was read last.
    public let readAt: Date
    /// Until when it counts without being read again.
    public let freshUntil: Date
    /// When it last said something else of what users are asked about: consents of before do not count.
    public let changedAt: Date

    init(readAt: Date, freshUntil: Date, changedAt: Date) {
        self.readAt = readAt
        self.freshUntil = freshUntil
        self.changedAt = changedAt
    }
}

/// Whose documents are taken for registrations of clients.
public enum ClientDocumentMode: String, Sendable, Codable, CaseIterable {
    /// No one's.
    case off
    /// Those at listed addresses.
    case listed
    /// All that can be fetched.
    case any
}

extension OAuthSettings {
    /// Entries that a list of addresses of documents has at most.
    public static let mostDocumentPatterns = 200

    /// Whether an entry of a list can be read (``ClientDocumentPattern``).
    public static func isDocumentPattern(_ text: String) -> Bool { ClientDocumentPattern(text) != nil }

    /// Whether the operator named the address: its document may say more (`docs/decisions/0445`).
    func lists(_ id: ClientDocumentID) -> Bool { Self.isCovered(id, by: listedDocuments) }

    /// Whether the document of an address is taken.
    public func admits(_ id: ClientDocumentID) -> Bool {
        if Self.isCovered(id, by: blockedDocuments) { return false }
        return switch clientDocuments {
        case .off: false
        case .listed: lists(id)
        case .any: true
        }
    }

    private static func isCovered(_ id: ClientDocumentID, by list: [String]?) -> Bool {
        (list ?? []).contains { ClientDocumentPattern($0)?.covers(id) ?? false }
    }
}

extension ApplicationRegistration {
    /// Whether users were asked about the same: name, addresses and keys (draft-ietf-oauth-client-id-metadata-document-02, section 6.4).
    func isSameToUsers(as other: ApplicationRegistration) -> Bool {
        displayName == other.displayName && redirectURIs == other.redirectURIs && assertionKeys == other.assertionKeys
            && oauth.jwksURI == other.oauth.jwksURI && oauth.authMethod == other.oauth.authMethod
    }
}

extension ApplicationRegistration {
    /// Takes over what administrators say of an application whatever its document says: that stays when the document is read anew.
    mutating func takeAdministration(of other: ApplicationRegistration) {
        isDisabled = other.isDisabled
        requiresSecondFactor = other.requiresSecondFactor
        ownerNote = other.ownerNote
        contacts = other.contacts
        oauth.defaultACR = other.oauth.defaultACR
        oauth.defaultMaxAge = other.oauth.defaultMaxAge
        oauth.redirectsOn = other.oauth.redirectsOn
    }

    /// Whether some of a change would be undone when the document is read next that the registration was made of.
    public func isUndone(whereChangedFrom before: ApplicationRegistration) -> Bool {
        guard case .document = before.oauth.origin else { return false }
        var lasting = before
        lasting.takeAdministration(of: self)
        return lasting != self
    }
}

extension AuditEvent.Kind {
    /// A document was read for the first time, or says something else than before.
    public static let clientDocumentRead = Self(rawValue: "client-document.read")
    /// A document was not taken, or could not be read.
    public static let clientDocumentRefused = Self(rawValue: "client-document.refused")
    /// An administrator had a document forgotten.
    public static let clientDocumentForgotten = Self(rawValue: "client-document.forgotten")
}
