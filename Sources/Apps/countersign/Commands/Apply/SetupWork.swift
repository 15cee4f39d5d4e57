import AdminServer
import CountersignCore

/// Carries a plan out, one operation a change: the server judges each, and its log has each.
struct SetupWork {
    /// A change that the server refused.
    struct Refusal: Error {
        let change: SetupPlan.Change
        let error: AdministrationError

        /// Whether another caller was there first.
        var isByOthers: Bool {
            switch change.action {
            case .add where change.kind == .resources: false
            case .add: error.code == .conflict
            // It was changed since it was read, its place is another's by now, or it listens to what another does.
            case .change where change.kind == .extensions: error.code == .conflict || error.code == .notFound
            case .change, .remove: error.code == .notFound && change.kind != .settings
            }
        }

        /// The member's line that the server speaks of, where its value is quoted; else the entry's.
        var line: Int? {
            let named = change.differences.first { difference in
                guard let after = difference.after else { return false }
                return Self.texts(after).contains { !$0.isEmpty && error.message.contains("\"\($0)\"") }
            }
            return named.flatMap { change.lines[$0.name] } ?? change.line
        }

        private static func texts(_ value: JSONValue) -> [String] {
            switch value {
            case .string(let text): [text]
            case .array(let elements): elements.flatMap(texts)
            case .object(let members): members.flatMap { [$0.key] + texts($0.value) }
            default: []
            }
        }
    }

    let administration: any Administration
    /// By application.
    let secrets: [String: SecretText]
    let losesPasskeys: Bool
    private(set) var done = 0
    private(set) var warnings: [String] = []
    /// What is told this once.
    private(set) var generated: [String] = []
    /// Applications that are still to be added.
    private var unmade: Set<String> = []
    /// APIs whose owner is still to be added, by that.
    private var ownerless: [String: [PutResource]] = [:]

    init(administration: any Administration, secrets: [String: SecretText], losesPasskeys: Bool) {
        (self.administration, self.secrets, self.losesPasskeys) = (administration, secrets, losesPasskeys)
    }

    /// - Throws: ``Refusal``.
    mutating func perform(_ changes: [SetupPlan.Change]) async throws {
        var waiting = changes
        unmade = Self.added(.applications, in: changes)
        while !waiting.isEmpty {
            var refused: [SetupPlan.Change] = []
            var refusal: Refusal?
            for change in waiting {
                do {
                    try await perform(change)
                    done += 1
                } catch let error as AdministrationError {
                    let failed = Refusal(change: change, error: error)
                    // Of settings that bound each other one has to go first; which one, trying says.
                    guard change.kind == .settings, error.code == .invalid else { throw failed }
                    refused.append(change)
                    refusal = refusal ?? failed
                }
            }
            if let refusal, refused.count == waiting.count { throw refusal }
            waiting = refused
        }
    }

    /// The names of the entries of a kind that are added.
    private static func added(_ kind: Setup.Kind, in changes: [SetupPlan.Change]) -> Set<String> {
        Set(changes.filter { $0.kind == kind && $0.action == .add }.map(\.name))
    }

    /// Has the server judge a change by the function that does it.
    /// - Parameter all: what is done beside it: a name may be of something that is made or removed meanwhile.
    /// - Returns: nil where nothing speaks against it, and where that shows in its turn alone.
    static func rehearse(
        _ change: SetupPlan.Change, of all: [SetupPlan.Change], _ secret: SecretText?,
        _ administration: any Administration
    ) async throws -> Refusal? {
        guard change.action != .remove else { return nil }
        do {
            switch change.kind {
            case .groups:
                var addition = try SetupMembers.decode(AddGroup.self, change.members)
                addition.dryRun = true
                if change.action == .add {
                    _ = try await administration.perform(addition)
                } else {
                    _ = try await administration.perform(
                        ChangeGroup(group: addition.group, summary: addition.summary ?? "", dryRun: true))
                }
            case .applications:
                let registration = try registration(change, secret)
                if change.action == .add {
                    _ = try await administration.perform(
                        AddApplication(id: change.name, registration: registration, dryRun: true))
                } else {
                    _ = try await administration.perform(
                        ChangeApplication(id: change.name, registration: registration, dryRun: true))
                }
            case .resources:
                var put = try SetupMembers.decode(PutResource.self, change.members)
                if let owner = put.owner, added(.applications, in: all).contains(owner) { put.owner = nil }
                put.dryRun = true
                _ = try await administration.perform(put)
            case .extensions:
                var addition = try SetupMembers.decode(AddExtension.self, change.members)
                addition.dryRun = true
                _ = try await administration.perform(addition)
            case .settings: break
            }
            return nil
        } catch let error as AdministrationError where error.code == .invalid {
            return Refusal(change: change, error: error)
        } catch let error as AdministrationError
            where error.code == .notFound && change.kind == .resources
        {
            return Refusal(change: change, error: error)
        } catch let error as AdministrationError where error.code == .conflict || error.code == .notFound {
            // Another may have been first, or a change before it makes room.
            return nil
        }
    }

    private mutating func perform(_ change: SetupPlan.Change) async throws {
        switch (change.kind, change.action) {
        case (.groups, .remove): _ = try await gone { try await $0.perform(RemoveGroup(group: change.name)) }
        case (.groups, .add):
            _ = try await administration.perform(SetupMembers.decode(AddGroup.self, change.members))
        case (.groups, .change):
            let group = try SetupMembers.decode(AddGroup.self, change.members)
            _ = try await administration.perform(ChangeGroup(group: group.group, summary: group.summary ?? ""))
        case (.applications, .remove): _ = try await gone { try await $0.perform(RemoveApplication(id: change.name)) }
        case (.applications, .add):
            let registration = try Self.registration(change, secrets[change.name])
            try await note(
                administration.perform(AddApplication(id: change.name, registration: registration)), of: change)
            unmade.remove(change.name)
            for put in ownerless.removeValue(forKey: change.name) ?? [] { _ = try await administration.perform(put) }
        case (.applications, .change):
            let registration = try Self.registration(change, secrets[change.name])
            try await note(
                administration.perform(ChangeApplication(id: change.name, registration: registration)), of: change)
        case (.resources, .remove): _ = try await gone { try await $0.perform(RemoveResource(uri: change.name)) }
        case (.resources, _):
            var put = try SetupMembers.decode(PutResource.self, change.members)
            if let owner = put.owner, unmade.contains(owner) {
                // Applications name APIs, and an API its owner: it gets that one as soon as it is there.
                ownerless[owner, default: []].append(put)
                put.owner = change.differences.first { $0.name == "owner" }?.before?.stringValue
            }
            _ = try await administration.perform(put)
        case (.extensions, .remove):
            if let id = change.id { _ = try await gone { try await $0.perform(RemoveExtension(id: id)) } }
        case (.extensions, _):
            var addition = try SetupMembers.decode(AddExtension.self, change.members)
            addition.replaces = change.id
            addition.expecting = change.revision
            warnings += try await administration.perform(addition).warnings
        case (.settings, _):
            let answer = try await administration.perform(
                ChangeSetting(
                    key: change.name, value: change.members["value"] ?? .null, confirmed: losesPasskeys ? true : nil))
            warnings += answer.warnings
        }
    }

    /// What is not there any more need not be removed.
    private func gone<Answer>(_ removal: (any Administration) async throws -> Answer) async throws -> Answer? {
        do {
            return try await removal(administration)
        } catch let error as AdministrationError where error.code == .notFound {
            return nil
        }
    }

    /// What becomes different, and a secret.
    private static func registration(
        _ change: SetupPlan.Change, _ secret: SecretText?
    ) throws -> RegistrationChange {
        let members = change.differences.reduce(into: [String: JSONValue]()) { $0[$1.name] = $1.after }
        var registration = try SetupMembers.decode(RegistrationChange.self, members)
        if let secret, change.secret != nil {
            registration.secret = secret
        } else if change.secret != nil {
            // The server makes it; or it could not be read, which is told by itself.
            registration.hasSecret = true
        }
        return registration
    }

    private mutating func note(_ answer: AddApplication.Answer, of change: SetupPlan.Change) {
        warnings += answer.warnings
        if let secret = answer.secret {
            generated.append("The secret of \(change.name), shown this once: \(secret.secret.reveal())")
        }
    }
}
