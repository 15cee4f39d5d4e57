import Foundation
import Pictures

/// How an operator wants the pages to look and what they say: a directory with any of `theme.css`, `logo.png` or `logo.webp`,
/// `messages.<language>.json`, and `templates/*.mustache` (docs/pages.md).
///
/// It is read once, before the server listens. It has no code: the content security policy of pages loads nothing that is not here.
public struct PageTheme: Sendable, Equatable {
    /// What is wrong with a directory, all at once.
    public struct Faults: Error, CustomStringConvertible, Equatable {
        public let faults: [String]
        public var description: String { faults.joined(separator: "\n") }
    }

    /// A file that browsers load.
    struct Asset: Sendable, Equatable {
        let name: String
        let type: String
        let bytes: [UInt8]

        var path: String { PageAssets.path(of: name, bytes) }
    }

    /// Bytes that one file may have.
    static let largestFile = 256 * 1024

    let styleSheet: Asset?
    let logo: Asset?
    /// What stands in place of our templates, by their names.
    let templates: [String: [UInt8]]
    /// What an operator's catalogue says instead, by language, as JSON.
    let messages: [PageLanguage: [UInt8]]
    /// What the operator should know: colours that are hard to read.
    public let warnings: [String]

    /// - Throws: ``Faults`` for files that are no part of a theme or cannot be used; `CocoaError` where the directory cannot be read.
    public init(directory: String) throws {
        let folder = URL(fileURLWithPath: directory)
        var (styleSheet, logo, messages): (Asset?, Asset?, [PageLanguage: [UInt8]]) = (nil, nil, [:])
        var faults: [String] = []
        let replaced = ReplacedTemplates(directory: folder.appendingPathComponent(ReplacedTemplates.folder))
        for name in try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        where !name.hasPrefix(".") && name != ReplacedTemplates.folder {
            let file = folder.appendingPathComponent(name)
            let bytes = (try? FileHandle(forReadingFrom: file).read(upToCount: Self.largestFile + 1)).map {
                [UInt8]($0)
            }
            guard let bytes else {
                faults.append("\(name) is no file that can be read")
                continue
            }
            if bytes.count > Self.largestFile {
                faults.append("\(name) has more than \(Self.largestFile / 1024) KiB")
                continue
            }
            switch name {
            case "theme.css":
                faults += Self.faults(ofStyleSheet: String(decoding: bytes, as: UTF8.self))
                styleSheet = Asset(name: name, type: "text/css; charset=utf-8", bytes: bytes)
            case "logo.png", "logo.webp":
                if logo != nil { faults.append("there are two logos") }
                if name == "logo.webp" {
                    if !Self.isWebP(bytes) { faults.append("\(name) is no WebP picture") }
                    logo = Asset(name: name, type: "image/webp", bytes: bytes)
                } else if let picture = try? PNGPicture(reencoding: bytes) {
                    logo = Asset(name: name, type: "image/png", bytes: picture.bytes)
                } else {
                    faults.append(
                        "\(name) is no PNG picture of at most \(PNGPicture.longestSide) pixels a side")
                }
            default:
                guard let language = Self.language(ofMessages: name) else {
                    faults.append(
                        "\(name) is not read: a theme has theme.css, logo.png or logo.webp, messages.<language>.json, "
                            + "and templates"
                    )
                    continue
                }
                do {
                    _ = try Messages.ofServer.overridden(bytes, in: language)
                    messages[language] = bytes
                } catch let wrong as Messages.Faults {
                    faults += wrong.faults.map { "\(name): \($0)" }
                } catch {
                    faults.append("\(name) is no JSON object of texts")
                }
            }
        }
        faults += replaced.faults
        guard faults.isEmpty else { throw Faults(faults: faults) }
        templates = replaced.templates
        self.styleSheet = styleSheet
        self.logo = logo
        self.messages = messages
        warnings =
            replaced.warnings
            + (styleSheet.map { ThemeColors.warnings(ofTheme: String(decoding: $0.bytes, as: UTF8.self)) } ?? [])
    }

    private static func language(ofMessages name: String) -> PageLanguage? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "messages", parts[2] == "json" else { return nil }
        return PageLanguage(rawValue: String(parts[1]))
    }

    /// Browsers load nothing from elsewhere on pages, so a style sheet that wants to is refused at once.
    private static func faults(ofStyleSheet text: String) -> [String] {
        let text = text.lowercased()
        var faults: [String] = []
        if text.contains("@import") { faults.append("theme.css imports another style sheet, which pages do not load") }
        for part in text.components(separatedBy: "url(").dropFirst() {
            let target = part.trimmingCharacters(in: CharacterSet(charactersIn: " \t\r\n\"'"))
            if !target.hasPrefix("data:image/") {
                faults.append("theme.css loads a file by url(…), which pages do not: write it as data:image/…")
            }
        }
        return faults
    }

    private static func isWebP(_ bytes: [UInt8]) -> Bool {
        bytes.count > 12 && bytes.starts(with: Array("RIFF".utf8)) && bytes[8..<12].elementsEqual("WEBP".utf8)
    }
}
