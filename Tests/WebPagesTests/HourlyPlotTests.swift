import Foundation
import Testing

@testable import WebPages

@Suite struct HourlyPlotTests {
    private func bars(_ svg: String) -> [(x: Int, y: Int, height: Int)] {
        svg.matches(of: /x="(\d+)" y="(\d+)" width="8" height="(\d+)"/).compactMap {
            guard let x = Int($0.1), let y = Int($0.2), let height = Int($0.3) else { return nil }
            return (x, y, height)
        }
    }

    @Test func `A plot has a bar for each number above zero, as high as the number`() {
        let svg = HourlyPlot(counts: [0, 1, 50, 100, 25], title: "Sign-ins", summary: "176 in all").svg
        let drawn = bars(svg)
        #expect(drawn.map(\.x) == [11, 21, 31, 41] && drawn.map(\.height) == [1, 22, 44, 11])
        #expect(drawn.allSatisfy { $0.y + $0.height == 48 })
        #expect(svg.hasPrefix("<svg class=\"plot\" role=\"img\" viewBox=\"0 0 50 49\""))
        #expect(svg.contains("<title>Sign-ins</title><desc>176 in all</desc>"))
    }

    @Test func `A plot needs nothing that the policy of pages refuses, and no text of it is markup`() throws {
        let hostile = "</title><script>alert(1)</script>\" onload='x' & \u{202E}evil\u{0}"
        let svg = HourlyPlot(counts: [1, .max, -5, 0], title: hostile, summary: hostile).svg
        for wrong in ["<script", "style=", "onload='", "href", "\u{202E}", "\u{0}", "<image", "xlink"] {
            #expect(!svg.contains(wrong), "\(wrong)")
        }
        let parser = XMLDocumentCheck(svg)
        #expect(parser.elements.filter { $0 == "title" }.count == 1 && parser.isWellFormed, "\(svg)")
        #expect(Set(parser.elements) == ["svg", "title", "desc", "rect", "line"])
    }

    @Test func `Nothing at all, and very much, is a plot, too`() {
        #expect(bars(HourlyPlot(counts: [], title: "", summary: "").svg).isEmpty)
        #expect(bars(HourlyPlot(counts: Array(repeating: 0, count: 24), title: "", summary: "").svg).isEmpty)
        let many = bars(HourlyPlot(counts: Array(1...10_000), title: "", summary: "").svg)
        #expect(many.count == HourlyPlot.mostBars && many.last?.height == 44)
    }
}

/// The elements of a small document without entities but the five of XML; enough for what a plot writes.
private struct XMLDocumentCheck {
    var elements: [String] = []
    var isWellFormed = true

    init(_ text: String) {
        var open: [String] = []
        for match in text.matches(of: /<(\/?)([a-z]+)([^<>]*?)(\/?)>/) {
            let name = String(match.2)
            if match.1.isEmpty {
                elements.append(name)
                if match.4.isEmpty { open.append(name) }
            } else if open.popLast() != name {
                isWellFormed = false
            }
        }
        let rest = text.replacing(/<\/?[a-z]+[^<>]*>/, with: "")
        isWellFormed =
            isWellFormed && open.isEmpty && !rest.contains("<") && !rest.contains(">")
            && rest.matches(of: /&/).count == rest.matches(of: /&(amp|lt|gt|quot|#39);/).count
    }
}
