import Foundation
import QRCode
import Testing

@Suite struct SVGQRCodeTests {
    private static let uri =
        "otpauth://totp/countersign:ada%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=countersign"

    @Test(arguments: ["A", uri, "Grüße 🔐", String(repeating: "x", count: 2331)])
    func `The path draws the modules of the code inside its border`(text: String) throws {
        let matrix = try QRMatrix(text).surrounded(by: 4)
        let svg = try SVGQRCode.render(text, label: "code")
        #expect(svg.contains("viewBox=\"0 0 \(matrix.width) \(matrix.width)\""))
        var dark = Set<[Int]>()
        for run in svg.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (column, row, length) = try (#require(Int(run.1)), #require(Int(run.2)), #require(Int(run.3)))
            #expect(run.3 == run.4)
            for offset in 0..<length { #expect(dark.insert([row, column + offset]).inserted) }
        }
        for row in 0..<matrix.width {
            for column in 0..<matrix.width where matrix[row, column] != dark.contains([row, column]) {
                Issue.record("row \(row), column \(column)")
            }
        }
    }

    @Test func `The label is escaped`() throws {
        let svg = try SVGQRCode.render("A", label: "<b>\"&")
        #expect(svg.contains("aria-label=\"&lt;b&gt;&quot;&amp;\""))
    }

    @Test(arguments: ["", "a\0b", String(repeating: "x", count: 2332)])
    func `What is no code is refused`(text: String) {
        #expect(throws: QRCodeError.self) { try SVGQRCode.render(text, label: "code") }
    }
}
