import CountersignCore
import Foundation

extension StoreConformance {
    static let clientRecords: [Check] = [
        Check("A record of a client is read back as it was inserted, in its own table alone") { store in
            for kind in ClientRecord.Kind.allCases {
                var record = Sample.clientRecord(kind, "record", expiresAt: Sample.instants[3])
                record.body = Sample.largeBlob
                let inserted = record
                let answers = try await store.write { [try $0.insert(inserted), try $0.insert(inserted)] }
                try requireEqual(answers, [true, false], "the answers to two inserts of the same \(kind)")
                let kept = try await store.read { transaction in
                    try ClientRecord.Kind.allCases.map { try transaction.clientRecord($0, digest: inserted.digest) }
                }
                for (other, found) in zip(ClientRecord.Kind.allCases, kept) {
                    try requireEqual(found, other == kind ? inserted : nil, "the \(kind) read as \(other)")
                }
                let deleted = try await store.write { transaction in
                    try (0..<2).map { _ in try transaction.deleteClientRecord(kind, digest: inserted.digest) }
                }
                try requireEqual(deleted, [true, false], "the answers to two deletions of the same \(kind)")
                try requireEqual(
                    try await store.read { try $0.clientRecord(kind, digest: inserted.digest) }, nil, "the \(kind)")
            }
        },

        Check("A record of a client is written where nothing else wrote it since it was read") { store in
            _ = try await store.write { try $0.insert(Sample.user("u")) }
            for kind in ClientRecord.Kind.allCases {
                let record = Sample.clientRecord(kind, "record")
                let answers = try await store.write { transaction -> [Bool] in
                    _ = try transaction.insert(record)
                    var changed = record
                    changed.userID = UserID(rawValue: "u")
                    changed.expiresAt = Sample.instant(7)
                    changed.body = Data("changed".utf8)
                    return [
                        try transaction.update(changed), try transaction.update(record),
                        try transaction.update(Sample.clientRecord(kind, "unknown")),
                    ]
                }
                try requireEqual(answers, [true, false, false], "the answers to updates of a \(kind)")
                let kept = try await store.read { try $0.clientRecord(kind, digest: record.digest) }
                try requireEqual(kept?.revision, 1, "the revision of the \(kind)")
                try requireEqual(kept?.userID?.rawValue, "u", "the user of the \(kind)")
                try requireEqual(kept?.expiresAt, Sample.instant(7), "the expiry of the \(kind)")
                try requireEqual(kept?.body, Data("changed".utf8), "the body of the \(kind)")
                try requireEqual(kept?.createdAt, record.createdAt, "the creation of the \(kind)")
            }
        },

        Check("A record of a client is not inserted or written for a user who does not exist") { store in
            for kind in ClientRecord.Kind.allCases {
                let answers = try await store.write { transaction -> [Bool] in
                    let inserted = try transaction.insert(Sample.clientRecord(kind, "1", of: "nobody"))
                    _ = try transaction.insert(Sample.clientRecord(kind, "2"))
                    return [inserted, try transaction.update(Sample.clientRecord(kind, "2", of: "nobody"))]
                }
                try requireEqual(answers, [false, false], "the answers to writing a \(kind) of an absent user")
            }
        },

        Check("Records of clients are listed by digest, by user, and no more than asked for") { store in
            try await store.write { transaction in
                for user in ["ada", "bert"] { _ = try transaction.insert(Sample.user(user)) }
                for kind in ClientRecord.Kind.allCases {
                    for (digest, user) in [("3", "ada"), ("1", nil), ("4", "bert"), ("2", "ada")] {
                        _ = try transaction.insert(Sample.clientRecord(kind, digest, of: user))
                    }
                }
            }
            for kind in ClientRecord.Kind.allCases {
                func page(after digest: String? = nil, limit: Int) async throws -> [String] {
                    try await store.read { transaction in
                        try transaction.clientRecords(kind, after: digest.map { Data($0.utf8) }, limit: limit)
                            .map { String(decoding: $0.digest, as: UTF8.self) }
                    }
                }
                try requireEqual(try await page(limit: 9), ["1", "2", "3", "4"], "all of \(kind)")
                try requireEqual(try await page(limit: 2), ["1", "2"], "the first two of \(kind)")
                try requireEqual(try await page(after: "2", limit: 9), ["3", "4"], "those of \(kind) after one")
                try requireEqual(try await page(after: "4", limit: 9), [], "those of \(kind) after the last")
                try requireEqual(try await page(limit: -1), [], "less than none of \(kind)")
                let ada = UserID(rawValue: "ada")
                let listed = try await store.read { transaction in
                    (
                        try transaction.clientRecords(kind, of: ada, limit: 9).map(\.digest),
                        try transaction.clientRecords(kind, of: ada, limit: 1).count
                    )
                }
                try requireEqual(Set(listed.0), [Data("2".utf8), Data("3".utf8)], "those of \(kind) of a user")
                try requireEqual(listed.1, 1, "how many there are where one was asked for")
            }
        },

        Check("Expired records of clients are removed, no more than asked for at a time, and none of another kind") {
            store in
            try await store.write { transaction in
                for kind in ClientRecord.Kind.allCases {
                    for number in 0..<7 {
                        _ = try transaction.insert(
                            Sample.clientRecord(kind, "\(number)", expiresAt: Sample.instant(Int64(number))))
                    }
                }
            }
            for (index, kind) in ClientRecord.Kind.allCases.enumerated() {
                var removed: [Int] = []
                for limit in [-1, 0, 3, 3, 3] {
                    removed.append(
                        try await store.write {
                            try $0.deleteClientRecords(kind, expiredBefore: Sample.instant(5), limit: limit)
                        })
                }
                try requireEqual(removed, [0, 0, 3, 2, 0], "how many of \(kind) were removed each time")
                let left = try await store.read { transaction in
                    try ClientRecord.Kind.allCases.map { other in
                        try transaction.clientRecords(other, after: nil, limit: 9).count
                    }
                }
                let expected = ClientRecord.Kind.allCases.indices.map { $0 <= index ? 2 : 7 }
                try requireEqual(left, expected, "how many of each kind are left")
            }
        },

        Check("Records of clients that are reserved can be written in any order") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                for kind in ClientRecord.Kind.allCases {
                    for digest in ["1", "2"] { _ = try transaction.insert(Sample.clientRecord(kind, digest)) }
                }
            }
            let kinds = ClientRecord.Kind.allCases
            let digests = ["1", "2", "3"].map { Data($0.utf8) }
            try await store.write { transaction in
                try transaction.reserve(
                    Set(kinds.flatMap { kind in digests.map { .client(kind, $0) } } + [.user(UserID(rawValue: "u"))]))
                for kind in kinds.reversed() {
                    for digest in digests.reversed() {
                        guard var record = try transaction.clientRecord(kind, digest: digest) else { continue }
                        record.body = Data("changed".utf8)
                        try require(try transaction.update(record), "a reserved \(kind) was not written")
                    }
                }
                try transaction.touch(UserID(rawValue: "u"), signedInAt: Sample.instant(1), refreshedAt: nil)
            }
            let changed = try await store.read { transaction in
                try kinds.flatMap { try transaction.clientRecords($0, after: nil, limit: 9) }
                    .count { $0.body == Data("changed".utf8) }
            }
            try requireEqual(changed, 2 * kinds.count, "how many were written")
        },
    ]
}
