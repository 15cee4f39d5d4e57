import AdminServer
import Foundation
import ServerHTTP
import Testing

/// docs/administration.md says what each right opens.
@Suite struct RightsTableTests {
    @Test func `Each operation stands in the row of its right`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/administration.md"), encoding: .utf8)
        for endpoint in AdministrationOperations.openAPI {
            guard case .administrator(let right) = endpoint.security else { continue }
            let name = endpoint.path.dropFirst("/admin/v1/".count)
            let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("| `\(right)` |") }, "\(right)")
            #expect(row.contains("`\(name)`"), "\(name) is not in the row of \(right)")
        }
    }
}
