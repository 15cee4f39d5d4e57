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
    ]
}
