import CountersignCore
import Foundation

extension StoreConformance {
    static let documents: [Check] = [
        Check("A document is inserted and replaced under its name") { store in
            try requireEqual(try await store.read { try $0.document(Sample.text) }, nil, "the document before")
            for body in [Sample.largeBlob, Data(), Data([0])] {
                try await store.write { try $0.putDocument(Sample.text, body) }
                let kept = try await store.read { try $0.document(Sample.text) }
                try require(kept == body, "the document of \(body.count) bytes came back changed")
            }
            try requireEqual(try await store.read { try $0.document("other") }, nil, "another document")
        }
    ]
}
