import ArgumentParser
import CountersignClient
import Foundation

/// Which sign-in a command means, and the keychain that its tokens are in.
struct SignInOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server, as it calls itself (default: the one of the last sign-in, else COUNTERSIGN_URL, else \(SignInOptions.local)).",
            valueName: "url"))
    var issuer: String?

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp(
            "The application that signs in (default: the one of the last sign-in, else \(SignInOptions.development)).",
            valueName: "id"))
    var clientID: String?

    @OptionGroup(title: "Vault") var vault: VaultOptions

    static let local = "http://127.0.0.1:8080"
    static let development = "dev-native"

    /// A server's name without the slash that shells complete and people type.
    static func name(_ issuer: String) -> String {
        issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    }

    /// For a new sign-in.
    func issuerOfNew(_ last: KeptSignIns.Entry?) -> String {
        let named = issuer ?? ProcessInfo.processInfo.environment["COUNTERSIGN_URL"] ?? last?.issuer
        return Self.name(named ?? Self.local)
    }

    /// The sign-in that is meant.
    /// - Throws: ``CommandFailure`` where there is none.
    func entry(_ kept: KeptSignIns) throws -> KeptSignIns.Entry {
        let found = kept.entries.last { entry in
            (issuer.map { Self.name($0) == entry.issuer } ?? true) && (clientID.map { $0 == entry.clientID } ?? true)
        }
        guard let found else { throw Self.noSignIn }
        return found
    }

    static let noSignIn = CommandFailure(.notFound, "No user is signed in. Sign in with `countersign login`.")
}

/// The sign-ins of this user of the machine, the last one at the end. Kept beside the tokens.
struct KeptSignIns: Codable {
    struct Entry: Codable, Equatable {
        var issuer: String
        var clientID: String
        var scopes: [String]
        var resources: [String]

        var application: ClientApplication {
            ClientApplication(issuer: issuer, clientID: clientID, scopes: scopes, resources: resources)
        }
    }

    /// More than a user has; the oldest go.
    private static let most = 50
    private static let account = "sign-ins"

    var entries: [Entry] = []

    static let storage = KeychainTokenStorage(service: "countersign.sign-in")

    static func load() throws -> KeptSignIns {
        guard let data = try storage.data(for: account) else { return KeptSignIns() }
        return (try? JSONDecoder().decode(KeptSignIns.self, from: data)) ?? KeptSignIns()
    }

    mutating func add(_ entry: Entry) throws {
        remove(entry)
        entries.append(entry)
        entries = Array(entries.suffix(Self.most))
        try save()
    }

    mutating func drop(_ entry: Entry) throws {
        remove(entry)
        try save()
    }

    private mutating func remove(_ entry: Entry) {
        entries.removeAll { $0.issuer == entry.issuer && $0.clientID == entry.clientID }
    }

    private func save() throws {
        try Self.storage.save(JSONEncoder().encode(self), for: Self.account)
    }
}
