import CountersignCore
import Foundation

extension StoreConformance {
    /// Reads a list whole, and from each of its rows in both directions.
    private static func check<Row: Sendable & Equatable, Key: Sendable>(
        _ what: String, _ expected: [String], in store: any Store, key: (Row) -> Key, name: (Row) -> String,
        _ read: @escaping @Sendable (any StoreTransaction, ListRange<Key>) throws -> [Row]
    ) async throws {
        func rows(_ range: ListRange<Key>) async throws -> [Row] {
            try await store.read { try read($0, range) }
        }
        let all = try await rows(ListRange(limit: 100))
        try requireEqual(all.map(name), expected, what)
        let reversed = try await rows(ListRange(isBackwards: true, limit: 100))
        try requireEqual(reversed, all.reversed(), "\(what) from the end")
        try requireEqual(
            try await rows(ListRange(isBackwards: true, limit: 1)), Array(all.suffix(1)), "the last of \(what)")
        try requireEqual(try await rows(ListRange(limit: 0)), [], "none of \(what)")
        for (number, row) in all.enumerated() {
            let place = key(row)
            try requireEqual(
                try await rows(ListRange(place, limit: 2)), Array(all.dropFirst(number + 1).prefix(2)),
                "\(what) after \(name(row))")
            try requireEqual(
                try await rows(ListRange(place, isBackwards: true, limit: 2)),
                Array(all.prefix(number).reversed().prefix(2)), "\(what) before \(name(row))")
        }
    }

    static let lists: [Check] = [
        Check("Users, groups, members and roles are listed from each place in both directions") { store in
            let ids = ["B", "a", "c", "~", "ä", "猫"]
            let group = GroupName(rawValue: "g")
            try await store.write { transaction in
                for id in ids { _ = try transaction.insert(Sample.user(id)) }
                for name in ["g", "a/b", "Z"] {
                    _ = try transaction.insert(
                        UserGroup(name: GroupName(rawValue: name), summary: "", createdAt: Sample.instant()))
                }
                for id in ids {
                    let user = UserID(rawValue: id)
                    _ = try transaction.addMember(user, to: group, at: Sample.instant())
                    _ = try transaction.put(
                        Administrator(userID: user, role: .auditor, grantedBy: nil, createdAt: Sample.instant()))
                }
                _ = try transaction.addMember(
                    UserID(rawValue: "a"), to: GroupName(rawValue: "Z"), at: Sample.instant())
            }
            try await check("groups", ["Z", "a/b", "g"], in: store, key: \.name, name: \.name.rawValue) {
                try $0.groups($1)
            }
            try await store.write { transaction in
                for name in ["a", "a/", "a/c", "a0", "A/b"] {
                    _ = try transaction.insert(
                        UserGroup(name: GroupName(rawValue: name), summary: "", createdAt: Sample.instant()))
                }
            }
            try await check(
                "groups that begin so", ["a/", "a/b", "a/c"], in: store, key: \.name, name: \.name.rawValue
            ) {
                try $0.groups(beginningWith: "a/", $1)
            }
            try await check("members", ids, in: store, key: \.self, name: \.rawValue) {
                try $0.members(of: group, $1)
            }
            try await check("administrators", ids, in: store, key: \.userID, name: \.userID.rawValue) {
                try $0.administrators($1)
            }
        },

        Check(
            "Applications are listed from each place in both directions, those that registered themselves newest first"
        ) { store in
            let rows: [(id: String, registered: Int64?)] = [
                ("a", 2), ("b", nil), ("c", 2), ("d", 1), ("e", 3), ("https://app.example/c", nil),
            ]
            try await store.write { transaction in
                for row in rows {
                    var registration = ApplicationRegistration()
                    let instant = Sample.instant(row.registered ?? 0)
                    if row.registered != nil {
                        registration.oauth.origin = .registered(
                            SelfRegistration(
                                at: instant, token: nil, source: nil, allowance: RegistrationAllowance(),
                                accessTokenDigest: Data([1, 2])))
                    }
                    _ = try transaction.insert(
                        Application(id: ClientID(rawValue: row.id), createdAt: instant, registration: registration))
                }
            }
            try await check("applications", rows.map(\.id), in: store, key: \.id, name: \.id.rawValue) {
                try $0.applications($1)
            }
            try await store.write { transaction in
                for id in ["https://app.example/", "https://app.example/c/ä", "https://app.examplf/", "https://app"] {
                    _ = try transaction.insert(
                        Application(
                            id: ClientID(rawValue: id), createdAt: Sample.instant(),
                            registration: ApplicationRegistration()))
                }
            }
            try await check(
                "applications that begin so",
                ["https://app.example/", "https://app.example/c", "https://app.example/c/ä"], in: store, key: \.id,
                name: \.id.rawValue
            ) {
                try $0.applications(beginningWith: "https://app.example/", $1)
            }
            try await check(
                "registrations", ["e", "c", "a", "d"], in: store,
                key: { RegistrationPlace(createdAt: $0.createdAt, id: $0.id) }, name: \.id.rawValue
            ) {
                try $0.selfRegistered($1)
            }
        },

        Check("Grants of an application, counters, records of clients and events are listed in both directions") {
            store in
            let ids = ["1", "2", "3", "4", "5"]
            try await store.write { transaction in
                for user in ["u", "v"] {
                    _ = try transaction.insert(Sample.user(user))
                    _ = try transaction.insert(Sample.session("s\(user)", of: user))
                }
                // Two of one instant.
                for (id, time) in [("a", 1), ("b", 2), ("c", 2), ("d", 4)] {
                    _ = try transaction.insert(
                        Sample.grant(id, on: "su", of: "u", client: "shop", createdAt: Sample.instant(Int64(time))))
                }
                for kind in ClientRecord.Kind.allCases {
                    for id in ids { _ = try transaction.insert(Sample.clientRecord(kind, id)) }
                }
                for id in ids {
                    try transaction.put(AttemptCounter(key: "k/\(id)", count: 1, since: Sample.instant()))
                    try transaction.append(Sample.event(id, of: id == "3" ? "v" : "u"))
                }
            }
            try await check(
                "grants", ["d", "c", "b", "a"], in: store, key: { GrantPlace(createdAt: $0.createdAt, id: $0.id) },
                name: \.id.rawValue
            ) {
                try $0.grants(of: ClientID(rawValue: "shop"), $1)
            }
            try await check("counters", ids.map { "k/\($0)" }, in: store, key: \.key, name: \.key) {
                try $0.counters($1)
            }
            for kind in ClientRecord.Kind.allCases {
                try await check(
                    "\(kind)", ids, in: store, key: \.digest, name: { String(decoding: $0.digest, as: UTF8.self) }
                ) {
                    try $0.clientRecords(kind, $1)
                }
            }
            try await check("events", ids.reversed(), in: store, key: \.id, name: \.id) {
                try $0.auditEvents(of: nil, $1)
            }
            try await check("events of a user", ["5", "4", "2", "1"], in: store, key: \.id, name: \.id) {
                try $0.auditEvents(of: UserID(rawValue: "u"), $1)
            }
        },

        Check("A place of a list stays where it is when its row goes") { store in
            try await store.write { transaction in
                for name in ["a", "b", "c", "d"] {
                    _ = try transaction.insert(
                        UserGroup(name: GroupName(rawValue: name), summary: "", createdAt: Sample.instant()))
                }
                _ = try transaction.deleteGroup(GroupName(rawValue: "b"))
            }
            let place = GroupName(rawValue: "b")
            let found = try await store.read { transaction in
                [
                    try transaction.groups(ListRange(place, limit: 9)),
                    try transaction.groups(ListRange(place, isBackwards: true, limit: 9)),
                ]
            }
            try requireEqual(found.map { $0.map(\.name.rawValue) }, [["c", "d"], ["a"]], "what is around it")
        },
    ]
}
