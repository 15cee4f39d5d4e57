import Foundation
import HTMLText
import Mustache

/// Templates of an operator in place of ours: whole files in the folder `templates` of a theme (docs/pages.md).
///
/// Each says in its first line, `{{! version 2 }}`, which of our versions it was made from. What a template is given may be more in a later
/// version: the one of before goes on, and the operator is warned.
struct ReplacedTemplates {
    static let folder = "templates"
    /// The templates that there are.
    static let names: Set<String> = ["frame", "block", "form", "field"]
    /// Counts what our templates are given and have to show. It grows when that does.
    static let version = 2

    private(set) var templates: [String: [UInt8]] = [:]
    private(set) var faults: [String] = []
    private(set) var warnings: [String] = []

    /// - Parameter directory: one that need not be there.
    init(directory: URL) {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for file in files.sorted() where !file.hasPrefix(".") {
            let shown = "\(Self.folder)/\(file)"
            let name = String(file.dropLast(".mustache".count))
            guard file.hasSuffix(".mustache"), Self.names.contains(name) else {
                let known = Self.names.sorted().map { "\($0).mustache" }.joined(separator: ", ")
                faults.append("\(shown) is not read: there are \(known)")
                continue
            }
            guard let data = FileManager.default.contents(atPath: directory.appendingPathComponent(file).path),
                data.count <= PageTheme.largestFile
            else {
                faults.append(
                    "\(shown) cannot be read, or has more than \(PageTheme.largestFile / 1024) KiB")
                continue
            }
            do {
                let text = String(decoding: data, as: UTF8.self)
                _ = try MustacheTemplate(html: text)
                templates[name] = Array(data)
                warn(of: shown, version: Self.version(of: text))
            } catch let error as MustacheTemplate.ParserError {
                faults.append("\(shown): \(error.error) in line \(error.context.lineNumber)")
            } catch {
                faults.append("\(shown): \(error)")
            }
        }
    }

    private mutating func warn(of file: String, version: Int?) {
        guard let version else {
            warnings.append(
                "\(file) does not say of which version it is: begin it with {{! version \(Self.version) }}")
            return
        }
        if version < Self.version {
            warnings.append(
                "\(file) is made from version \(version), and ours is of version \(Self.version): compare them")
        } else if version > Self.version {
            warnings.append("\(file) is made from version \(version), which a later server has")
        }
    }

    /// `{{! version 2 }}`
    private static func version(of text: String) -> Int? {
        guard let line = text.split(separator: "\n", maxSplits: 1).first, line.hasPrefix("{{!"),
            let end = line.range(of: "}}")
        else { return nil }
        let words = line[..<end.lowerBound].dropFirst(3).split(separator: " ")
        return words.count == 2 && words[0] == "version" ? Int(words[1]) : nil
    }
}
