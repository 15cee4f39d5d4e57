import HTTPTypes
import Hummingbird
import Mustache

/// The template of one kind of page: its own content, which the frame of all pages surrounds.
///
/// In the content `{{page.lang}}` is the page's language, and `{{>field}}` shows a ``PageField``.
public struct PageTemplate: Sendable {
    private let library: MustacheLibrary
    private let frame: MustacheTemplate

    /// - Parameter content: the bytes of the content's template, as `PackageResources` has them.
    /// - Throws: where the template does not parse; a test makes every one.
    public init(_ content: [UInt8]) throws {
        func template(_ bytes: [UInt8]) throws -> MustacheTemplate {
            try MustacheTemplate(string: String(decoding: bytes, as: UTF8.self))
        }
        frame = try template(PackageResources.frame_mustache)
        library = MustacheLibrary(templates: [
            "content": try template(content), "field": try template(PackageResources.field_mustache),
        ])
    }

    /// The page as HTML.
    /// - Parameter content: what the template of the content shows; its member must not be called `page`.
    public func render(_ page: Page, content: some Sendable) -> String {
        frame.render(Framed(page: Framed.Page(page), content: content), library: library)
    }

    /// The page as an answer.
    public func response(
        _ page: Page, content: some Sendable, status: HTTPResponse.Status = .ok
    ) -> Response {
        .html(render(page, content: content), status: status)
    }
}

/// What the frame's template shows.
private struct Framed<Content> {
    struct Page {
        var lang: String
        var title: String
        var text: String
        var problem: String?
        /// Before the title in the browser's tab, where something was refused.
        var errorPrefix: String?
        var refreshSeconds: Int?
        var styleSheet = PageAssets.styleSheetPath

        init(_ page: WebPages.Page) {
            lang = page.language.rawValue
            title = page.message.title
            text = page.message.text
            problem = page.problem
            errorPrefix = page.problem == nil ? nil : FrameWords.of(page.language).error
            refreshSeconds = page.refreshSeconds
        }
    }

    var page: Page
    var content: Content
}
