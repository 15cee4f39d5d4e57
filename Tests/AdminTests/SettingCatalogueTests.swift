import CountersignCore
import DialectTestSupport
import Foundation
import Testing

@testable import AdminServer

/// The names by which administrators change settings.
@Suite struct SettingCatalogueTests {
    /// What is added to the settings and forgotten here could not be changed.
    @Test func `Every setting of the realm has a name`() throws {
        func leaves(_ value: JSONValue, _ path: String) -> [String] {
            guard case .object(let members) = value, !members.isEmpty else { return [path] }
            return members.flatMap { leaves($0.value, path.isEmpty ? $0.key : "\(path).\($0.key)") }
        }
        var settings = RealmSettings()
        settings.passwords = .nist
        (settings.push.apns.keyID, settings.push.apns.teamID) = ("K", "T")
        settings.push.apns.bundleID = "com.example.app"
        settings.links.authorizedDomains = ["app.example.com"]
        let encoded = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(settings))
        let families = SettingFamily.all.map { String($0.prefix.dropLast()) }
        let known = Set(Setting.all.map(\.key) + families)
        #expect(Set(leaves(encoded, "")).subtracting(known) == [])
    }

    @Test func `A group of which a second factor is required has to be there, and a role has to be one`() async throws {
        try await TestServer.with(.development) { server in
            func set(_ key: String, _ value: String) async throws -> ChangeSetting.Answer {
                try await ChangeSetting(key: "secondFactors.\(key)", value: .string(value)).perform(
                    on: server.realm, as: .commandLine, by: .testAdministrator)
            }
            for (key, value) in [("requiredGroups", "staff"), ("requiredGroups", "a b"), ("requiredRoles", "boss")] {
                let refused = await #expect(throws: AdministrationError.self) { try await set(key, value) }
                #expect(refused?.code == .invalid, "\(key) \(value)")
            }
            _ = try await AddGroup(group: "staff").perform(on: server.realm, as: .commandLine, by: .testAdministrator)
            #expect(try await set("requiredGroups", "staff").setting.value == .array([.string("staff")]))
            #expect(try await set("requiredRoles", "owner, support").warnings.isEmpty)
            let kept = await #expect(throws: AdministrationError.self) {
                try await RemoveGroup(group: "staff").perform(
                    on: server.realm, as: .commandLine, by: .testAdministrator)
            }
            #expect(kept?.code == .refused)
            // A change of another setting asks for no group, also where a server of before has removed one.
            let staff = try #require(GroupName("staff"))
            #expect(try await server.realm.store.write { try $0.deleteGroup(staff) })
            #expect(try await set("requiredRoles", "owner").warnings.count == 1, "Support needs none any more.")
        }
    }
}
