import CountersignCore
import Foundation
import Mustache

/// A mail in words.
public struct ComposedMail: Sendable, Equatable {
    public let subject: String
    /// Plain text.
    public let text: String
    /// The same as a page.
    public let html: String
    /// BCP 47.
    public let language: String?
    /// The whole link, where the mail has one.
    public let link: String?
}

/// Puts what the outbox holds into words: in English, German or Japanese, or as an operator's own files say.
public struct MailComposer: Sendable {
    private let templates: MailTemplateSet

    /// - Parameter directory: an operator's own templates; see docs/delivery.md.
    /// - Throws: ``MailTemplateFaults``.
    public init(templates directory: String? = nil) throws {
        templates = try MailTemplateSet(directory: directory)
    }

    /// - Parameter publicURL: what paths of links are put below, without a slash at its end.
    /// - Returns: nil for a template that does not exist.
    public func compose(_ content: OutboxContent, publicURL: String) -> ComposedMail? {
        guard let (language, text) = templates.text(content.template, locale: content.locale) else { return nil }
        var values = content.values
        values["link"] = values["link"].map { "\(publicURL)/\($0)" }
        return ComposedMail(text, language: language, layout: templates.layout, values: values)
    }
}

extension MailComposer: MailPreviewing {
    public var kinds: [MailKind] { templates.kinds }

    public func preview(_ name: String, locale: String?) -> MailPreview? { templates.preview(name, locale: locale) }
}

extension ComposedMail {
    init(
        _ template: MailTemplateSet.Text, language: String, layout: MustacheTemplate, values: [String: String]
    ) {
        let (subject, text) = (template.subject.render(values), template.body.render(values))
        let paragraphs = text.split(separator: "\n\n").map { part in
            Page.Paragraph(text: String(part), isLink: values["link"] == String(part))
        }
        self.init(
            subject: subject, text: text,
            html: layout.render(Page(subject: subject, language: language, paragraphs: paragraphs)),
            language: language, link: values["link"])
    }

    /// What the layout shows. The members name themselves: by reflection a look for one makes a copy of all (docs/decisions/0537).
    private struct Page: MustacheParent {
        let subject: String
        let language: String
        let paragraphs: [Paragraph]

        func child(named name: String) -> Any? {
            switch name {
            case "subject": subject
            case "language": language
            case "paragraphs": paragraphs
            default: nil
            }
        }

        struct Paragraph: MustacheParent {
            let text: String
            let isLink: Bool

            func child(named name: String) -> Any? {
                switch name {
                case "text": text
                case "isLink": isLink
                default: nil
                }
            }
        }
    }
}
