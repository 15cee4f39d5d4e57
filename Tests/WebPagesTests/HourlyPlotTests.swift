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
        #expect(svg.hasPrefix("<svg class=\"plot\" role=\"img\" width=\"100%\""))
        #expect(svg.contains("viewBox=\"0 0 50 49\" preserveAspectRatio=\"none\""))
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
        #expect(Set(parser.elements) == ["svg", "title", "desc", "text", "rect", "line"])
    }

    @Test func `The highest number and the hours of the day are written beside the bars`() {
        // From 2026-11-22 23:00 on.
        let hours = (0..<24).map { Date(timeIntervalSince1970: 1_795_388_400 + Double($0) * 3600) }
        let counts = hours.indices.map { $0 == 7 ? 1_234_567 : $0 }
        let svg = HourlyPlot(counts: counts, hours: hours, title: "", summary: "").svg
        let texts = svg.matches(of: /<text class="plot-text" x="([^"]+)"[^>]*>([^<]*)</).map { "\($0.1) \($0.2)" }
        #expect(
            texts == ["0 1\u{202F}234\u{202F}567", "6.2% 00:00", "31.2% 06:00", "56.2% 12:00", "81.2% 18:00"],
            "\(texts)")
        // Marks at the ends stay within the picture.
        let ends = HourlyPlot(counts: Array(repeating: 0, count: 24), title: "", summary: "", marks: [0: "a", 23: "b"])
            .svg
        #expect(ends.contains("x=\"0\" y=\"82\" text-anchor=\"start\">a<"))
        #expect(ends.contains("x=\"100%\" y=\"82\" text-anchor=\"end\">b<"))
        #expect(!ends.contains("plot-grid"), "Nothing has no highest number.")
    }

    @Test func `Outlines stand behind the bars on the same scale, and the highest number is written as it is said`() {
        let svg = HourlyPlot(
            counts: [0, 10, 20], title: "", summary: "", outlines: [0, 20, 40], number: { "\($0) <ms>" }
        ).svg
        let drawn = svg.matches(of: /<rect class="([a-z-]+)" x="(\d+)" y="\d+" width="8" height="(\d+)"/).map {
            "\($0.1) \($0.2) \($0.3)"
        }
        #expect(drawn == ["plot-outline 11 22", "plot-outline 21 44", "plot-bar 11 11", "plot-bar 21 22"], "\(drawn)")
        #expect(svg.contains(">40 &lt;ms&gt;<"), "\(svg)")
        // Others than one for each count are none.
        #expect(!HourlyPlot(counts: [1], title: "", summary: "", outlines: [1, 2]).svg.contains("plot-outline"))
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
