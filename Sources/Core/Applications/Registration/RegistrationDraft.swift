import Foundation
import JSON

/// One registration or change on its way: what is drawn before its transaction, whose body may run twice, and the steps in it.
struct RegistrationDraft: Sendable {
    typealias Refusal = Registrations.Refusal

    private let client: ClientContext
    private let now: Date
    private let freshID: ClientID
    private let secret: Secret<String>
    private let accessToken: Secret<String>
    private let eventID: String

    init(_ realm: Realm, by client: ClientContext) {
        self.client = client
        now = realm.clock.now
        freshID = ClientID(rawValue: "cs" + realm.random.string(37, of: .alphanumeric))
        secret = ApplicationRegistration.drawnSecret(random: realm.random)
        accessToken = Secret(Registrations.accessTokenPrefix + realm.random.bytes(32).base64URL)
        eventID = AuditEvent.freshID(at: now, random: realm.random)
    }

    /// - Throws: ``Registrations/Refusal``, before anything is written: a limit that refuses counts nothing, and a token is used up only by
    ///   what it registered.
    func register(
        _ json: JSONValue, token: Secret<String>?, in transaction: any StoreTransaction
    ) throws -> Registrations.Registered {
        let settings = try transaction.settings().oauth
        guard settings.registration != .off else { throw Refusal.off }
        let shown = try token.map { text in
            guard let shown = try transaction.openRegistrationToken(text, at: now) else { throw Refusal.tokenRefused }
            return shown
        }
        if shown == nil, settings.registration == .token { throw Refusal.tokenMissing }
        var counters: [AttemptCounter] = []
        if shown == nil, let source = client.limitedSource {
            let limit = Allowance(.registrationsPerSource, CounterKey.registrations(from: source))
            switch try transaction.ask([limit], at: now) {
            case .refused(_, let refusal): throw Refusal.limited(until: refusal.instant)
            case .admitted(let asked): counters = asked
            }
        }
        // Strangers who fill the room shut out strangers alone.
        guard try shown != nil || transaction.countSelfRegistered() < Registrations.most else { throw Refusal.full }
        var allowance = RegistrationAllowance.open(settings)
        if let shown { allowance = allowance.with(shown.allowance) }
        var former = ApplicationRegistration()
        former.oauth.origin = .registered(
            SelfRegistration(
                at: now, token: shown?.id, source: client.source, allowance: allowance,
                accessTokenDigest: RegistrationTokens.digest(accessToken.reveal())))
        former.oauth.idTokenAlgorithm = OAuthRegistration.standardIDTokenAlgorithm
        let (registration, drawn) = try judge(json, from: former, in: transaction)
        let application = Application(id: freshID, createdAt: now, registration: registration)
        // Of 217 random bits: that it is another's, or a user's, does not happen.
        guard try transaction.user(UserID(rawValue: freshID.rawValue)) == nil, try transaction.insert(application)
        else { throw StoreError(.corrupt, "An application of the random id \(freshID) is there already") }
        if let shown { try transaction.countUse(ofRegistrationToken: shown.id, at: now) }
        try transaction.count(counters)
        var details = try Applications.details(freshID, before: ApplicationRegistration(), after: registration)
        details["token"] = shown.map { .string($0.id) }
        try append(.applicationRegistered, details, in: transaction)
        return Registrations.Registered(
            application: application, secret: drawn ? secret : nil, accessToken: accessToken)
    }

    /// - Throws: ``Registrations/Refusal``, before anything is written.
    func change(
        _ id: ClientID, _ json: JSONValue, token: Secret<String>?, in transaction: any StoreTransaction
    ) throws -> Registrations.Registered {
        guard try transaction.settings().oauth.registration != .off else { throw Refusal.off }
        guard var application = try Registrations.application(id, opened: token, in: transaction) else {
            throw Refusal.tokenRefused
        }
        let limit = Allowance(.registrationChanges, CounterKey.registrationChanges(of: id))
        let counters: [AttemptCounter]
        switch try transaction.ask([limit], at: now) {
        case .refused(_, let refusal): throw Refusal.limited(until: refusal.instant)
        case .admitted(let asked): counters = asked
        }
        let before = application.registration
        // RFC 7592, section 2.2.
        guard json["client_id"] == .string(id.rawValue) else {
            throw Refusal.metadata(.metadata("client_id has to be that of the address."))
        }
        switch json["client_secret"] {
        case nil, .null?: break
        case .string(let text)? where before.hasSecret(Secret(text)): break
        default: throw Refusal.metadata(.metadata("client_secret has to be the present one, or left out."))
        }
        var (registration, drawn) = try judge(json, from: before, in: transaction)
        let isAnother = registration.isAnother(to: before)
        registration.oauth.updateSelfRegistration {
            $0.accessTokenDigest = RegistrationTokens.digest(accessToken.reveal())
            if isAnother { $0.changedAt = now }
        }
        // Who was vouched for is not who it is now.
        if isAnother { registration.oauth.approval = nil }
        application.registration = registration
        guard try transaction.update(application) else { throw Refusal.tokenRefused }
        try transaction.count(counters)
        var details = try Applications.details(id, before: before, after: registration)
        details["by"] = .string("itself")
        try append(.applicationChanged, details, in: transaction)
        return Registrations.Registered(
            application: application, secret: drawn ? secret : nil, accessToken: accessToken)
    }

    /// What it is registered with from now on, and whether it gets a secret that it did not have.
    private func judge(
        _ json: JSONValue, from former: ApplicationRegistration, in transaction: any StoreTransaction
    ) throws -> (ApplicationRegistration, drawn: Bool) {
        let resources = try transaction.resources()
        do throws(ClientMetadata.Fault) {
            let metadata = try ClientMetadata(json)
            let allowance = former.oauth.selfRegistration?.allowance ?? RegistrationAllowance()
            var registration = try metadata.registration(from: former, allowing: allowance, among: resources)
            let showsSecret = metadata.authMethod == .secretBasic || metadata.authMethod == .secretPost
            let drawn = showsSecret && former.secretDigest == nil
            if drawn {
                registration.setSecret(secret, isDrawn: true)
            } else if !showsSecret {
                registration.setSecret(nil)
            }
            if let fault = registration.fault { throw fault.ofMetadata }
            return (registration, drawn)
        } catch {
            throw Refusal.metadata(error)
        }
    }

    private func append(
        _ kind: AuditEvent.Kind, _ details: [String: JSONValue], in transaction: any StoreTransaction
    ) throws {
        try transaction.append(
            AuditEvent(id: eventID, at: now, kind: kind, userID: nil, context: client, details: details))
    }
}

extension RegistrationAllowance {
    /// What either allows.
    fileprivate func with(_ other: RegistrationAllowance) -> RegistrationAllowance {
        let resources = self.resources + other.resources.filter { !self.resources.contains($0) }
        // A list of scopes narrows the open APIs too: an administrator named what this token is for.
        return RegistrationAllowance(grantTypes: other.grantTypes, resources: resources, scopes: other.scopes)
    }
}

extension ApplicationRegistration {
    /// Whether users judge it by something else than before: who it says it is, where its answers go, how it shows who it is.
    fileprivate func isAnother(to before: ApplicationRegistration) -> Bool {
        displayName != before.displayName || redirectURIs != before.redirectURIs
            || oauth.selfRegistration?.names != before.oauth.selfRegistration?.names
            || assertionKeys != before.assertionKeys || oauth.jwksURI != before.oauth.jwksURI
            || oauth.clientURI != before.oauth.clientURI || oauth.policyURI != before.oauth.policyURI
            || oauth.termsURI != before.oauth.termsURI
            || oauth.postLogoutRedirectURIs != before.oauth.postLogoutRedirectURIs
            || oauth.backchannelLogoutURI != before.oauth.backchannelLogoutURI
            || oauth.authMethod != before.oauth.authMethod
    }
}
