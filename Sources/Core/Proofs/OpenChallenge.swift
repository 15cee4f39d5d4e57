import Foundation

/// What one means of proof waits for, as a flow keeps it: the name of the method, and bytes that its own type alone reads.
struct OpenChallenge: Codable, Sendable, Equatable {
    var kind: FactorKind
    /// JSON.
    var bytes: Data

    init(_ kind: FactorKind, _ challenge: some Encodable) throws {
        self.kind = kind
        let encoder = JSONEncoder()
        // The same challenge is the same bytes: flows are compared.
        encoder.outputFormatting = .sortedKeys
        bytes = try encoder.encode(challenge)
    }

    /// For a kind that draws nothing beforehand.
    init(_ kind: FactorKind) {
        self.kind = kind
        bytes = Data("{}".utf8)
    }

    func read<Challenge: Decodable>(_ type: Challenge.Type = Challenge.self) throws -> Challenge {
        try JSONDecoder().decode(type, from: bytes)
    }
}

extension FlowChallenge {
    /// What is open of this kind; nil where something else is.
    func open(_ kind: FactorKind) -> OpenChallenge? {
        guard case .proof(let open) = self, open.kind == kind else { return nil }
        return open
    }
}
