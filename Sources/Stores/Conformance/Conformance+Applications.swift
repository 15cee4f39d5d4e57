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
            let presence = try await store.read {
                [try $0.hasApplication(first.id), try $0.hasApplication(ClientID(rawValue: "other"))]
            }
            try requireEqual(presence, [true, false], "whether they are there")
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
            let first = try await store.read { try $0.selfRegistered(ListRange(limit: 2)) }
            try requireEqual(first.map(\.id.rawValue), ["d", "c"], "the first page")
            let place = first.last.map { RegistrationPlace(createdAt: $0.createdAt, id: $0.id) }
            let second = try await store.read { try $0.selfRegistered(ListRange(place, limit: 2)) }
            try requireEqual(second.map(\.id.rawValue), ["a", "b"], "the second page")
            try requireEqual(second.last, all.first, "the application")
            try requireEqual(try await store.read { try $0.countSelfRegistered() }, 4, "the count")
            let unused: @Sendable (Date, Int) async throws -> [String] = { instant, limit in
                try await store.read { try $0.unusedRegistrations(before: instant, limit: limit) }.map(\.rawValue)
            }
            try requireEqual(try await unused(latest + 1, 9), ["b", "a", "c"], "the unused ones")
            try requireEqual(try await unused(late, 9), ["b"], "those before an instant")
            try requireEqual(try await unused(latest, 1), ["b"], "one of them")
            try await store.write { try $0.keepRegistration(ClientID(rawValue: "b")) }
            try requireEqual(try await unused(latest, 9), ["a", "c"], "those that are left")
            _ = try await store.write { try $0.deleteApplication(ClientID(rawValue: "a")) }
            try requireEqual(try await store.read { try $0.countSelfRegistered() }, 3, "the count after a removal")
        },

        Check("Applications are found by when the secret of before ends, the soonest first") { store in
            let now = Sample.instant()
            @Sendable func replacing(_ id: String, until end: Date?) -> Application {
                var registration = ApplicationRegistration()
                registration.setSecret(Secret("first"))
                if let end { registration.setSecret(Secret("second"), keepingFormerUntil: end) }
                return Application(id: ClientID(rawValue: id), createdAt: now, registration: registration)
            }
            @Sendable func ending(_ limit: Int = 9) async throws -> [String] {
                try await store.read {
                    try $0.applications(secretsEndingAfter: now, before: now + 100, limit: limit)
                }.map(\.id.rawValue)
            }
            let all = [
                replacing("b", until: now + 9), replacing("a", until: now + 10), replacing("c", until: now + 9),
                replacing("over", until: now), replacing("late", until: now + 100), replacing("one", until: nil),
            ]
            try await store.write { transaction in for application in all { _ = try transaction.insert(application) } }
            try requireEqual(try await ending(), ["b", "c", "a"], "those that end")
            try requireEqual(try await ending(2), ["b", "c"], "the first of them")
            try await store.write { transaction in
                for (id, end) in [("b", nil), ("one", now + 1)] as [(String, Date?)] {
                    guard let found = try transaction.application(ClientID(rawValue: id)) else { continue }
                    let changed = Application(
                        id: found.id, revision: found.revision, createdAt: found.createdAt,
                        registration: replacing(id, until: end).registration)
                    _ = try transaction.update(changed)
                }
            }
            try requireEqual(try await ending(), ["one", "c", "a"], "those that end after two changes")
        },

        Check("The latest use of each protocol by an application is kept, and goes with the application") { store in
            @Sendable func use(_ id: String, _ dialect: Dialect, _ seconds: Int64) -> ApplicationUse {
                ApplicationUse(
                    application: ClientID(rawValue: id), dialect: dialect, at: Date(microseconds: seconds * 1_000_000))
            }
            @Sendable func uses(_ ids: [String]) async throws -> [ApplicationUse] {
                try await store.read { try $0.applicationUses(of: ids.map(ClientID.init(rawValue:))) }.sorted {
                    ($0.application.rawValue, $0.dialect.rawValue) < ($1.application.rawValue, $1.dialect.rawValue)
                }
            }
            let ids = [Sample.text, "b"]
            let noted = [
                use("b", .oauth, 5), use("b", .oauth, 4), use("b", .guardian, 3), use(Sample.text, .oauth, 1),
                use("none", .oauth, 1),
            ]
            try await store.write { transaction in
                for id in ids {
                    _ = try transaction.insert(
                        Application(
                            id: ClientID(rawValue: id), createdAt: Date(microseconds: 1_000_000),
                            registration: ApplicationRegistration()))
                }
                // Another application had the id then; and the clock of another server is behind.
                try transaction.note(use("b", .nativeAuth, -300))
                try transaction.note(use("b", .securityChecks, -299))
            }
            // In the order of keys, as all writers note uses.
            let sorted = noted.sorted { $0.application.rawValue < $1.application.rawValue }
            for _ in 0..<2 {
                try await store.write { transaction in for use in sorted { try transaction.note(use) } }
            }
            let expected = [
                use(Sample.text, .oauth, 1), use("b", .guardian, 3), use("b", .oauth, 5), use("b", .securityChecks, 1),
            ].sorted {
                ($0.application.rawValue, $0.dialect.rawValue) < ($1.application.rawValue, $1.dialect.rawValue)
            }
            try requireEqual(try await uses(ids + ["none"]), expected, "the uses")
            try requireEqual(try await uses([]), [], "the uses of none")
            let many = (0..<250).map { "other \($0)" }
            try requireEqual(
                try await uses(many + ["b"]), expected.filter { $0.application.rawValue == "b" }, "those of one of many"
            )
            try await store.write { try $0.note(use("b", .oauth, 6)) }
            try require(try await uses(["b"]).contains(use("b", .oauth, 6)), "a later use")
            let id = ClientID(rawValue: "b")
            let isThere = try await store.write { transaction in
                _ = try transaction.deleteApplication(id)
                return try transaction.insert(
                    Application(id: id, createdAt: Sample.instant(), registration: ApplicationRegistration()))
            }
            try require(isThere, "the id was free again")
            try requireEqual(try await uses(["b"]), [], "the uses of another application of the same id")
        },
    ]
}
