import HTTPTypes
import Hummingbird
import Mustache
import ServerHTTP

extension Page {
    /// The page as HTML in the frame of its site.
    /// - Parameters:
    ///   - content: what ``PageTemplate`` shows below the page's own blocks; its member must not be called `page`.
    func html(in visit: PageVisit, template: PageTemplate? = nil, content: any Sendable = NoContent()) -> String {
        let library = template.map { $0.library(of: visit.site) } ?? visit.site.templates
        return library.render(Framed(page: FramedPage(self, visit), content: content), withTemplate: "frame") ?? ""
    }

    /// The page as an answer with every header of pages.
    func response(
        in visit: PageVisit, status: HTTPResponse.Status, template: PageTemplate? = nil,
        content: any Sendable = NoContent()
    ) -> Response {
        var response = Response.html(html(in: visit, template: template, content: content), status: status)
        response.headers[.contentSecurityPolicy] = contentSecurityPolicy
        return response
    }

    /// What the page may load, and where its forms may lead (Content Security Policy Level 3). Browsers apply `form-action` to every
    /// redirect after a form, so a form that ends at an application names the application's origin.
    var contentSecurityPolicy: String {
        var policy =
            "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'"
        // There is no source for "wherever it leads on to": `*` is no scheme of an app's own.
        if !formsLeadOn { policy += "; form-action \((["'self'"] + formActions).joined(separator: " "))" }
        if !scripts.isEmpty { policy += "; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'" }
        return policy
    }
}

/// A page without a template of its own.
struct NoContent: Sendable {}

/// What the frame's template shows.
private struct Framed {
    var page: FramedPage
    var content: any Sendable
}

private struct FramedPage {
    struct Language {
        var tag: String
        var name: String
        var target: String
        var isPresent: Bool
    }

    struct Expiry {
        var seconds: Int
        var text: String
    }

    var lang: String
    var kind: String
    var layout: String
    var site: String
    var title: PageText
    var text: PageText?
    var picture: String?
    var problem: PageText?
    var problemField: String?
    var problemLink: String
    /// Before the title in the browser's tab, where something was refused.
    var errorPrefix: String?
    var refresh: String?
    var refreshWithoutScript: String?
    var styleSheet = PageAssets.styleSheetPath
    var sheet: String?
    /// What stands behind our style sheets: the operator's, and the one of the application's colour.
    var theme: [String]
    var logo: String?
    var scripts: [String]
    var expiry: Expiry?
    var withoutScript: PageText?
    var blocks: [PageBlock]
    var menu: PageMenu?
    var skipLabel: String
    var languageLabel: String
    var languages: [Language]
    var hasLanguages = true
    var t: [String: String]

    init(_ page: Page, _ visit: PageVisit) {
        let words = visit.words
        lang = visit.language.rawValue
        kind = page.kind.rawValue
        layout = page.isWide ? "wide" : "card"
        site = visit.site.name
        title = page.title
        text = page.text
        picture = page.picture
        problem = page.problem
        problemField = page.problemField
        problemLink = words.plain("frameProblemLink")
        errorPrefix = page.problem == nil ? nil : words.plain("frameError")
        let refreshing = page.refreshSeconds.map { "\($0)" + (page.refreshTarget.map { ";url=\($0)" } ?? "") }
        refresh = page.refreshesWithoutScript ? nil : refreshing
        refreshWithoutScript = page.refreshesWithoutScript ? refreshing : nil
        scripts = page.scripts.map { PageAssets.path(of: $0) }
        expiry = page.expiresIn.map { Expiry(seconds: $0, text: words.plain("expiryWarning")) }
        withoutScript = page.withoutScript
        sheet = page.sheet.map { PageAssets.path(of: $0) }
        let assets = visit.site.assets
        theme = [assets.themePath, page.accent.flatMap(assets.accentPath)].compactMap(\.self)
        logo = assets.logoPath
        blocks = page.blocks
        // The keyboard goes to the problem, and a document names one place.
        if page.problem != nil { for index in blocks.indices { blocks[index].leaveFocus() } }
        menu = page.menu
        skipLabel = words.plain("frameSkip")
        languageLabel = words.plain("frameLanguage")
        languages = PageLanguage.allCases.map { language in
            Language(
                tag: language.rawValue, name: language.ownName, target: visit.path(in: language),
                isPresent: language == visit.language)
        }
        t = [:]
    }
}

extension Framed: MustacheMembers {
    func child(named name: String) -> Any? {
        switch name {
        case "page": page
        case "content": content
        default: nil
        }
    }
}

extension FramedPage: MustacheMembers {
    func child(named name: String) -> Any? {
        switch name {
        case "lang": lang
        case "kind": kind
        case "layout": layout
        case "site": site
        case "title": title
        case "text": text
        case "picture": picture
        case "problem": problem
        case "problemField": problemField
        case "problemLink": problemLink
        case "errorPrefix": errorPrefix
        case "refresh": refresh
        case "refreshWithoutScript": refreshWithoutScript
        case "styleSheet": styleSheet
        case "sheet": sheet
        case "theme": theme
        case "logo": logo
        case "scripts": scripts
        case "expiry": expiry
        case "withoutScript": withoutScript
        case "blocks": blocks
        case "menu": menu
        case "skipLabel": skipLabel
        case "languageLabel": languageLabel
        case "languages": languages
        case "hasLanguages": hasLanguages
        case "t": t
        default: nil
        }
    }
}

extension FramedPage.Language: MustacheMembers {
    func child(named name: String) -> Any? {
        switch name {
        case "tag": tag
        case "name": self.name
        case "target": target
        case "isPresent": isPresent
        default: nil
        }
    }
}

extension FramedPage.Expiry: MustacheMembers {
    func child(named name: String) -> Any? {
        switch name {
        case "seconds": seconds
        case "text": text
        default: nil
        }
    }
}
