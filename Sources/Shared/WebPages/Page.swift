/// What the frame shows of every page, whatever the page's own content is.
public struct Page: Sendable {
    /// The language of the page and of its words.
    public var language: PageLanguage
    /// The heading, which is also the title in the browser's tab, and the sentence below it.
    public var message: PageMessage
    /// Why a form was refused, as an alert above it; the title in the tab then begins with "Error". A refused ``PageField`` refers to it
    /// (WCAG 2.2, success criterion 3.3.1).
    public var problem: String?
    /// Seconds after which the browser loads the page again; nil: it does not.
    public var refreshSeconds: Int?

    public init(
        _ message: PageMessage, in language: PageLanguage, problem: String? = nil, refreshSeconds: Int? = nil
    ) {
        self.language = language
        self.message = message
        self.problem = problem
        self.refreshSeconds = refreshSeconds
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
