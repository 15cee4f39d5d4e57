import Foundation
import JSON
import Synchronization

extension Applications {
    /// Judges the credentials that a request shows of its application. The only way to take a request for an application's.
    ///
    /// - Wrong credentials count against the requester's address (``RateLimit/clientsPerSource``), are in the log, and are
    ///   answered alike whether there is such an application or not, after the same work.
    /// - Right ones write nothing, unless they are an assertion, which is remembered because it is good once.
    /// - Attempts that this process is judging count like wrong ones until they turn out right, so that many at once get no
    ///   more looks than the limit has; several processes on one store may each be judging that many
    ///   (`docs/decisions/0133`).
    /// - Parameters:
    ///   - expectation: what the endpoint takes.
    ///   - client: who asks, from where. The log names the application where there is one.
    /// - Throws: `StoreError`.
    public func authenticate(
        _ credentials: ClientCredentials, expecting expectation: ClientExpectation, by client: ClientContext
    ) async throws -> ClientAuthentication {
        let shown: ShownCredentials
        switch ShownCredentials.read(credentials) {
        case .failure(let refusal): return .refused(refusal)
        case .success(let read): shown = read
        }
        let id = shown.clientID
        if case .nothing = shown.proof { return try await identify(id, expectation) }
        guard expectation.methods.contains(shown.method) else { return .refused(.methodNotAdmitted) }

        let source = client.limitedSource
        // Entered before the counter is read: an attempt that is not in the one is in the other.
        let underWay = source.map { realm.clientsUnderWay.enter($0) } ?? 0
        defer { if let source { realm.clientsUnderWay.leave(source) } }
        let key = source.map { CounterKey.clients(from: $0) }
        let (application, counter) = try await realm.store.read { transaction in
            (try transaction.application(id), try key.flatMap { try transaction.counter($0) })
        }
        let now = realm.clock.now
        if key != nil, let until = RateLimit.clientsPerSource.wait(counter, alsoOpen: underWay, at: now) {
            return .refused(.limited(until: until))
        }
        if let application, !application.registration.isConfidential, expectation.methods.contains(.none) {
            // What a public client shows is not looked at.
            return .authenticated(application, by: .none)
        }
        switch try await judge(shown, of: application, expectation, at: now) {
        case nil:
            guard let application else { return .refused(.wrongCredentials) }
            return .authenticated(application, by: shown.method)
        case let reason?:
            return try await refuse(application?.id, shown.method, reason, at: now, by: client)
        }
    }

    /// An application that shows nothing but its name.
    private func identify(_ id: ClientID, _ expectation: ClientExpectation) async throws -> ClientAuthentication {
        guard let application = try await application(id) else { return .refused(.unknown) }
        if application.registration.isConfidential { return .refused(.credentialsMissing) }
        guard expectation.methods.contains(.none) else { return .refused(.methodNotAdmitted) }
        return .authenticated(application, by: .none)
    }

    /// Nil where the credentials are right; otherwise why not, for the log.
    private func judge(
        _ shown: ShownCredentials, of application: Application?, _ expectation: ClientExpectation, at now: Date
    ) async throws -> String? {
        // An application that does not exist has no secret and no keys, and takes as long.
        let registration = application?.registration ?? ApplicationRegistration()
        switch shown.proof {
        case .nothing: return "nothing"
        case .secret(let spellings):
            return spellings.reduce(false) { registration.hasSecret($1) || $0 } ? nil : "secret"
        case .assertion(let assertion):
            switch assertion.judge(by: registration.assertionKeys, expecting: expectation, at: now) {
            case .failure(let fault): return fault.rawValue
            case .success(let good):
                guard let application else { return ClientAssertion.Fault.signature.rawValue }
                return try await use(good, of: application.id, at: now)?.rawValue
            }
        }
    }

    private func use(
        _ assertion: ClientAssertion.Good, of id: ClientID, at now: Date
    ) async throws -> ClientAssertion.Fault? {
        let sealer = realm.sealer
        return try await realm.store.write { transaction in
            // The key may have been taken from the application meanwhile.
            guard let application = try transaction.application(id),
                application.registration.assertionKeys.contains(assertion.key)
            else { return .signature }
            return try transaction.use(assertion, of: id, at: now, sealer: sealer) ? nil : .used
        }
    }

    private func refuse(
        _ id: ClientID?, _ method: ClientAuthenticationMethod, _ reason: String, at now: Date, by client: ClientContext
    ) async throws -> ClientAuthentication {
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        var details: [String: JSONValue] = ["method": .string(method.rawValue)]
        // What is no application's name is whatever the requester wrote, and stays out of the log.
        if let id { details["application"] = .string(id.rawValue) }
        return try await realm.store.write { [details] transaction in
            if let source = client.limitedSource,
                let until = try transaction.charge(
                    .clientsPerSource, key: CounterKey.clients(from: source), at: now)
            {
                return .refused(.limited(until: until))
            }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .clientRefused, userID: nil, context: client, reason: reason,
                    details: details))
            return .refused(.wrongCredentials)
        }
    }
}

/// The one method of the credentials of a request, and the application they name.
private struct ShownCredentials: Sendable {
    enum Proof: Sendable {
        case nothing
        case secret([Secret<String>])
        case assertion(ClientAssertion)
    }

    let clientID: ClientID
    let method: ClientAuthenticationMethod
    let proof: Proof

    /// RFC 6749, section 2.3: one method in a request. RFC 7521, section 4.2: a `client_id` beside an assertion is its
    /// subject.
    static func read(_ credentials: ClientCredentials) -> Result<ShownCredentials, ClientAuthenticationRefusal> {
        let count = [credentials.basic != nil, credentials.secret != nil, credentials.assertion != nil]
            .count { $0 }
        guard count <= 1, !credentials.hasUnreadableBasic else { return .failure(.malformed) }
        let name: String?
        let method: ClientAuthenticationMethod
        let proof: Proof
        if let basic = credentials.basic {
            (name, method, proof) = (basic.clientID, .secretBasic, .secret(basic.spellings))
        } else if let secret = credentials.secret {
            (name, method, proof) = (credentials.clientID, .secretPost, .secret([secret]))
        } else if let text = credentials.assertion {
            guard credentials.assertionType == ClientAssertion.type,
                let assertion = ClientAssertion(text.reveal())
            else { return .failure(.malformed) }
            (name, method, proof) = (assertion.claimed.rawValue, .privateKeyJWT, .assertion(assertion))
        } else {
            (name, method, proof) = (credentials.clientID, .none, .nothing)
        }
        guard let name, !name.isEmpty else { return .failure(.missing) }
        guard PlainText(name, bytes: 1...) != nil, credentials.clientID.map({ $0 == name }) ?? true else {
            return .failure(.malformed)
        }
        return .success(ShownCredentials(clientID: ClientID(rawValue: name), method: method, proof: proof))
    }
}

/// How many requests of each address this process is judging.
final class RequestsUnderWay: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Counts one more; answers how many there are with it.
    func enter(_ source: String) -> Int {
        counts.withLock { counts in
            counts[source, default: 0] += 1
            return counts[source] ?? 0
        }
    }

    func leave(_ source: String) {
        counts.withLock { counts in
            let rest = (counts[source] ?? 0) - 1
            counts[source] = rest > 0 ? rest : nil
        }
    }

    /// Addresses that are being judged.
    var isEmpty: Bool { counts.withLock(\.isEmpty) }
}
