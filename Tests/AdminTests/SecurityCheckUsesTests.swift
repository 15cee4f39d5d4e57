import CountersignCore
import SecurityChecks
import Synchronization
import Testing

@testable import AdminServer

@Suite("How versions of applications name checks")
struct SecurityCheckUsesTests {
    private final class Made: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }

        func add() { number.withLock { $0 += 1 } }
    }

    @Test func `A check is made anew for versions with settings of their own alone`() throws {
        let made = Made()
        let definition = SecurityCheckDefinition("Pin", properties: ["pinCode": "1234"]) { configuration in
            made.add()
            return PINSecurityCheck(&configuration)
        }
        let catalogue = try SecurityCheckCatalogue([definition])
        let before = made.count
        let uses = [
            ApplicationVersion(version: "1", mandatoryScope: "Pin"),
            ApplicationVersion(version: "2", scopeElementMapping: ["pay": "Pin"]),
            ApplicationVersion(version: "3", securityCheckConfigurations: ["Pin": ["maxAttempts": "2"]]),
            ApplicationVersion(version: "4", securityCheckConfigurations: ["Pin": ["maxAttempts": "many"]]),
        ].map { SecurityCheckSummary.Use.all(of: $0, "shop", catalogue)["Pin"] }
        #expect(made.count - before == 2)
        #expect(uses.map { $0?.properties.map(\.name) } == [[], [], ["maxAttempts"], ["maxAttempts"]])
        #expect(uses.map { $0?.faults.count } == [0, 0, 0, 1])
        #expect(uses[0]?.isMandatory == true && uses[1]?.elements == ["pay"])
    }
}
