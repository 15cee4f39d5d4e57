import Foundation

/// The parameters of a request. All are optional texts, as forms have them: what is missing is the endpoint's to say.
///
/// A server reads one by decoding the form's fields; a client writes one by ``formFields()``.
public protocol FormRequest: Codable, Sendable, Equatable {
    /// The id of the application that asks.
    var clientID: String? { get set }
}

extension FormRequest {
    /// The parameters that are there, in alphabetical order.
    public func formFields() -> [(name: String, value: String)] {
        // Members are texts alone, which can be encoded and read back.
        guard let data = try? JSONEncoder().encode(self),
            let members = try? JSONDecoder().decode([String: String].self, from: data)
        else { return [] }
        return members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

/// A request that says what its client can do.
public protocol AnnouncingRequest: FormRequest {
    /// Such as `oob password redirect`.
    var challengeType: String? { get set }
    /// What the vendor's clients send, such as `mfa_required registration_required`.
    var capabilities: String? { get set }
    /// The same by the name that the vendor's documents have.
    var capability: String? { get set }
}

extension AnnouncingRequest {
    public var challengeTypes: WordList<ChallengeType> { WordList(challengeType ?? "") }
    /// Under either name.
    public var announcedCapabilities: WordList<Capability> {
        WordList<Capability>(capabilities ?? "").union(WordList(capability ?? ""))
    }
}
