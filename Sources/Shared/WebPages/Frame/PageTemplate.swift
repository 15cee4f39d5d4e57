import HTMLText
import HTTPTypes
import Hummingbird
import Mustache

/// The template of one kind of page: its own content, which the frame of all pages surrounds. Most pages need none: their content is
/// a list of ``PageBlock``.
///
/// In the content `{{page.lang}}` is the page's language, and `{{>field}}` shows a ``PageField``.
public struct PageTemplate: Sendable {
    private let content: MustacheTemplate

    /// - Parameter content: the bytes of the content's template, as `PageFile` has them.
    /// - Throws: where the template does not parse; a test makes every one.
    public init(_ content: [UInt8]) throws {
        self.content = try MustacheTemplate(html: String(decoding: content, as: UTF8.self))
    }

    func library(of site: PageSite) -> MustacheLibrary {
        var library = site.templates
        library.register(content, named: "content")
        return library
    }

    /// The page as HTML.
    /// - Parameter content: what the template of the content shows; its member must not be called `page`.
    public func render(_ page: Page, content: some Sendable, in visit: PageVisit) -> String {
        page.html(in: visit, template: self, content: content)
    }

    /// The page as an answer.
    public func response(
        _ page: Page, content: some Sendable, in visit: PageVisit, status: HTTPResponse.Status = .ok
    ) -> Response {
        visit.response(page, status: status, template: self, content: content)
    }
}
