import CountersignCore
import Foundation

extension StoreConformance {
    /// A row of each place that holds sealed values, with the value.
    static func insertSealed(_ sealed: Data, in transaction: any StoreTransaction) throws -> [SealedAddress] {
        _ = try transaction.insert(Sample.user("u"))
        var factor = Sample.factor("f", of: "u")
        factor.payload = sealed
        var flow = Sample.flow("d")
        flow.body = sealed
        var grant = Sample.grant("g", on: "s", of: "u")
        grant.refresh.sealedCurrent = sealed
        _ = try transaction.insert(factor)
        _ = try transaction.insert(flow)
        for kind in ClientRecord.Kind.allCases {
            var record = Sample.clientRecord(kind, "r")
            record.body = sealed
            _ = try transaction.insert(record)
        }
        _ = try transaction.insert(Sample.session("s", of: "u"))
        _ = try transaction.insert(grant)
        _ = try transaction.insert(
            AuthorizationCodeRecord(
                digest: Data("c".utf8), userID: nil, createdAt: Sample.instant(), expiresAt: Sample.instant(),
                body: sealed))
        _ = try transaction.insert(
            SigningKeyRecord(id: "k", algorithm: .es256, createdAt: Sample.instant(), sealedPrivateKey: sealed))
        _ = try transaction.insert(
            OutboxMessage(
                id: "m", channel: .email, recipient: "a@example.org", createdAt: Sample.instant(),
                nextAttemptAt: Sample.instant(), sealedContent: sealed))
        try transaction.putSealedSecret("p", sealed)
        return [
            SealedAddress(.factor, key: "f"), SealedAddress(.flow, key: Data("d".utf8).hex),
            SealedAddress(.grant, key: "g"), SealedAddress(.authorizationCode, key: Data("c".utf8).hex),
            SealedAddress(.signingKey, key: "k"), SealedAddress(.outbox, key: "m"), SealedAddress(.secret, key: "p"),
        ]
            + [SealedPlace.clientRegistration, .checkState, .refreshFamily].map {
                SealedAddress($0, key: Data("r".utf8).hex)
            }
    }

    private static let sealed = Data([1, 0xA, 0xB, 0xC, 0xD]) + Data(repeating: 7, count: 40)
    private static let other = Data([1, 0xA, 0xB, 0xC, 0xE]) + Data(repeating: 8, count: 40)

    static let sealedValues: [Check] = [
        Check("A secret is kept under its name, replaced, and gone when it was removed") { store in
            func kept() async throws -> [Data?] {
                try await store.read { [try $0.sealedSecret("p"), try $0.sealedSecret("q")] }
            }
            try requireEqual(try await kept(), [nil, nil], "the secrets before")
            for value in [sealed, other] {
                try await store.write { try $0.putSealedSecret("p", value) }
                try requireEqual(try await kept(), [value, nil], "the secrets")
            }
            try await store.write { transaction in
                for _ in 0..<2 { try transaction.deleteSealedSecret("p") }
            }
            try requireEqual(try await kept(), [nil, nil], "the secrets afterwards")
        },
        Check("Every place of sealed values is walked over, and those under one name come without their bytes") {
            store in
            let addresses = try await store.write { try insertSealed(sealed, in: $0) }
            try requireEqual(Set(addresses.map(\.place)), Set(SealedPlace.allCases), "the places of the sample")
            for address in addresses {
                func rows(after key: String? = nil, except name: Data? = nil, limit: Int = 10) async throws
                    -> [SealedRow]
                {
                    try await store.read {
                        try $0.sealedRows(in: address.place, after: key, except: name, limit: limit)
                    }
                }
                let kept = [SealedRow(address: address, sealed: sealed)]
                try requireEqual(try await rows(), kept, "the rows of \(address)")
                try requireEqual(try await rows(after: address.key), [], "the rows after \(address)")
                try requireEqual(try await rows(limit: 0), [], "no rows of \(address)")
                try requireEqual(try await rows(except: other[1..<5]), kept, "\(address) under another name")
                let named = [SealedRow(address: address, sealed: nil)]
                try requireEqual(try await rows(except: sealed[1..<5]), named, "\(address) under its own name")
            }
        },
        Check(
            "Sealed values come in the order of their keys, a limited number at a time, and rows without one not at all"
        ) {
            store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                for id in ["c", "a", "b", "d"] {
                    _ = try transaction.insert(Sample.factor(id, of: "u"))
                    _ = try transaction.insert(Sample.flow(id))
                    _ = try transaction.insert(Sample.session(id, of: "u"))
                    _ = try transaction.insert(Sample.grant(id, on: id, of: "u"))
                }
            }
            func keys(_ place: SealedPlace, after key: String? = nil, limit: Int) async throws -> [String] {
                try await store.read { transaction in
                    try transaction.sealedRows(in: place, after: key, except: nil, limit: limit).map(\.address.key)
                }
            }
            try requireEqual(try await keys(.factor, limit: 2), ["a", "b"], "the first factors")
            try requireEqual(try await keys(.factor, after: "b", limit: 9), ["c", "d"], "the last factors")
            try requireEqual(try await keys(.flow, after: "62", limit: 9), ["63", "64"], "the last flows")
            try requireEqual(try await keys(.flow, after: "no hexadecimal", limit: 9), [], "flows after no key")
            try requireEqual(try await keys(.grant, limit: 9), [], "grants that hold no sealed token")
        },
        Check("A sealed value is replaced only where it is still the one that was read") { store in
            let addresses = try await store.write { try insertSealed(sealed, in: $0) }
            for address in addresses {
                func replace(_ present: Data, at address: SealedAddress) async throws -> Bool {
                    try await store.write { try $0.replaceSealed(present, at: address, with: other) }
                }
                try require(!(try await replace(other, at: address)), "\(address) was replaced over another value")
                let nowhere = SealedAddress(address.place, key: "00")
                try require(!(try await replace(sealed, at: nowhere)), "a row that is not there was replaced")
                try require(try await replace(sealed, at: address), "\(address) was not replaced")
                try require(!(try await replace(sealed, at: address)), "\(address) was replaced twice")
                let rows = try await store.read {
                    try $0.sealedRows(in: address.place, after: nil, except: nil, limit: 9)
                }
                try requireEqual(rows.map(\.sealed), [other], "the value of \(address)")
            }
        },
        Check("A transaction that read a row before its sealed value was replaced does not put the old one back") {
            store in
            _ = try await store.write { try insertSealed(sealed, in: $0) }
            let read = try await store.read { transaction in
                (
                    try transaction.factor(FactorID(rawValue: "f")), try transaction.flow(digest: Data("d".utf8)),
                    try transaction.grant(GrantID(rawValue: "g")),
                    try ClientRecord.Kind.allCases.compactMap {
                        try transaction.clientRecord($0, digest: Data("r".utf8))
                    }
                )
            }
            guard let factor = read.0, let flow = read.1, let grant = read.2,
                read.3.count == ClientRecord.Kind.allCases.count
            else {
                throw Failure("the sample is not there")
            }
            let written = try await store.write { transaction in
                try transaction.reserve(
                    Set(ClientRecord.Kind.allCases.map { .client($0, Data("r".utf8)) })
                        .union([.factor(factor.id), .flow(flow.digest), .grant(grant.id)]))
                for address in [
                    SealedAddress(.factor, key: "f"), SealedAddress(.flow, key: Data("d".utf8).hex),
                    SealedAddress(.grant, key: "g"),
                    SealedAddress(.clientRegistration, key: Data("r".utf8).hex),
                    SealedAddress(.checkState, key: Data("r".utf8).hex),
                    SealedAddress(.refreshFamily, key: Data("r".utf8).hex),
                ] { _ = try transaction.replaceSealed(sealed, at: address, with: other) }
                // In the order in which rows are locked.
                let first = [try transaction.update(factor), try transaction.update(flow)]
                let records = try read.3.map { try transaction.update($0) }
                return first + records + [try transaction.update(grant)]
            }
            try requireEqual(written, Array(repeating: false, count: 6), "updates of rows as they were before")
        },
    ]
}
