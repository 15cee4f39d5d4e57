import CountersignCore
import Foundation
import NativeAuthWire
import Synchronization

/// Asks the developer's services in the middle of one request: which claims tokens are to have, and whether a sign-up may
/// go on (Microsoft Learn, Custom authentication extensions overview).
final class ExtensionConsultant: Consultant {
    private let realm: Realm
    private let call: NativeAuthCall
    private let listeners: [ExtensionEvent: CustomExtension]
    private let occasion: ExtensionOccasion
    /// What a service provided for this request's tokens.
    private let provided = Mutex<ProvidedClaims?>(nil)

    /// - Parameter resource: the audience of access tokens; nil for the application.
    init(realm: Realm, call: NativeAuthCall, resource: String? = nil) {
        self.realm = realm
        self.call = call
        listeners = call.ground.listeners
        occasion = ExtensionOccasion(
            application: call.application.id, applicationName: call.registration.displayName, resource: resource,
            correlationID: call.client.correlationID, source: call.client.source,
            locale: call.client.locale?.lowercased())
    }

    var steps: Set<ConsultedStep> {
        var steps: Set<ConsultedStep> = []
        if listeners[.tokenIssuanceStart] != nil { steps.insert(.session) }
        if listeners[.attributeCollectionStart] != nil { steps.insert(.attributes) }
        if listeners[.attributeCollectionSubmit] != nil { steps.insert(.account) }
        return steps
    }

    /// Whether fields of a sign-up's form may come filled in.
    var prefills: Bool { listeners[.attributeCollectionStart] != nil }

    // MARK: Tokens

    /// The claims for a user's tokens. A request whose answer was lost gets here without having asked: then it asks now.
    func claims(for user: User) async throws -> ProvidedClaims {
        if let provided = provided.withLock({ $0 }) { return provided }
        guard let listener = listeners[.tokenIssuanceStart] else { return .none }
        let claims = try await realm.customExtensions.claims(of: listener, for: user, occasion, by: call.client)
        provided.withLock { $0 = claims }
        return claims
    }

    func beforeSession(of user: User) async throws {
        _ = try await claims(for: user)
    }

    // MARK: Sign-up

    func beforeAttributes(of signUp: SignUpContext) async throws -> [String: JSONValue] {
        guard let listener = listeners[.attributeCollectionStart] else { return [:] }
        return try await realm.customExtensions.beforeAttributes(
            of: information(signUp), by: listener, occasion, call.client)
    }

    func beforeAccount(of signUp: SignUpContext) async throws -> SignUpAdvice {
        guard let listener = listeners[.attributeCollectionSubmit] else { return .take(signUp.attributes) }
        do {
            return .take(
                try await realm.customExtensions.beforeAccount(
                    of: information(signUp), by: listener, occasion, call.client))
        } catch SignUpObjection.invalid(let faults, let text) where !signUp.isAboutAttributes && !faults.isEmpty {
            // A code or a password was given just now. That was right: the attributes are asked for (again).
            let types = types
            let asked = faults.keys.sorted().compactMap { name in
                types[name].map { ApplicationRegistration.Attribute(name: name, type: $0, isRequired: true) }
            }
            guard !asked.isEmpty else { throw SignUpObjection.invalid(faults, text) }
            return .ask(asked)
        }
    }

    private var types: [String: String] {
        var types: [String: String] = [:]
        for name in SignUpAttributes.builtIn { types[name] = "string" }
        for attribute in call.registration.attributes { types[attribute.name] = attribute.type }
        return types
    }

    /// A service gets the attributes that the application asks for, and those that the user submitted.
    private func information(_ signUp: SignUpContext) -> SignUpInformation {
        let own = Set(call.registration.attributes.map(\.name))
        let types = types.filter { own.contains($0.key) || signUp.attributes[$0.key] != nil }
        return SignUpInformation(
            email: signUp.email, attributes: signUp.attributes, types: types, builtIn: SignUpAttributes.builtIn,
            read: { name, value in types[name].flatMap { SignUpAttributes.read(value, as: $0) } })
    }
}

extension JSONValue {
    /// As a field of a form shows it.
    var fieldText: String {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .bool(let value): "\(value)"
        default: ""
        }
    }
}
