import CountersignCore
import Hummingbird
import Mustache

/// What all pages of a server share: how they look, what they say, where they are reached.
public struct PageSite: Sendable {
    /// What the operator calls the service.
    public let name: String
    public let messages: Messages
    public let cookies: BrowserCookies
    public let assets: PageAssets
    let addresses: PageAddresses
    let templates: MustacheLibrary

    /// - Parameters:
    ///   - name: what the operator calls the service.
    ///   - cookies: how cookies are spelled.
    ///   - addresses: where browsers reach the pages.
    ///   - theme: how its operator wants them to look.
    /// - Throws: where a template or the catalogue cannot be read; the tests make every one.
    public init(
        name: String = PageSite.defaultName, cookies: BrowserCookies = BrowserCookies(isSecure: true),
        addresses: PageAddresses, theme: PageTheme? = nil
    ) throws {
        self.name = PageText.harmless(name)
        self.cookies = cookies
        self.addresses = addresses
        messages = try (theme?.messages ?? [:]).reduce(.ofServer()) { try $0.overridden($1.value, in: $1.key) }
        assets = PageAssets(theme: theme)
        func template(_ bytes: [UInt8]) throws -> MustacheTemplate {
            try MustacheTemplate(string: String(decoding: bytes, as: UTF8.self))
        }
        templates = MustacheLibrary(templates: [
            "frame": try template(PackageResources.frame_mustache),
            "block": try template(PackageResources.block_mustache),
            "form": try template(PackageResources.form_mustache),
            "field": try template(PackageResources.field_mustache),
        ])
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
