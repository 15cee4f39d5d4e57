import CountersignCore
import Foundation
import HTMLText
import Mustache

/// The words of all mails in all languages, with an operator's own in place of the built-in ones.
///
/// A file `NAME.LANGUAGE.mustache` begins with a line `Subject: …`; an empty line and the text follow. The HTML part is
/// made of the text by `layout.html.mustache`: `subject`, `language`, and `paragraphs`, each with `text` and `isLink`. What
/// a text puts in (`{{link}}`) is put in as it is; what the layout puts in is escaped.
struct MailTemplateSet: Sendable {
    struct Text: Sendable {
        let subject: MustacheTemplate
        let body: MustacheTemplate
    }

    /// The language of mails in none of the others.
    static let fallback = "en"
    /// Bytes of a file.
    static let sizeLimit = 65_536

    private var texts: [String: [String: Text]] = [:]
    /// When an operator's own files were changed, by their names.
    private var replaced: [String: Date] = [:]
    let layout: MustacheTemplate

    /// - Parameter directory: an operator's own files; those that are not there are ours.
    /// - Throws: ``MailTemplateFaults``, all at once.
    init(directory: String?) throws {
        var faults: [String] = []
        var files = MailTemplateFiles.all
        var own: Set<String> = []
        if let directory {
            do {
                for name in try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
                where name.hasSuffix(".mustache") {
                    guard Self.isKnown(name) else {
                        faults.append("\(name): there is no such mail; known are \(Self.names.joined(separator: ", "))")
                        continue
                    }
                    guard let data = FileManager.default.contents(atPath: "\(directory)/\(name)"),
                        data.count <= Self.sizeLimit
                    else {
                        faults.append("\(name): it cannot be read, or is larger than \(Self.sizeLimit) bytes")
                        continue
                    }
                    files[name] = Array(data)
                    own.insert(name)
                    let facts = try? FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
                    replaced[name] = facts?[.modificationDate] as? Date ?? .distantPast
                }
            } catch {
                throw MailTemplateFaults(faults: ["\(directory): it is no directory that can be read"])
            }
        }
        var layout: MustacheTemplate?
        for (file, bytes) in files.sorted(by: { $0.key < $1.key }) {
            do {
                let source = try Self.text(bytes)
                if file == MailTemplateFiles.layout {
                    layout = try MustacheTemplate(html: source)
                    continue
                }
                let parts = file.split(separator: ".").map(String.init)
                texts[parts[0], default: [:]][parts[1]] = try Self.parse(source)
            } catch {
                faults.append("\(file): \(Self.words(error))")
            }
        }
        guard let layout, faults.isEmpty else { throw MailTemplateFaults(faults: faults) }
        self.layout = layout
        faults = own.sorted().compactMap { file in Self.fault(of: file, in: self).map { "\(file): \($0)" } }
        if !faults.isEmpty { throw MailTemplateFaults(faults: faults) }
    }

    /// The text in the language, else in the one before its first hyphen, else in English.
    func text(_ name: String, locale: String?) -> (language: String, text: Text)? {
        guard let languages = texts[name] else { return nil }
        var wanted: [String] = [Self.fallback]
        if let locale = locale?.lowercased().replacing("_", with: "-") {
            wanted = [locale, locale.prefix { $0 != "-" }.description] + wanted
        }
        return wanted.lazy.compactMap { language in languages[language].map { (language, $0) } }.first
    }

    /// Every mail with its languages, each in the order of its name.
    var kinds: [MailKind] {
        Self.names.map { name in
            MailKind(
                name: name,
                wordings: (texts[name] ?? [:]).keys.sorted().map { language in
                    .init(language: language, replacedAt: replaced["\(name).\(language).mustache"])
                })
        }
    }

    /// A mail with made-up values; nil where there is none of the name.
    func preview(_ name: String, locale: String?) -> MailPreview? {
        guard let (language, text) = text(name, locale: locale) else { return nil }
        let mail = ComposedMail(text, language: language, layout: layout, values: Self.examples)
        return MailPreview(language: language, subject: mail.subject, text: mail.text)
    }

    /// Values as they are in mails, for people who look at a template.
    private static let examples = [
        "link": "https://login.example.com/…", "code": "123 456", "email": "anna@example.com",
        "newEmail": "anna.new@example.com", "oldEmail": "anna@example.com", "at": "2026-11-23 08:00 UTC",
        "role": "operator", "name": "Anna", "application": "Shop", "site": "Example", "device": "Phone",
        "factor": "Phone", "due": "2026-12-23 08:00 UTC", "from": "2026-11-24 08:00 UTC",
    ]

    /// All mails there are.
    static let names = Set(
        MailTemplateFiles.all.keys.filter { $0 != MailTemplateFiles.layout }.map { $0.prefix { $0 != "." }.description }
    ).sorted()

    private static func isKnown(_ file: String) -> Bool {
        if file == MailTemplateFiles.layout { return true }
        let parts = file.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, names.contains(parts[0]) else { return false }
        // A language as mails ask for it (BCP 47), in lower case.
        return (2...35).contains(parts[1].utf8.count)
            && parts[1].utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }

    // MARK: Reading

    private struct Malformed: Error {
        let words: String
    }

    private static func words(_ error: any Error) -> String {
        if let malformed = error as? Malformed { return malformed.words }
        if let error = error as? MustacheTemplate.ParserError {
            return "\(error.error) in line \(error.context.lineNumber): \(error.context.line)"
        }
        return "\(error)"
    }

    private static func text(_ bytes: [UInt8]) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed(words: "it is not UTF-8") }
        return text.replacing("\r\n", with: "\n")
    }

    private static func parse(_ source: String) throws -> Text {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, first.hasPrefix("Subject:"), lines.count > 2, lines[1].allSatisfy(\.isWhitespace)
        else { throw Malformed(words: "it has to begin with a line Subject: … and an empty line") }
        let subject = first.dropFirst("Subject:".count).trimmingCharacters(in: .whitespaces)
        let body = lines.dropFirst(2).joined(separator: "\n").trimmingCharacters(in: .newlines)
        guard !subject.isEmpty, !body.isEmpty else { throw Malformed(words: "its subject or its text is empty") }
        return Text(subject: try MustacheTemplate(plainText: subject), body: try MustacheTemplate(plainText: body))
    }

    /// What a mail has to show to be of use.
    private static let needs: [String: String] = [
        "verify-email": "link", "reset-password": "link", "sign-in": "link", "change-email": "link", "code": "code",
        "email-changed": "newEmail", "enrollment-invitation": "link", "invitation": "link", "factor-added": "at",
        "factor-removed": "at",
        "factors-removed": "at", "password-changed": "at", "password-removed": "at", "recovery-code-used": "at",
        "recovery-code-made": "at", "recovery-code-held": "code", "passkey-added": "at", "passkey-copied": "at",
        "role-granted": "role",
        "role-revoked": "role",
        "test-mail": "at",
        "factor-renamed": "at", "factor-frozen": "at", "factor-unfrozen": "at", "profile-changed": "at",
        "sessions-ended": "at", "application-revoked": "at", "deletion-requested": "link", "deletion-withdrawn": "at",
    ]

    /// Made-up values to try a template with.
    private static let samples = [
        "link": "https://x/link", "code": "code-1", "newEmail": "newEmail@x", "at": "2001-01-01 00:00 UTC",
        "role": "role-1",
    ]

    /// Why a file would make mails of no use; tried with made-up values.
    private static func fault(of file: String, in set: MailTemplateSet) -> String? {
        let parts = file.split(separator: ".").map(String.init)
        let names = file == MailTemplateFiles.layout ? ["reset-password"] : [parts[0]]
        for name in names {
            guard let need = needs[name], let (language, text) = set.text(name, locale: parts[1]) else { continue }
            let mail = ComposedMail(text, language: language, layout: set.layout, values: samples)
            let sample = samples[need] ?? ""
            if !mail.text.contains(sample) { return "it does not show {{\(need)}}" }
            if !mail.html.contains(sample) { return "it does not show the text of its paragraphs" }
        }
        return nil
    }
}

/// Everything that is wrong with an operator's own templates.
public struct MailTemplateFaults: Error, Sendable, CustomStringConvertible {
    /// Each begins with the name of its file.
    public let faults: [String]

    public var description: String { faults.joined(separator: "\n") }
}
