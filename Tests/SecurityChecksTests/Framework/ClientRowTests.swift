import Foundation
import Testing

@testable import CountersignCore
@testable import SecurityChecks

@Suite("Names of rows of clients")
struct ClientRowTests {
    @Test
    func `A row's digest is one that a handle can be made for, so that only its kind keeps it from being an attempt`() {
        // `AdmissionTests` sends this handle.
        #expect(
            FlowHandle("security-checks\0registration\0client").digest
                == CheckRow.registration(RegisteredClientID(rawValue: "client")))
    }

    @Test
    func `No client's id has a zero byte, however it is made`() throws {
        let id = RegisteredClientID(rawValue: "alice\0")
        #expect(id.rawValue == "alice\u{FFFD}" && id != RegisteredClientID(rawValue: "alice"))
        #expect(try JSONDecoder().decode([RegisteredClientID].self, from: Data(#"["alice\u0000"]"#.utf8)) == [id])
        #expect(RegisteredClientID(rawValue: "alice").rawValue == "alice")
    }
}
