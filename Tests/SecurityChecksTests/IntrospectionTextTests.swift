import CountersignCore
import Foundation
import SecurityChecksWire
import Testing

@Suite("The text of an introspection")
struct IntrospectionTextTests {
    private typealias Answer = IntrospectionResponse<JSONValue>

    @Test
    func `What a resource server is answered is the text that an encoder makes with sorted keys`() throws {
        let attributes: [String: JSONValue] = [
            "b": .array([.integer(1), .null, .number(1.5)]), "a/\"\n": .object(["é": .bool(false)]),
        ]
        let whole = Answer(
            active: true, scope: Scope(["b", "a/c"]), username: "ada", clientID: "c", exp: 1_790_000_060_000,
            application: ApplicationData(id: "com.example", clientPlatform: "ios", version: "1.0.0"),
            device: DeviceData(
                id: "d", platform: "ios 13.5", hardware: "iPhone", deviceDisplayName: "Ada's", status: .active),
            user: AuthenticatedUser(
                id: "ada", displayName: "Ada", authenticatedAt: 1_789_999_990_000, authenticatedBy: "PIN",
                attributes: attributes), checks: ["PIN": .object(attributes), "Other": .object([:])])
        let bare = Answer(
            active: true, application: ApplicationData(id: nil, clientPlatform: nil, version: nil),
            device: DeviceData(id: nil, platform: nil, hardware: nil), checks: [:])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for answer in [whole, bare, Answer(active: true), .inactive, Answer(active: false, scope: Scope(["a"]))] {
            let expected = String(decoding: try encoder.encode(answer), as: UTF8.self)
            #expect(String(decoding: try answer.jsonText, as: UTF8.self) == expected)
        }
    }
}
