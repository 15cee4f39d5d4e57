import CountersignCore
import Foundation

extension StoreConformance {
    static let signingKeys: [Check] = [
        Check("Signing keys come back as they were inserted, the oldest first") { store in
            let full = SigningKeyRecord(
                id: Sample.text, algorithm: .rs256, createdAt: Sample.instant(2), retiredAt: Sample.instants[0],
                removedAfter: Sample.instants[3], sealedPrivateKey: Sample.largeBlob)
            let bare = SigningKeyRecord(
                id: "bare", algorithm: .es256, createdAt: Sample.instant(1), sealedPrivateKey: Data())
            let answers = try await store.write {
                [try $0.insert(full), try $0.insert(bare), try $0.insert(full)]
            }
            try requireEqual(answers, [true, true, false], "the answers to three inserts")
            let kept = try await store.read { try $0.signingKeys() }
            try require(kept == [bare, full], "the keys came back changed or in another order")
        },

        Check("A signing key's update writes retirement and the sealed key; a deleted key is gone") { store in
            let key = SigningKeyRecord(
                id: "k", algorithm: .es256, createdAt: Sample.instant(), sealedPrivateKey: Data([1]))
            var retired = key
            retired.retiredAt = Sample.instant(1)
            retired.removedAfter = Sample.instant(2)
            retired.sealedPrivateKey = Data([2])
            let answers = try await store.write { [retired] transaction in
                [try transaction.update(key), try transaction.insert(key), try transaction.update(retired)]
            }
            try requireEqual(answers, [false, true, true], "the answers to update, insert, update")
            try requireEqual(try await store.read { try $0.signingKeys() }, [retired], "the keys")
            let deletions = try await store.write { [try $0.deleteSigningKey("k"), try $0.deleteSigningKey("k")] }
            try requireEqual(deletions, [true, false], "the answers to two deletions")
            try requireEqual(try await store.read { try $0.signingKeys() }, [], "the keys after the deletion")
        },
    ]
}
