import CountersignCore
import CountersignServer
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CountersignCore
@testable import StoreSQL

/// Opens databases that earlier versions made, and finishes what was pending in them (make_kept_data.py).
@Suite("Data of earlier versions")
struct KeptDataTests {
    @Test(arguments: ["sqlite", "postgres"])
    func `A database is kept of each schema from 10 to the one before the newest`(_ store: String) throws {
        let kept = try KeptData.all(store).compactMap { Int($0.testDescription.prefix(while: \.isNumber)) }
        let missing = Set(10..<Migrations.all.steps.count).subtracting(kept)
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    @Test(arguments: try KeptData.all("sqlite"))
    func `Everything that an earlier version began is finished on SQLite`(_ kept: KeptData) async throws {
        try await kept.withCopy { directory in
            // Migrated once, and opened again.
            try await OpenedRealm.open(
                directory, hashing: KeptData.hashing, isDevelopment: true, clock: kept.clock
            ).close()
            try await kept.finish(
                OpenedRealm.open(directory, hashing: KeptData.hashing, isDevelopment: true, clock: kept.clock))
        }
    }

    private static func claims(of token: String) -> [String: Any]? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        var text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        while !text.count.isMultiple(of: 4) { text += "=" }
        return Data(base64Encoded: String(text)).flatMap {
            try? JSONSerialization.jsonObject(with: $0) as? [String: Any]
        }
    }

    /// Grants of these versions have no proofs of their own: their session's counted, until it was proven with more.
    @Test(
        arguments: try KeptData.all("sqlite").filter { kept in
            ["18", "19", "20", "21"].contains { kept.testDescription.hasPrefix($0) }
        })
    func `Refreshed tokens of an earlier version's grant say when its user signed in, also after a step-up`(
        _ kept: KeptData
    ) async throws {
        try await kept.withCopy { directory in
            let opened = try await OpenedRealm.open(
                directory, hashing: KeptData.hashing, isDevelopment: true, clock: kept.clock)
            let (realm, now) = (opened.realm, kept.clock.now)
            let found = try await realm.store.read { transaction -> (User, Session, Grant)? in
                for user in try transaction.users(after: nil, limit: 1000) {
                    for session in try transaction.sessions(of: user.id, limit: 100) where session.browserDigest != nil
                    {
                        let grants = try transaction.grants(of: session.id, limit: 10)
                        if let grant = grants.first { return (user, session, grant) }
                    }
                }
                return nil
            }
            let (user, session, grant) = try #require(found)
            #expect(grant.proofs == nil)
            let proofs = [
                Proof(kind: .password, at: now),
                Proof(kind: .totp, at: now, isSecondFactor: true, assurance: .possession),
            ]
            let draft = SessionDraft(random: realm.random)
            let proving = try await realm.store.write { transaction in
                try draft.open(
                    for: user, evidence: SessionEvidence(dialect: .oauth, proofs: proofs), clientID: grant.clientID,
                    settings: transaction.settings(), at: now, from: .commandLine, in: transaction)
            }
            _ = try #require(await realm.sessions.raise(session, by: proving))
            let began = try #require(session.proofs.map(\.at).min())
            #expect(began < now)
            let told = Mutex<[String]>([])
            try await kept.finish(opened, only: ["a refresh token of OAuth"]) { answer in
                let token = (answer as? [String: Any])?["id_token"] as? String ?? ""
                let claims = Self.claims(of: token)
                told.withLock { $0 += ["auth_time", "acr"].map { name in claims?[name].map { "\($0)" } ?? "none" } }
            }
            #expect(told.withLock { $0 } == ["\(Int64(began.timeIntervalSince1970))", "aal1"])
        }
    }

    @Test(
        .enabled(if: PostgresCluster.isWanted), arguments: try KeptData.all("postgres"))
    func `Everything that an earlier version began is finished on PostgreSQL`(_ kept: KeptData) async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        try await database.run(String(contentsOf: kept.folder.appending(path: "postgres.sql"), encoding: .utf8))
        try await kept.withCopy { directory in
            try await kept.finish(
                OpenedRealm.open(
                    directory, database: database.url, hashing: KeptData.hashing, isDevelopment: true, clock: kept.clock
                ))
        }
    }

    @Test(arguments: try KeptData.all("sqlite"))
    func `The log of an earlier version is sealed, and holds, on SQLite`(_ kept: KeptData) async throws {
        try await kept.withCopy { directory in
            try await seal(
                OpenedRealm.open(directory, hashing: KeptData.hashing, isDevelopment: true, clock: kept.later), of: kept
            )
        }
    }

    @Test(.enabled(if: PostgresCluster.isWanted), arguments: try KeptData.all("postgres"))
    func `The log of an earlier version is sealed, and holds, on PostgreSQL`(_ kept: KeptData) async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        try await database.run(String(contentsOf: kept.folder.appending(path: "postgres.sql"), encoding: .utf8))
        try await kept.withCopy { directory in
            try await seal(
                OpenedRealm.open(
                    directory, database: database.url, hashing: KeptData.hashing, isDevelopment: true, clock: kept.later
                ), of: kept)
        }
    }

    private func seal(_ opened: OpenedRealm, of kept: KeptData) async throws {
        do {
            let events = try await opened.realm.auditLog.events(limit: 1000).count { $0.at <= kept.clock.now }
            #expect(events > 10)
            try await opened.realm.maintenance.run()
            let whole = try await opened.realm.auditSeals.verify(after: 0)
            #expect(whole.events >= min(events, 1000) && whole.fault == nil && whole.next == nil, "\(whole)")
            #expect(try await opened.realm.auditSeals.status().checkedThrough == whole.through)
            try await opened.close()
        } catch {
            try? await opened.close()
            throw error
        }
    }
}

extension KeptData {
    /// When everything that was logged has settled.
    fileprivate var later: KeptClock { KeptClock(at: clock.now.timeIntervalSince1970 + 300) }
}
