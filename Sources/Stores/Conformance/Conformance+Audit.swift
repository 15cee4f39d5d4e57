import CountersignCore
import Foundation

extension StoreConformance {
    static let audit: [Check] = [
        Check("An event comes back as it was appended, with every member set and with every member absent") { store in
            let full = AuditEvent(
                id: "2", at: Sample.instants[3], kind: AuditEvent.Kind(rawValue: Sample.text),
                userID: UserID(rawValue: Sample.text), clientID: ClientID(rawValue: Sample.text),
                dialect: .identityToolkit, source: "2001:db8::1", reason: Sample.text, details: Sample.json)
            let bare = Sample.event("1", at: Sample.instants[0])
            try await store.write { transaction in
                try transaction.append(bare)
                try transaction.append(full)
            }
            try requireEqual(
                try await store.read { try $0.auditEvents(of: nil, after: nil, limit: 10) }, [full, bare], "the log")
        },

        Check("Events are listed with the newest first, of one user or of all, and only those after an id") { store in
            try await store.write { transaction in
                for number in 1...6 {
                    try transaction.append(Sample.event("\(number)", of: number % 2 == 0 ? "even" : "odd"))
                }
            }
            let even = UserID(rawValue: "even")
            let listed = try await store.read { transaction in
                [
                    try transaction.auditEvents(of: nil, after: nil, limit: 3),
                    try transaction.auditEvents(of: nil, after: "4", limit: 10),
                    try transaction.auditEvents(of: even, after: nil, limit: 2),
                    try transaction.auditEvents(of: even, after: "2", limit: 10),
                    try transaction.auditEvents(of: UserID(rawValue: "nobody"), after: nil, limit: 10),
                ]
            }
            try requireEqual(
                listed.map { $0.map(\.id) }, [["6", "5", "4"], ["6", "5"], ["6", "4"], ["6", "4"], []], "the events")
        },

        Check("An event whose id is taken is an error, never silently lost") { store in
            try await store.write { try $0.append(Sample.event("1")) }
            do {
                try await store.write { try $0.append(Sample.event("1")) }
            } catch is StoreError {
                return
            }
            throw Failure("the second event was accepted")
        },

        Check("Old events are removed, no more than asked for at a time, and no others") { store in
            try await store.write { transaction in
                for number in 0..<7 {
                    try transaction.append(Sample.event("\(number)", at: Sample.instant(Int64(number))))
                }
            }
            var removed: [Int] = []
            for _ in 0..<3 {
                removed.append(
                    try await store.write { try $0.deleteAuditEvents(before: Sample.instant(5), limit: 3) })
            }
            try requireEqual(removed, [3, 2, 0], "how many were removed each time")
            let left = try await store.read { try $0.auditEvents(of: nil, after: nil, limit: 10) }
            try requireEqual(left.map(\.id), ["6", "5"], "what is left")
        },

        Check("A user's events are listed backwards from an id, and details of one kind are replaced") { store in
            try await store.write { transaction in
                for number in 1...5 { try transaction.append(Sample.event("\(number)", of: "ada")) }
                try transaction.append(Sample.event("6", of: "bert"))
            }
            let ada = UserID(rawValue: "ada")
            let listed = try await store.read { transaction in
                [
                    try transaction.auditEvents(of: ada, before: nil, limit: 2),
                    try transaction.auditEvents(of: ada, before: "4", limit: 2),
                    try transaction.auditEvents(of: ada, before: "2", limit: 2),
                    try transaction.auditEvents(of: ada, before: "1", limit: 2),
                ]
            }
            try requireEqual(listed.map { $0.map(\.id) }, [["5", "4"], ["3", "2"], ["1"], []], "the events")
            let all = try await store.read { transaction in
                try [nil, "6", "2", "1"].map { try transaction.auditEvents(of: nil, before: $0, limit: 2).map(\.id) }
            }
            try requireEqual(all, [["6", "5"], ["5", "4"], ["1"], []], "the events of all users")
            let created = AuditEvent.Kind(rawValue: "user.created")
            try await store.write { transaction in
                try transaction.replaceAuditDetails(of: ada, created, with: ["a": "b"])
                try transaction.replaceAuditDetails(
                    of: UserID(rawValue: "bert"), AuditEvent.Kind(rawValue: "other"), with: ["a": "b"])
            }
            let details = try await store.read { try $0.auditEvents(of: nil, after: nil, limit: 10) }.map(\.details)
            try requireEqual(details, [[:]] + Array(repeating: ["a": "b"], count: 5), "the details")
        },

        Check("A stretch of the log is read from its beginning, and one event by its id") { store in
            func id(_ second: Int64, _ number: Int) -> String {
                AuditBound.bound(Sample.instant(second * 1_000_000)).id + "\(number)"
            }
            let ids = [id(1, 0), id(1, 1), id(2, 0), id(3, 0)]
            try await store.write { transaction in
                for id in ids.reversed() { try transaction.append(Sample.event(id)) }
            }
            func between(_ after: String, _ bound: AuditBound, limit: Int = 10) async throws -> [String] {
                try await store.read { try $0.auditEvents(after: after, before: bound, limit: limit) }.map(\.id)
            }
            try requireEqual(try await between("", .end), ids, "the whole log")
            try requireEqual(try await between("", .end, limit: 2), Array(ids[..<2]), "its first two")
            try requireEqual(try await between(ids[1], .end), Array(ids[2...]), "what comes after one")
            try requireEqual(
                try await between(ids[0], .bound(Sample.instant(3_000_000))), Array(ids[1..<3]),
                "what comes after one and before an instant")
            try requireEqual(try await store.read { try $0.auditEvent(ids[2]) }, Sample.event(ids[2]), "one event")
            try requireEqual(try await store.read { try $0.auditEvent("none") }, nil, "an event that is not there")
        },

        Check("Events are counted by hour and kind; refusals also by reason, and sign-ins by second factor") { store in
            let begin = Sample.instant()
            let hour = Int(begin.timeIntervalSince1970) / 3600
            func event(
                _ number: Int, _ kind: String, hours: Int64 = 0, reason: String? = nil,
                details: [String: JSONValue] = [:]
            ) -> AuditEvent {
                let at = Sample.instant(hours * 3_600_000_000)
                return AuditEvent(
                    id: AuditBound.bound(at).id + "\(number)", at: at, kind: AuditEvent.Kind(rawValue: kind),
                    userID: nil, clientID: nil, dialect: nil, source: nil, reason: reason, details: details)
            }
            let second: [String: JSONValue] = [AuditCount.secondFactorMember: "totp"]
            let events = [
                event(1, "user.created"), event(2, "user.created", reason: "of no account"),
                event(3, "user.created", hours: 1), event(4, "answer.refused", reason: "wrong-answer"),
                event(5, "answer.refused", reason: "wrong-answer"), event(6, "answer.refused", reason: "replayed"),
                event(7, "sign-in.succeeded", details: second), event(8, "sign-in.succeeded"),
                event(9, "user.created", hours: 2),
            ]
            try await store.write { transaction in for event in events { try transaction.append(event) } }
            let counts = try await store.read {
                try $0.auditCounts(from: .bound(begin), before: .bound(Sample.instant(2 * 3_600_000_000)))
            }
            func count(
                _ kind: String, _ number: Int, hour: Int, reason: String? = nil, secondFactor: String? = nil
            ) -> AuditCount {
                AuditCount(
                    hour: hour, kind: AuditEvent.Kind(rawValue: kind), reason: reason, secondFactor: secondFactor,
                    count: number)
            }
            let expected = [
                count("user.created", 2, hour: hour), count("user.created", 1, hour: hour + 1),
                count("answer.refused", 2, hour: hour, reason: "wrong-answer"),
                count("answer.refused", 1, hour: hour, reason: "replayed"),
                count("sign-in.succeeded", 1, hour: hour, secondFactor: "totp"),
                count("sign-in.succeeded", 1, hour: hour),
            ]
            try requireEqual(counts.count, expected.count, "how many counts there are")
            for one in expected { try require(counts.contains(one), "\(one) is not among \(counts)") }
        },

        Check("Old events are removed only behind an id, where one is named") { store in
            try await store.write { transaction in
                for number in 0..<5 {
                    try transaction.append(Sample.event("\(number)", at: Sample.instant(Int64(number))))
                }
            }
            let removed = try await store.write {
                try $0.deleteAuditEvents(before: Sample.instant(4), after: "1", limit: 10)
            }
            try requireEqual(removed, 2, "how many were removed")
            let left = try await store.read { try $0.auditEvents(of: nil, after: nil, limit: 10) }
            try requireEqual(left.map(\.id), ["4", "1", "0"], "what is left")
        },

        Check("Rows of the log are read as they are kept, and marked and taken up once") { store in
            let event = AuditEvent(
                id: "2", at: Sample.instants[3], kind: AuditEvent.Kind(rawValue: Sample.text),
                userID: UserID(rawValue: Sample.text), clientID: ClientID(rawValue: Sample.text),
                dialect: .identityToolkit, source: "2001:db8::1", reason: Sample.text,
                details: ["b": .integer(1), "a": "/"])
            try await store.write { transaction in
                for id in ["1", "3"] { try transaction.append(Sample.event(id, at: Sample.instants[0])) }
                try transaction.append(event)
            }
            func rows(_ after: String, _ last: String, onlyTimely: Bool = false) async throws -> [AuditRow] {
                try await store.read {
                    try $0.auditRows(after: after, through: last, onlyTimely: onlyTimely, limit: 10)
                }
            }
            var expected = AuditRow(
                id: "2", at: Int(Sample.instants[3].microseconds), kind: Sample.text, userID: Sample.text,
                clientID: Sample.text, dialect: Dialect.identityToolkit.rawValue, source: "2001:db8::1",
                reason: Sample.text, details: #"{"a":"/","b":1}"#)
            try requireEqual(try await rows("1", "2"), [expected], "the row")
            try requireEqual(try await rows("", "3").map(\.id), ["1", "2", "3"], "the rows in order")

            (expected.nonce, expected.digest) = ("n", "d")
            let marked = expected
            var other = marked
            (other.nonce, other.digest) = ("o", "p")
            let again = other
            let changed = AuditRow(
                id: "1", at: 0, kind: "", userID: nil, clientID: nil, dialect: nil, source: nil, reason: nil,
                details: "something else", nonce: "n", digest: "d")
            let outcomes = try await store.write { transaction in
                [
                    try transaction.markAuditRow(marked), try transaction.markAuditRow(again),
                    try transaction.markAuditRow(changed),
                ]
            }
            try requireEqual(outcomes, [true, false, false], "what was marked")
            try requireEqual(try await store.read { try $0.auditRow("2") }, marked, "the marked row")
            try await store.write {
                try $0.replaceAuditDetails(of: UserID(rawValue: Sample.text), event.kind, with: [:])
            }
            let forgotten = try await store.read { try $0.auditRow("2") }
            try requireEqual(
                [forgotten?.details, forgotten?.nonce, forgotten?.digest], ["{}", nil, "d"], "the replaced details")

            let taken = try await store.write { transaction in
                [try transaction.takeUpAuditRow("2", in: 7), try transaction.takeUpAuditRow("2", in: 8)]
            }
            try requireEqual(taken, [true, false], "what was taken up")
            try requireEqual(try await rows("", "3", onlyTimely: true).map(\.id), ["1", "3"], "the timely rows")
            let found = try await store.read { transaction in
                [
                    try transaction.hasAuditEvent(of: UserID(rawValue: Sample.text), event.kind, after: "1"),
                    try transaction.hasAuditEvent(of: UserID(rawValue: Sample.text), event.kind, after: "2"),
                    try transaction.hasAuditEvent(of: UserID(rawValue: "nobody"), event.kind, after: "1"),
                ]
            }
            try requireEqual(found, [true, false, false], "events of a user and kind")
            let removed = try await store.write { transaction in
                [
                    try transaction.deleteAuditRows(through: "2", sealedBy: 6, limit: 10),
                    try transaction.deleteAuditRows(through: "2", sealedBy: 7, limit: 10),
                ]
            }
            try requireEqual(removed, [1, 1], "what was removed with its seals")
        },

        Check("Seals come back as they were put, one for each number, and are changed by who read them") { store in
            func seal(_ number: Int, through: String, key: String = "k") -> AuditSeal {
                AuditSeal(
                    number: number, keyID: key, after: "a", through: through, sealedAt: Sample.instants[3],
                    looked: number - 1, count: 3, ids: "x", late: "y", nonce: "n", content: "c", previous: "p",
                    isPruned: false, code: "code\(number)")
            }
            let seals = [seal(1, through: "2"), seal(2, through: "4", key: "l"), seal(3, through: "4")]
            let inserted = try await store.write { transaction in
                try seals.map { try transaction.insert($0) } + [try transaction.insert(seals[0])]
            }
            try requireEqual(inserted, [true, true, true, false], "what was inserted")
            try requireEqual(try await store.read { try $0.auditSeals(after: 0, limit: 10) }, seals, "all seals")
            try requireEqual(
                try await store.read { try $0.auditSeals(after: 1, limit: 1) }, [seals[1]], "the next seal")
            try requireEqual(
                try await store.read { try $0.auditSeals(after: 0, notSignedBy: "k", limit: 9) }, [seals[1]],
                "seals of another key")
            try requireEqual(try await store.read { try $0.lastAuditSeal() }, seals[2], "the last seal")
            let reaching = try await store.read { transaction in
                try ["1", "2", "3", "5"].map { try transaction.auditSeal(reaching: $0)?.number }
            }
            try requireEqual(reaching, [1, 1, 2, nil], "the seals that reach ids")
            var pruned = seals[1]
            (pruned.keyID, pruned.ids, pruned.late, pruned.nonce) = ("k", "", "", nil)
            (pruned.isPruned, pruned.code) = (true, "other")
            let changed = pruned
            let updated = try await store.write { transaction in
                [try transaction.update(changed, from: "wrong"), try transaction.update(changed, from: "code2")]
            }
            try requireEqual(updated, [false, true], "what was changed")
            try await store.write { try $0.deleteAuditSeals(before: 2) }
            try requireEqual(
                try await store.read { try $0.auditSeals(after: 0, limit: 10) }, [changed, seals[2]], "what is left")
        },
    ]
}
