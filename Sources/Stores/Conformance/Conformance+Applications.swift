import CountersignCore
import Foundation

extension StoreConformance {
    static let applications: [Check] = [
        Check("An application comes back as it was inserted; a taken id is refused") { store in
            var registration = ApplicationRegistration(
                displayName: Sample.text, redirectURIs: ["https://example.org/a?b=c#d"],
                challengeTypes: ["oob", "password"], scopes: ["openid", Sample.text],
                attributes: [.init(name: Sample.text, type: "string", isRequired: true)],
                requiresSecondFactor: true, revealsAddresses: true)
            registration.setSecret(Secret(Sample.text))
            let full = Application(
                id: ClientID(rawValue: Sample.text), revision: 2, createdAt: Sample.instants[3],
                registration: registration)
            let bare = Application(
                id: ClientID(rawValue: "bare"), createdAt: Sample.instants[0], registration: ApplicationRegistration())
            for application in [full, bare] {
                let answers = try await store.write { [try $0.insert(application), try $0.insert(application)] }
                try requireEqual(answers, [true, false], "the answers to two inserts")
                try requireEqual(
                    try await store.read { try $0.application(application.id) }, application, "the application")
            }
        },

        Check("An application's update writes the registration once for each revision; a deleted one is gone") {
            store in
            let first = Application(
                id: ClientID(rawValue: "app"), createdAt: Sample.instant(), registration: ApplicationRegistration())
            var changed = first
            changed.registration.displayName = Sample.text
            let answers = try await store.write { [changed] transaction in
                [try transaction.insert(first), try transaction.update(changed), try transaction.update(changed)]
            }
            try requireEqual(answers, [true, true, false], "the answers to insert, update, update")
            let expected = Application(
                id: first.id, revision: 1, createdAt: first.createdAt, registration: changed.registration)
            try requireEqual(try await store.read { try $0.application(first.id) }, expected, "the application")
            let deletions = try await store.write {
                [try $0.deleteApplication(first.id), try $0.deleteApplication(first.id)]
            }
            try requireEqual(deletions, [true, false], "the answers to two deletions")
        },

        Check("Applications are listed by id, page by page, each once") { store in
            try await store.write { transaction in
                for id in ["c", "a", "d", "B"] {
                    _ = try transaction.insert(
                        Application(
                            id: ClientID(rawValue: id), createdAt: Sample.instant(),
                            registration: ApplicationRegistration()))
                }
            }
            let first = try await store.read { try $0.applications(after: nil, limit: 3) }
            try requireEqual(first.map(\.id.rawValue), ["B", "a", "c"], "the first page")
            let second = try await store.read { try $0.applications(after: first.last?.id, limit: 3) }
            try requireEqual(second.map(\.id.rawValue), ["d"], "the second page")
        },

        Check("Applications that registered themselves are listed newest first, counted, and found while unused") {
            store in
            func registered(_ id: String, _ instant: Date, token: String?) -> Application {
                var registration = ApplicationRegistration()
                registration.oauth.origin = .registered(
                    SelfRegistration(
                        at: instant, token: token, source: nil, allowance: RegistrationAllowance(),
                        accessTokenDigest: Data([1, 2])))
                return Application(id: ClientID(rawValue: id), createdAt: instant, registration: registration)
            }
            let early = Sample.instant()
            let (late, latest) = (early + 10, early + 20)
            let all = [
                registered("b", early, token: nil), registered("a", late, token: nil),
                registered("c", late, token: nil), registered("d", latest, token: "t"),
                Application(id: ClientID(rawValue: "e"), createdAt: early, registration: ApplicationRegistration()),
            ]
            try await store.write { transaction in for application in all { _ = try transaction.insert(application) } }
            let first = try await store.read { try $0.selfRegistered(before: nil, limit: 2) }
            try requireEqual(first.map(\.id.rawValue), ["d", "c"], "the first page")
            let place = first.last.map { RegistrationPlace(createdAt: $0.createdAt, id: $0.id) }
            let second = try await store.read { try $0.selfRegistered(before: place, limit: 2) }
            try requireEqual(second.map(\.id.rawValue), ["a", "b"], "the second page")
            try requireEqual(second.last, all.first, "the application")
            try requireEqual(try await store.read { try $0.countSelfRegistered() }, 4, "the count")
            let unused: @Sendable (Date, Int) async throws -> [String] = { instant, limit in
                try await store.read { try $0.unusedRegistrations(before: instant, limit: limit) }.map(\.rawValue)
            }
            try requireEqual(try await unused(latest + 1, 9), ["b", "a", "c"], "the unused ones")
            try requireEqual(try await unused(late, 9), ["b"], "those before an instant")
            try requireEqual(try await unused(latest, 1), ["b"], "one of them")
            try await store.write { try $0.noteUse(of: ClientID(rawValue: "b")) }
            try requireEqual(try await unused(latest, 9), ["a", "c"], "those that are left")
            _ = try await store.write { try $0.deleteApplication(ClientID(rawValue: "a")) }
            try requireEqual(try await store.read { try $0.countSelfRegistered() }, 3, "the count after a removal")
        },
    ]
}
