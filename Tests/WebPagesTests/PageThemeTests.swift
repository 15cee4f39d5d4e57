import Foundation
import HTTPTypes
import Testing

@testable import WebPages

@Suite("Themes of operators")
struct PageThemeTests {
    /// A directory with these files, for as long as the body runs.
    private func with<T>(_ files: [String: [UInt8]], _ body: (String) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("theme-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, bytes) in files { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
        return try body(folder.path)
    }

    private func css(_ text: String) -> [String: [UInt8]] { ["theme.css": Array(text.utf8)] }

    /// One grey pixel.
    private static let png: [UInt8] =
        Array(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==")
                ?? Data())

    @Test
    func `A theme's style sheet stands behind ours, its logo in the header, its words on the page`() throws {
        let files = [
            "theme.css": Array(":root { --accent: #8a1c4a; }\n".utf8), "logo.png": Self.png,
            "messages.de.json": Array(#"{"startAgain": "Noch einmal"}"#.utf8), ".DS_Store": [0],
        ]
        let theme = try with(files) { try PageTheme(directory: $0) }
        let site = try PageSite(
            name: "Shop & Co", addresses: PageAddresses(published: { [] }, takesLoopback: true), theme: theme)
        var visit = try PageTemplateTests.visit(.german, of: site)
        let html = Page("home", PageText("Title")).html(in: visit)
        let ours = try #require(html.range(of: "\(PageAssets.styleSheetPath)\">"))
        let (path, logo) = (try #require(site.assets.themePath), try #require(site.assets.logoPath))
        let own = try #require(html.range(of: "\(path)\">"))
        #expect(ours.upperBound < own.lowerBound)
        #expect(html.contains("<img src=\"\(logo)\" alt=\"Shop &amp; Co\">"), "\(html)")
        #expect(visit.words("startAgain").plain == "Noch einmal")
        visit = try PageTemplateTests.visit(.english, of: site)
        #expect(visit.words("startAgain").plain != "Noch einmal")
    }

    @Test(arguments: [
        ("theme.css", "@import \"other.css\";", "imports"),
        ("theme.css", "body { background: URL( 'https://x/y.png') }", "url"),
        ("logo.png", "<svg/>", "no PNG"), ("logo.png", "\u{89}PNG", "no PNG"),
        ("logo.webp", "RIFFxxxxWEBX ", "no WebP"), ("logo.svg", "<svg/>", "not read"),
        ("messages.fr.json", "{}", "not read"), ("messages.en.json", "[]", "no JSON object"),
        ("messages.en.json", #"{"noSuchMessage": "x"}"#, "does not exist"),
        ("messages.en.json", #"{"startAgain": "{surprise}"}"#, "no such places"),
        ("sign-in.mustache", "{{x}}", "not read"),
    ])
    func `What is no part of a theme ends the start`(name: String, content: String, said: String) throws {
        try with([name: Array(content.utf8)]) { directory in
            let faults = try #require(throws: PageTheme.Faults.self) { try PageTheme(directory: directory) }
            #expect(faults.faults.count == 1 && faults.description.contains(said), "\(faults)")
        }
        #expect(throws: PageTheme.Faults.self) {
            try with(["logo.png": Self.png, "logo.webp": Array("RIFF0000WEBP0".utf8)]) { try PageTheme(directory: $0) }
        }
        #expect(throws: PageTheme.Faults.self) {
            try with(["theme.css": [UInt8](repeating: 0x20, count: PageTheme.largestFile + 1)]) {
                try PageTheme(directory: $0)
            }
        }
    }

    /// A theme with a folder of templates, and what the server says of it.
    private func site(templates: [String: String], messages: String = "{}") throws -> (PageSite, [String]) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("theme-\(UUID().uuidString)")
        let inner = folder.appendingPathComponent("templates")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in templates { try Data(text.utf8).write(to: inner.appendingPathComponent(name)) }
        try Data(messages.utf8).write(to: folder.appendingPathComponent("messages.en.json"))
        let theme = try PageTheme(directory: folder.path)
        let site = try PageSite(addresses: PageAddresses(published: { [] }, takesLoopback: true), theme: theme)
        return (site, theme.warnings)
    }

    private static let field =
        "<p class=\"mine\"><label for=\"{{.name}}\">{{.label}}</label><input id=\"{{.name}}\" name=\"{{.name}}\"></p>"

    /// A theme outlives a release, or says that it does not (keycloak#52348, keycloakify#1050).
    @Test
    func `A replaced template and an overridden message are on the page, and an older template warns`() throws {
        let own = "{{! version \(ReplacedTemplates.version) }}\n\(Self.field)"
        let (site, warnings) = try site(
            templates: ["field.mustache": own, ".DS_Store": ""], messages: #"{"startAgain": "Once more"}"#)
        #expect(warnings == [])
        let visit = try PageTemplateTests.visit(.english, of: site)
        let form = PageForm(action: "/x", fields: [PageField(name: "f", label: "Field")], buttons: [.init("Go")])
        let html = Page("sign-in", visit.words("startAgain"), nil, [.form(form)]).html(in: visit)
        #expect(html.contains("<p class=\"mine\"><label for=\"f\">Field</label>"), "\(html)")
        #expect(html.contains("<h1>Once more</h1>") && !html.contains("version"))
        for (text, said) in [
            ("{{! version 0 }}\n\(Self.field)", "made from version 0"), (Self.field, "does not say"),
            ("{{! version 99 }}\n\(Self.field)", "a later server"),
        ] {
            let (_, warnings) = try self.site(templates: ["field.mustache": text])
            #expect(warnings.count == 1 && warnings[0].contains(said), "\(warnings)")
        }
    }

    @Test(arguments: [
        ("sign-in.mustache", "{{! version 2 }}", "not read"), ("frame.html", "", "not read"),
        ("field.mustache", "{{#open}}", "line"), ("form.mustache", "<form></form>", "sample-token"),
        ("frame.mustache", "<p>{{page.title.plain}}</p>", "data-page"),
    ])
    func `Templates that pages cannot work with end the start`(name: String, text: String, said: String) throws {
        let faults = try #require(throws: PageTheme.Faults.self) { try site(templates: [name: text]) }
        #expect(faults.description.contains(said), "\(faults)")
    }

    @Test
    func `Our own colours can be read, in light and dark`() {
        #expect(ThemeColors.warnings(ofTheme: "").isEmpty)
    }

    @Test
    func `Declarations of a style sheet are read by scheme, without comments`() {
        let colors = ThemeColors(
            styleSheet: """
                /* --a: #000; */ :root { --a: #fff;--b : #123456 ; color: red; --c: /* no */ "é" }
                @media (prefers-color-scheme: dark) { :root { --a: #111 } .x { --b: #222; } } :root { --d: a:b; --e:; --f: }
                @media print { :root { --g: #333 } } /* --h: #444;
                """)
        #expect(colors.light == ["a": "#fff", "b": "#123456", "c": "\"é\"", "d": "a:b", "f": "", "g": "#333"])
        #expect(colors.dark == ["a": "#111", "b": "#222"])
    }

    /// The figures are of WebAIM's contrast checker.
    @Test
    func `Contrast is computed as WCAG has it`() throws {
        let white = try #require(ThemeColors.Color("#fff"))
        let cases = [("#ffffff", 1.0), ("#000", 21.0), ("#767676", 4.54), ("#ff0000", 3.99)]
        for (text, contrast) in cases {
            let computed = try #require(ThemeColors.Color(Substring(text))).contrast(with: white)
            #expect(abs(computed - contrast) < 0.011, "\(text): \(computed)")
        }
        for text in ["red", "#12", "#12345", "#gggggg", "rgb(0,0,0)"] {
            #expect(ThemeColors.Color(Substring(text)) == nil)
        }
    }

    @Test
    func `Colours that are hard to read are warned about where they are shown`() throws {
        let both = try with(css(":root { --accent: #ffff00; /* --ink: #ffffff; */ }")) { try PageTheme(directory: $0) }
        // Yellow is hard to read on white, and its white text too; on dark cards it can be read.
        #expect(both.warnings.contains { $0.hasPrefix("theme.css, light: --accent on --card") }, "\(both.warnings)")
        #expect(both.warnings.contains { $0.hasPrefix("theme.css, light: --on-accent on --accent") })
        #expect(!both.warnings.contains { $0.contains("dark") || $0.contains("--ink") }, "\(both.warnings)")
        let dark = try with(css("@media (prefers-color-scheme: dark) { :root { --ink: #333; --accent: teal } }")) {
            try PageTheme(directory: $0)
        }
        #expect(dark.warnings.contains { $0.hasPrefix("theme.css, dark: --ink on --card") }, "\(dark.warnings)")
        #expect(dark.warnings.contains { $0.contains("--accent is not written as #rrggbb") })
        #expect(!dark.warnings.contains { $0.contains("light") })
    }
}
