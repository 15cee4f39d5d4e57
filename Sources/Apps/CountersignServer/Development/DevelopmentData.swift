import AccountServer
import CountersignCore
import OAuthServer
import SecurityChecks

/// What sets a development database apart: applications whose ids and secrets are in the documentation.
///
/// They are kept like others, so that commands show and change them. They are harmless because a start that is not for
/// development refuses the data that has them (docs/decisions/0104-development-data-stays-development-data.md).
enum DevelopmentData {
    /// The application that every dialect knows.
    static let application = ClientID(rawValue: "dev-app")
    /// The confidential client of resource servers.
    static let resourceServer = (id: ClientID(rawValue: "test"), secret: Secret("test"))

    /// An application on a server, of a third party.
    static let web = (id: ClientID(rawValue: "dev-web"), secret: Secret("dev-web-secret"))
    /// An application on a person's own device, of the operator's.
    static let native = ClientID(rawValue: "dev-native")
    /// The API that their scope `api` belongs to.
    static let resource = Resource(
        uri: "http://127.0.0.1/api", name: "Development", scopes: [Resource.Scope(name: "api")])

    /// All that development brings.
    static var samples: [ClientID] {
        [application, web.id, native] + SampleChecks.applications.map { ClientID(rawValue: $0.id) } + [
            resourceServer.id
        ]
    }

    /// Another application may be called `test`, and then has another secret.
    static func isSample(_ application: Application) -> Bool {
        switch application.id {
        case resourceServer.id: application.hasPublishedSecret(resourceServer.secret)
        case web.id: application.hasPublishedSecret(web.secret)
        // A public one of that name is nothing to attack.
        case native: application.registration.redirectURIs == nativeRedirectURIs
        default: true
        }
    }

    /// Finds out what the data of a store is for, and marks it where a start decides it.
    /// - Throws: ``DataKindMismatch`` where a start is for the other kind; ``DataDirectoryError/notThere(_:)`` where a
    ///   command finds a database that no server has used; `StoreError`.
    static func kind(
        of store: any Store, for purpose: OpenedRealm.Purpose, place: DataKindMismatch.Place
    ) async throws -> DataKind {
        switch purpose {
        case .start(let wanted):
            let found = try await wanted.claim(store, samples: samples, isSample: isSample)
            if case .unknown(let kind) = found { throw StoreError.unknownKind(kind) }
            guard let kind = found.kind, kind != wanted else { return wanted }
            throw DataKindMismatch(place: place, finding: found)
        case .administration:
            switch try await DataKind.find(in: store, samples: samples, isSample: isSample) {
            case .unused:
                if case .directory(let path) = place { throw DataDirectoryError.notThere(path) }
                throw DataDirectoryError.unusedDatabase
            case .unknown(let kind): throw StoreError.unknownKind(kind)
            case .marked(let kind): return kind
            case .unmarked(let samples): return samples.isEmpty ? .production : .development
            }
        }
    }

    /// Makes the samples that are not there.
    static func prepare(_ realm: Realm) async throws {
        try await add(
            application,
            ApplicationRegistration(
                displayName: "Development", redirectURIs: ["http://127.0.0.1/callback"],
                challengeTypes: ["oob", "password", "redirect"],
                scopes: ["openid", "profile", "email", "offline_access", "api"],
                audiences: [ApplicationRegistration.anyAudience]),
            to: realm)
        for (id, name, mapping) in SampleChecks.applications {
            try await add(
                ClientID(rawValue: id),
                ApplicationRegistration(
                    displayName: name, versions: [ApplicationVersion(scopeElementMapping: mapping)]),
                to: realm)
        }
        var test = ApplicationRegistration(displayName: "Resource servers in development", scopes: ["*"])
        test.setSecret(resourceServer.secret)
        try await add(resourceServer.id, test, to: realm)
        try await addOAuthClients(to: realm)
    }

    private static let nativeRedirectURIs = ["http://127.0.0.1/callback"]

    private static func addOAuthClients(to realm: Realm) async throws {
        let scopes = ["openid", "profile", "email", "offline_access", "api"]
        var site = ApplicationRegistration(
            displayName: "Development web",
            redirectURIs: ["http://127.0.0.1/callback", "http://localhost/callback"], scopes: scopes)
        site.oauth = OAuthRegistration(kind: .web)
        site.oauth.authMethod = .secretBasic
        site.oauth.grantTypes = ["authorization_code", "refresh_token", "client_credentials"]
        site.oauth.resources = [resource.uri]
        site.setSecret(web.secret)
        try await add(web.id, site, to: realm)
        var app = ApplicationRegistration(
            displayName: "Development app", redirectURIs: nativeRedirectURIs,
            scopes: scopes + OAuth.AccountScope.allCases.map(\.rawValue) + [AccountAPI.scope])
        app.oauth = OAuthRegistration(kind: .native)
        app.oauth.authMethod = ClientAuthenticationMethod.none
        app.oauth.isFirstParty = true
        app.oauth.grantTypes = [
            "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
            OAuth.passkeyGrantType,
        ]
        app.oauth.resources = [resource.uri]
        try await add(native, app, to: realm)
        if try await realm.resources.resource(resource.uri) == nil {
            _ = try await realm.resources.put(resource, by: .commandLine)
        }
    }

    private static func add(_ id: ClientID, _ registration: ApplicationRegistration, to realm: Realm) async throws {
        guard try await realm.applications.registered(id) == nil else { return }
        _ = try await realm.applications.add(id: id, registration, by: .commandLine)
    }
}

extension StoreError {
    fileprivate static func unknownKind(_ kind: String) -> StoreError {
        StoreError(
            .outdated, "the data is of the kind \"\(kind.prefix(40))\", which a newer program made: start that one")
    }
}

/// Why a start is refused: the data is for development and the start is not, or the other way round.
public struct DataKindMismatch: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where the data is.
    public enum Place: Sendable, Equatable {
        /// In the data directory of that path.
        case directory(String)
        /// In PostgreSQL.
        case database
    }

    /// Where the data is that the start was refused for.
    public let place: Place
    /// What the data says that it is for. The start was for the other kind.
    public let finding: DataKind.Finding

    public var description: String {
        let (name, option) =
            switch place {
            case .directory(let path): (path, "another directory with --data")
            case .database: ("The PostgreSQL database", "another database with --database")
            }
        if case .unmarked(let samples) = finding, !samples.isEmpty {
            let ids = samples.map(\.rawValue).joined(separator: ", ")
            return
                "\(name) was served with --dev by an earlier version, and has sample applications with public secrets "
                + "(\(ids)). Start it with --dev, or name \(option). If it is meant for production, remove each of them "
                + "with `countersign app remove ID`, and start it again."
        }
        if finding.kind == .development {
            return
                "\(name) holds development data: its first start was with --dev, so its sample applications have public "
                + "secrets. Start it with --dev, or name \(option). Its users move with `countersign user export` "
                + "and `countersign user import`."
        }
        return
            "\(name) holds data of a server without --dev. Under --dev every client that can connect could sign in as any of its "
            + "users. Leave --dev out, or name \(option)."
    }
}
