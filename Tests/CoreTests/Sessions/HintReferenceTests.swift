import CoreTestSupport
import CountersignCore
import Testing

@Suite struct HintReferenceTests {
    @Test func `A reference is good for the use that it was made for`() async throws {
        let test = try await TestRealm.make()
        let references = test.realm.hintReferences
        let named = HintReferences.Named(
            application: ClientID(rawValue: "shop"), session: SessionID(rawValue: "s"), user: UserID(rawValue: "u"))
        for use in HintReferences.Use.allCases {
            let reference = try await references.reference(to: named, for: use)
            for other in HintReferences.Use.allCases {
                #expect(references.named(by: reference, for: other) == (other == use ? named : nil))
            }
        }
    }
}
