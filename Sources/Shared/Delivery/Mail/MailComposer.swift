import CountersignCore
import Foundation
import Mustache

/// A mail in words.
public struct ComposedMail: Sendable, Equatable {
    public let subject: String
    /// Plain text.
    public let text: String
    /// The whole link, where the mail has one.
    public let link: String?
}

/// Puts what the outbox holds into words.
///
/// English for now; languages, HTML parts and an operator's own templates come with mail delivery.
public struct MailComposer: Sendable {
    private let templates: [String: Template]

    private struct Template: Sendable {
        let subject: MustacheTemplate
        let text: MustacheTemplate
    }

    public init() throws {
        templates = try MailTemplates.all.mapValues { source in
            Template(
                subject: try MustacheTemplate(string: source.subject), text: try MustacheTemplate(string: source.text))
        }
    }

    /// - Parameter publicURL: what paths of links are put below, without a slash at its end.
    /// - Returns: nil for a template that nobody wrote.
    public func compose(_ content: OutboxContent, publicURL: String) -> ComposedMail? {
        guard let template = templates[content.template] else { return nil }
        var values = content.values
        let link = values["link"].map { "\(publicURL)/\($0)" }
        values["link"] = link
        return ComposedMail(
            subject: template.subject.render(values), text: template.text.render(values), link: link)
    }
}
