import Foundation

/// What one means of proof waits for, as a flow keeps it: the name of the method, and bytes that its own type alone reads.
struct OpenChallenge: Codable, Sendable, Equatable {
    var kind: FactorKind
    /// JSON.
    var bytes: Data
    /// The charge of the one answer that it takes (``ProofTraits/takesChallenge``), since that came.
    var takenBy: String?

    /// The same challenge is the same bytes: flows are compared.
    init(_ kind: FactorKind, _ challenge: some StoredJSON) throws {
        self.kind = kind
        bytes = try challenge.stored
    }

    /// What the kind's own type has written.
    init(_ kind: FactorKind, bytes: Data) {
        self.kind = kind
        self.bytes = bytes
    }

    /// For a kind that draws nothing beforehand.
    init(_ kind: FactorKind) {
        self.kind = kind
        bytes = Data("{}".utf8)
    }

    func read<Challenge: StoredJSON>(_ type: Challenge.Type = Challenge.self) throws -> Challenge {
        try Challenge(stored: bytes)
    }
}

extension FlowChallenge {
    /// What is open of this kind; nil where something else is.
    func open(_ kind: FactorKind) -> OpenChallenge? {
        guard case .proof(let open) = self, open.kind == kind else { return nil }
        return open
    }
}

extension OpenChallenge: StoredJSON {
    init(from json: inout JSONReader) throws {
        var kind: FactorKind?
        var bytes: Data?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "kind": kind = try json.read()
            case "bytes": bytes = try json.read()
            case "takenBy": takenBy = try json.readOptional()
            default: try json.skip()
            }
        }
        self.kind = try json.required(kind, "kind")
        self.bytes = try json.required(bytes, "bytes")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("bytes", bytes)
        try json.write("kind", kind)
        try json.write("takenBy", optional: takenBy)
        json.endObject()
    }
}
