import CountersignCore
import Foundation
import Testing

@testable import IdentityToolkitServer

/// What was written earlier, as it stands in old databases, and what it means today. Never edit a shape; add the new one.
@Suite("Identity Toolkit's own settings")
struct OwnSettingsTests {
    private func settings(_ document: String) throws -> RealmSettings {
        try JSONDecoder().decode(RealmSettings.self, from: Data(document.utf8))
    }

    @Test
    func `Every shape that was ever written means what it meant`() throws {
        #expect(try settings("{}").identityToolkit == IdentityToolkitSettings())
        // Before decision 128 these stood in the core's own shape, and the text-message factor among the second factors.
        let old = try settings(
            """
            {"identityToolkit":{"allowsEmail":false,"allowsEmailLinks":false,"allowsDeletion":false},
             "secondFactors":{"listsPhone":true,"state":"MANDATORY","totp":{"adjacentIntervals":5,"state":"ENABLED"}}}
            """)
        let own = old.identityToolkit
        #expect(!own.allowsEmail && !own.allowsEmailLinks && !own.allowsDeletion && own.listsPhone)
        #expect(old.secondFactors.isRequired && old.secondFactors.totpWindow == 5)
        let partial = try settings(#"{"identityToolkit":{"allowsEmailLinks":false}}"#).identityToolkit
        #expect(partial.allowsEmail && !partial.allowsEmailLinks && partial.allowsDeletion && !partial.listsPhone)
        #expect(!partial.allowsSignInByLink)
    }

    @Test
    func `What is written is read back, also by a program that looks for the earlier names`() throws {
        var changed = RealmSettings()
        changed.identityToolkit.allowsDeletion = false
        changed.identityToolkit.listsPhone = true
        let text = try JSONEncoder().encode(changed)
        #expect(try JSONDecoder().decode(RealmSettings.self, from: text) == changed)
        let members = try JSONDecoder().decode(JSONValue.self, from: text)["identityToolkit"]
        #expect(members?["allowsDeletion"] == .bool(false) && members?["allowsEmail"] == .bool(true))
    }

    @Test
    func `A member that is no Boolean permits nothing`() throws {
        let broken = try settings(
            #"{"identityToolkit":{"allowsEmail":"yes","allowsDeletion":1,"allowsEmailLinks":null}}"#)
        let own = broken.identityToolkit
        #expect(!own.allowsEmail && !own.allowsEmailLinks && !own.allowsDeletion)
    }
}
