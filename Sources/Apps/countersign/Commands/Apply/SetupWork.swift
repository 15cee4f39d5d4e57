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
            // A changed extension is added anew.
            case .change where change.kind == .extensions: error.code == .conflict
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

    init(administration: any Administration, secrets: [String: SecretText], losesPasskeys: Bool) {
        (self.administration, self.secrets, self.losesPasskeys) = (administration, secrets, losesPasskeys)
    }

    /// - Throws: ``Refusal``.
    mutating func perform(_ changes: [SetupPlan.Change]) async throws {
        var waiting = changes
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

    private mutating func perform(_ change: SetupPlan.Change) async throws {
        switch (change.kind, change.action) {
        case (.groups, .remove): _ = try await gone { try await $0.perform(RemoveGroup(group: change.name)) }
        case (.groups, _):
            _ = try await administration.perform(SetupMembers.decode(AddGroup.self, change.members))
        case (.applications, .remove): _ = try await gone { try await $0.perform(RemoveApplication(id: change.name)) }
        case (.applications, .add):
            try await note(
                administration.perform(AddApplication(id: change.name, registration: registration(change))), of: change)
        case (.applications, .change):
            try await note(
                administration.perform(ChangeApplication(id: change.name, registration: registration(change))),
                of: change)
        case (.resources, .remove): _ = try await gone { try await $0.perform(RemoveResource(uri: change.name)) }
        case (.resources, _):
            _ = try await administration.perform(SetupMembers.decode(PutResource.self, change.members))
        case (.extensions, .remove):
            if let id = change.id { _ = try await gone { try await $0.perform(RemoveExtension(id: id)) } }
        case (.extensions, _): try await replaceExtension(change)
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
    private func registration(_ change: SetupPlan.Change) throws -> RegistrationChange {
        let members = change.differences.reduce(into: [String: JSONValue]()) { $0[$1.name] = $1.after }
        var registration = try SetupMembers.decode(RegistrationChange.self, members)
        if let secret = secrets[change.name], change.secret != nil {
            registration.secret = secret
        } else if change.secret == .generate {
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

    /// A changed extension is removed and added. The server refuses the second of two that listen to the same event of an application.
    /// Where it refuses the new one, the former takes its place again: a service that judges sign-ups must not go missing by a typo.
    private mutating func replaceExtension(_ change: SetupPlan.Change) async throws {
        var isRemoved = false
        if let id = change.id { isRemoved = try await gone { try await $0.perform(RemoveExtension(id: id)) } != nil }
        do {
            let wanted = try SetupMembers.decode(AddExtension.self, change.members)
            warnings += try await administration.perform(wanted).warnings
        } catch let error as AdministrationError {
            guard isRemoved else { throw error }
            let former = change.differences.reduce(into: change.members) { $0[$1.name] = $1.before }
            do {
                _ = try await administration.perform(SetupMembers.decode(AddExtension.self, former))
            } catch let second as AdministrationError where second.code != .conflict {
                throw AdministrationError(
                    error.code, "\(error.message) The former one is gone, and was refused too: \(second.message)")
            } catch is AdministrationError {
                // Another has its place.
            }
            throw error
        }
    }
}
