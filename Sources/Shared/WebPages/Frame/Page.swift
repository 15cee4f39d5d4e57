/// What the frame shows of every page, whatever the page's own content is.
public struct Page: Sendable {
    /// Which page it is: `data-page` of its `main` element, by which programs know it.
    public var kind: PageKind
    /// The heading, which is also the title in the browser's tab.
    public var title: PageText
    /// The sentence below it.
    public var text: PageText?
    /// Why a form was refused, as an alert above it; the title in the tab then begins with "Error". A refused ``PageField`` refers to it
    /// (WCAG 2.2, success criterion 3.3.1).
    public var problem: PageText?
    /// The id of the field that the problem is about, which the alert links to.
    public var problemField: String?
    /// Seconds after which the browser loads the page again; nil: it does not.
    public var refreshSeconds: Int?
    /// Where ``refreshSeconds`` leads; nil: to the page itself.
    public var refreshTarget: String?
    /// Whether the page is loaded again only where no script runs.
    public var refreshesWithoutScript = false
    /// What the page says where no script runs.
    public var withoutScript: PageText?
    /// The script of the page, beside the one of forms; nil: none.
    public var script: PageAssets.Script?
    /// Seconds after which the page's attempt ends; nil where the page has none. It is announced two minutes before (WCAG 2.2, success
    /// criterion 2.2.1).
    public var expiresIn: Int?
    /// Whether a template of the page's own has a password, which can be shown while it is typed.
    public var hasPassword = false
    /// Where the page's forms may lead in the end, beside this server: sources of Content Security Policy.
    public var formActions: [String] = []
    /// Whether nothing holds the page's forms to an address, and what that address leads on to. For pages without a field that anyone fills in.
    public var formsLeadOn = false
    /// The picture of the application that waits, above the heading: a path of this server.
    public var picture: String?
    /// The colour of the application that waits, as `#rrggbb`.
    public var accent: String?
    public var blocks: [PageBlock] = []
    /// Whether it shows lists, which want more room than a form.
    public var isWide = false
    /// The style sheet that it has beside the one of all pages.
    public var sheet: PageAssets.Sheet?
    /// Where its reader can go from it; nil for pages that stand alone.
    public var menu: PageMenu?

    public init(
        _ kind: PageKind, _ title: PageText, _ text: PageText? = nil, problem: PageText? = nil,
        _ blocks: [PageBlock] = []
    ) {
        self.kind = kind
        self.title = title
        self.text = text
        self.problem = problem
        self.blocks = blocks
    }

    /// Every script that runs.
    var scripts: [PageAssets.Script] {
        let reveals = hasPassword || blocks.contains { $0.form?.fields.contains { $0.revealLabel != nil } == true }
        return [script].compactMap { $0 } + (reveals || expiresIn != nil ? [.form] : [])
    }

    public init(_ kind: PageKind, _ message: PageMessage, problem: String? = nil, refreshSeconds: Int? = nil) {
        self.init(kind, PageText(message.title), PageText(message.text), problem: problem.map { PageText($0) })
        self.refreshSeconds = refreshSeconds
    }
}

/// Which page it is, for programs that read it.
public struct PageKind: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

/// A heading and the sentence below it.
public struct PageMessage: Sendable, Equatable {
    public var title: String
    public var text: String

    public init(title: String, text: String) {
        self.title = title
        self.text = text
    }
}
