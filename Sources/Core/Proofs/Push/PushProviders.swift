import Crypto
import Foundation

/// The push services that devices are reached by, and the keys that open them.
public struct PushProviders: Sendable {
    let realm: Realm

    /// Everything that is needed to speak with Apple's push service.
    public struct APNsCredentials: Sendable, Equatable {
        /// The id of the key, as Apple's developer account shows it.
        public let keyID: String
        /// The id of the team that the key belongs to.
        public let teamID: String
        /// The bundle id of the app: the topic of pushes.
        public let bundleID: String
        /// Whether pushes go to the development environment.
        public let isSandbox: Bool
        /// A P-256 key in PEM.
        public let privateKey: Secret<String>

        /// What Apple's developer account gives out for one app.
        public init(
            keyID: String, teamID: String, bundleID: String, isSandbox: Bool, privateKey: Secret<String>
        ) {
            self.keyID = keyID
            self.teamID = teamID
            self.bundleID = bundleID
            self.isSandbox = isSandbox
            self.privateKey = privateKey
        }
    }

    /// What is set up, without the key.
    public struct APNsStatus: Sendable, Equatable {
        /// The settings.
        public let settings: APNsSettings
        /// Whether there is a private key, which is not told.
        public let hasKey: Bool

        /// Whether nothing is missing.
        public var isComplete: Bool {
            hasKey && settings.keyID != nil && settings.teamID != nil && settings.bundleID != nil
        }
    }

    /// What is to change about APNs. Nil leaves a member as it is, unless all is replaced.
    public struct APNsChange: Sendable {
        /// The id of the key.
        public var keyID: String?
        /// The id of the team.
        public var teamID: String?
        /// The bundle id of the app.
        public var bundleID: String?
        /// Whether pushes go to the development environment.
        public var isSandbox: Bool?
        /// PEM, as it comes in Apple's `.p8` file.
        public var privateKey: Secret<String>?

        /// A change of these members.
        public init(
            keyID: String? = nil, teamID: String? = nil, bundleID: String? = nil, isSandbox: Bool? = nil,
            privateKey: Secret<String>? = nil
        ) {
            self.keyID = keyID
            self.teamID = teamID
            self.bundleID = bundleID
            self.isSandbox = isSandbox
            self.privateKey = privateKey
        }
    }

    /// The name of the sealed key.
    static let apnsKey = "apns-key"

    /// What is set up of APNs.
    public func apns() async throws -> APNsStatus {
        try await realm.store.read { try Self.status(in: $0) }
    }

    private static func status(in transaction: any StoreTransaction) throws -> APNsStatus {
        APNsStatus(
            settings: try transaction.settings().push.apns, hasKey: try transaction.sealedSecret(apnsKey) != nil)
    }

    /// The provider in use: never ``PushSettings/Provider/automatic``.
    public func selected() async throws -> PushSettings.Provider {
        try await realm.store.read { transaction in
            let chosen = try transaction.settings().push.provider
            guard chosen == .automatic else { return chosen }
            return try Self.status(in: transaction).isComplete ? .direct : .polled
        }
    }

    /// Chooses how devices learn about requests, and notes that in the log.
    public func select(_ provider: PushSettings.Provider, by actor: ClientContext) async throws {
        try await realm.changeSettings(by: actor, details: ["push.provider": .string(provider.rawValue)]) {
            $0.push.provider = provider
        }
    }

    /// What to speak with APNs with; nil where it is not used, or something is missing.
    public func apnsCredentials() async throws -> APNsCredentials? {
        let sealer = realm.sealer
        return try await realm.store.read { transaction in
            let push = try transaction.settings().push
            guard push.provider != .polled, let keyID = push.apns.keyID, let teamID = push.apns.teamID,
                let bundleID = push.apns.bundleID, let sealed = try transaction.sealedSecret(Self.apnsKey)
            else { return nil }
            let key = try sealer.open(sealed, for: .secret(Self.apnsKey))
            return APNsCredentials(
                keyID: keyID, teamID: teamID, bundleID: bundleID, isSandbox: push.apns.isSandbox,
                privateKey: Secret(String(decoding: key, as: UTF8.self)))
        }
    }

    /// Sets APNs up, or changes it. The log says which members, and nothing of the key.
    /// - Parameter replacesAll: what is not said goes.
    /// - Returns: what is set up then; nil where the key is none of P-256.
    public func changeAPNs(
        _ change: APNsChange, replacesAll: Bool, by actor: ClientContext
    ) async throws -> APNsStatus? {
        if let key = change.privateKey, (try? P256.Signing.PrivateKey(pemRepresentation: key.reveal())) == nil {
            return nil
        }
        let now = realm.clock.now
        let sealer = realm.sealer
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            var settings = try transaction.settings()
            let before = settings
            var apns = replacesAll ? APNsSettings() : settings.push.apns
            var details: [String: JSONValue] = [:]
            if let keyID = change.keyID { (apns.keyID, details["push.apns.keyID"]) = (keyID, .string(keyID)) }
            if let teamID = change.teamID { (apns.teamID, details["push.apns.teamID"]) = (teamID, .string(teamID)) }
            if let bundleID = change.bundleID {
                (apns.bundleID, details["push.apns.bundleID"]) = (bundleID, .string(bundleID))
            }
            if let isSandbox = change.isSandbox {
                (apns.isSandbox, details["push.apns.isSandbox"]) = (isSandbox, .bool(isSandbox))
            }
            settings.push.apns = apns
            try transaction.putSettings(settings)
            details.merge(try AuditDifference(from: before, to: settings, .settings).details) { own, _ in own }
            if change.privateKey != nil {
                details["push.apns.key"] = .string("replaced")
            } else if replacesAll {
                details["push.apns.key"] = .string("removed")
            }
            // Documents before secrets, as rows are locked.
            try transaction.appendSettingsChange(
                AuditEvent(
                    id: eventID, at: now, kind: .settingsChanged, userID: nil, context: actor, details: details))
            if let key = change.privateKey {
                try transaction.putSealedSecret(
                    Self.apnsKey,
                    sealer.seal(Data(key.reveal().utf8), for: .secret(Self.apnsKey), in: transaction))
            } else if replacesAll {
                try transaction.deleteSealedSecret(Self.apnsKey)
            }
            return try Self.status(in: transaction)
        }
    }
}

extension Realm {
    /// How devices learn about requests.
    public var pushProviders: PushProviders { PushProviders(realm: self) }
}
