import CPageFiles
import CountersignCore
import HTMLText
import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// What all pages of a server share: how they look, what they say, where they are reached.
public struct PageSite: Sendable {
    /// What the operator calls the service.
    public let name: String
    public let messages: Messages
    public let cookies: BrowserCookies
    public let assets: PageAssets
    let addresses: PageAddresses
    /// Those of the theme among ours; nil where it brings none.
    private let themed: MustacheLibrary?

    /// - Parameters:
    ///   - name: what the operator calls the service.
    ///   - cookies: how cookies are spelled.
    ///   - addresses: where browsers reach the pages.
    ///   - theme: how its operator wants them to look.
    /// - Throws: where a template of the theme or the catalogue cannot be read.
    public init(
        name: String = PageSite.defaultName, cookies: BrowserCookies = BrowserCookies(isSecure: true),
        addresses: PageAddresses, theme: PageTheme? = nil
    ) throws {
        self.name = PageText.harmless(name)
        self.cookies = cookies
        self.addresses = addresses
        messages = try (theme?.messages ?? [:]).reduce(.ofServer) { try $0.overridden($1.value, in: $1.key) }
        assets = PageAssets(theme: theme)
        let replaced = theme?.templates ?? [:]
        themed = replaced.isEmpty ? nil : try Self.library(replaced)
        if themed != nil { try checkTemplates() }
    }

    var templates: MustacheLibrary { themed ?? Self.ours }

    /// Read when a first page is shown, as a start needs none; the tests show every page.
    private static let ours = (try? library([:])) ?? MustacheLibrary(templates: [:])

    private static func library(_ replaced: [String: [UInt8]]) throws -> MustacheLibrary {
        let ours = [
            "frame": PageFile.frameTemplate.bytes, "block": PageFile.blockTemplate.bytes,
            "form": PageFile.formTemplate.bytes, "field": PageFile.fieldTemplate.bytes,
            "listing": PageFile.listingTemplate.bytes, "cell": PageFile.cellTemplate.bytes,
        ]
        let templates = try ours.merging(replaced) { $1 }
            .mapValues { try MustacheTemplate(html: String(decoding: $0, as: UTF8.self)) }
        return MustacheLibrary(templates: templates)
    }

    /// What the service is called where its operator does not say.
    public static let defaultName = "Countersign"

    /// A request for a page.
    /// - Parameters:
    ///   - lang: the language that a form was shown in, where it says so.
    ///   - languages: what an application asked for: `ui_locales`.
    public func visit(_ request: Request, lang: String? = nil, languages: [String] = []) -> PageVisit {
        PageVisit(site: self, request: request, lang: lang, languages: languages)
    }
}

extension PageSite {
    /// Refuses replaced templates that leave out what every page needs: its name for programs, headings, problems as alerts, and all that a
    /// form sends. The content security policy keeps out scripts and styles that they bring.
    /// - Throws: ``PageTheme/Faults``.
    private func checkTemplates() throws {
        let form = PageForm(
            action: "/sample-action", hidden: [.init(name: "csrf", value: "sample-token")],
            fields: [PageField(name: "sample_field", label: "Sample label")],
            buttons: [.init("Sample button", name: "decision", value: "sample-decision")])
        let page = Page(
            "sample-page", PageText("Sample heading"), PageText("Sample sentence"),
            problem: PageText("Sample problem"),
            [.form(form), .links([.init(PageText("Sample link"), to: "/sample-target")])])
        let request = Request(
            head: HTTPRequest(method: .get, scheme: "https", authority: "localhost", path: "/"),
            body: RequestBody(buffer: ByteBuffer()))
        let html = page.html(in: visit(request))
        let needed = [
            "<html lang=\"en\"", "data-page=\"sample-page\"", "Sample heading", "Sample sentence",
            "role=\"alert\"", "Sample problem", "method=\"post\"", "action=\"/sample-action\"", "sample-token",
            "name=\"sample_field\"", "Sample label", "sample-decision", "Sample button", "/sample-target",
            "Sample link",
            PageAssets.styleSheetPath,
        ]
        let missing = needed.filter { !html.contains($0) }
        guard missing.isEmpty else {
            throw PageTheme.Faults(
                faults: missing.map { "the replaced templates leave out what pages need: \($0)" })
        }
    }
}
