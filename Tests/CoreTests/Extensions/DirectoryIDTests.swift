import Foundation
import Testing

@testable import CountersignCore

@Suite("Ids as directories have them")
struct DirectoryIDTests {
    private static let tenant = Tenant(id: "3b9aca00-1111-4222-8333-444455556666", decoys: Data())

    /// The GUIDs of RFC 9562, section 5.5, computed by Python's `uuid.uuid5`.
    @Test(
        arguments: [
            ("kJ3nP8vQ1xZ7bL5mT9wR2cY6dF4h", "14758c0a-ff88-5ef6-bd6b-4989521d75cf"),
            // Another spelling of a GUID is another user.
            ("550E8400-E29B-41D4-A716-446655440000", "086f45bf-3fa6-5c7a-be84-147738bb0b21"),
            ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
        ])
    func `An id that is no GUID has one, the same every time`(id: String, guid: String) {
        #expect(Self.tenant.directoryID(of: UserID(rawValue: id)) == guid)
        let elsewhere = Tenant(id: "3b9aca00-1111-4222-8333-444455556667", decoys: Data())
        #expect((elsewhere.directoryID(of: UserID(rawValue: id)) == guid) == (id == guid))
    }

    @Test(
        arguments: [
            ("notes", "ac964d28-39b3-5372-a289-40f715348125"),
            ("api://library", "33731592-e83b-508c-8d9e-7783cca6916b"),
            ("0a0a0a0a-1111-4bbb-8222-3c3c3c3c3c3c", "0a0a0a0a-1111-4bbb-8222-3c3c3c3c3c3c"),
            (
                "api://login.example.com/0a0a0a0a-1111-4bbb-8222-3c3c3c3c3c3c",
                "0a0a0a0a-1111-4bbb-8222-3c3c3c3c3c3c"
            ),
        ])
    func `Applications and APIs too, and a GUID in an API's name is its own`(name: String, guid: String) {
        #expect(Self.tenant.directoryID(ofApplication: name) == guid)
    }

    @Test
    func `A user and an application of one name are two, and a name of nothing has a GUID`() {
        let user = Self.tenant.directoryID(of: UserID(rawValue: "notes"))
        #expect(user != Self.tenant.directoryID(ofApplication: "notes"))
        for name in ["", "/", "api://", "\u{0}"] {
            #expect(UUID(uuidString: Self.tenant.directoryID(ofApplication: name)) != nil)
        }
    }
}
