import CountersignCore
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
}
