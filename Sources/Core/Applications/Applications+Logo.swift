import Crypto
import Foundation

/// Pictures by which people know an application on the pages of a sign-in.
///
/// Each is a document of its own: requests read an application often, and its picture seldom.
extension Applications {
    /// Puts a picture in place of an application's; nil takes it away.
    /// - Parameters:
    ///   - png: as it is served: decoded and written anew by the caller (docs/decisions/0299).
    ///   - present: judges what is registered, as of the transaction, and throws where the caller may not change it.
    /// - Returns: nil where there is no such application.
    public func setLogo(
        _ png: Data?, of id: ClientID, by client: ClientContext,
        judging present: @escaping @Sendable (ApplicationRegistration) throws -> Void = { _ in }
    ) async throws -> Application? {
        let realm = realm
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let name = png.map { Self.logoName(id, $0) }
        return try await realm.store.write { transaction in
            guard var application = try transaction.registeredApplication(id) else { return nil }
            try present(application.registration)
            var pictures: [String: Data] = [:]
            if let former = application.registration.oauth.logo { pictures[Self.document(ofLogo: former)] = Data() }
            if let name, let png { pictures[Self.document(ofLogo: name)] = png }
            application.registration.oauth.logo = name
            _ = try transaction.update(application)
            // In the one order of locks: documents after applications, and by their names.
            for (document, picture) in pictures.sorted(by: { $0.key < $1.key }) {
                try transaction.putDocument(document, picture)
            }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .applicationChanged, userID: nil, context: client,
                    details: ["application": .string(id.rawValue), "logo": .bool(png != nil)]))
            return try transaction.registeredApplication(id)
        }
    }

    /// The picture of a name that a registration has; nil where there is none.
    public func logo(_ name: String) async throws -> Data? {
        guard name.utf8.count == 32, name.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
            return nil
        }
        let document = try await realm.store.read { try $0.document(Self.document(ofLogo: name)) }
        return document.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Of the application and the picture, so that browsers keep it for as long as they like, and no two applications share one.
    private static func logoName(_ id: ClientID, _ png: Data) -> String {
        Data(SHA256.hash(data: Data(id.rawValue.utf8) + [0] + png).prefix(16)).hex
    }

    static func document(ofLogo name: String) -> String { "logo.\(name)" }
}
