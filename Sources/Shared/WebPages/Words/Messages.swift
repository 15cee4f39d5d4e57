import CPageFiles
import Foundation
import JSON
import ServerHTTP

/// The catalogue of what pages say: for each key the message in every language.
///
/// The sources are the files `messages-*.json`, read as one catalogue (`docs/decisions/0185`): a key stands in one of them. A key that lacks
/// a language, or whose languages have places for different values, makes no catalogue: the tests make it, and `scripts/check-messages`
/// reads it with every check. So the server's own is taken as it is, and each language read when a first page says something in it.
public struct Messages: Sendable {
    /// The messages of one language by their keys.
    private typealias Formats = [String: MessageFormat]

    private let languages: [PageLanguage: MadeOnce<Formats>]

    /// What is wrong with a catalogue, all at once.
    public struct Faults: Error, CustomStringConvertible, Equatable {
        public let faults: [String]
        public var description: String { faults.joined(separator: "\n") }
    }

    /// The catalogue of this server.
    public static let ofServer = unread()

    /// The catalogue of this server, of which nothing has been read yet.
    static func unread() -> Messages {
        Messages(
            languages: eachOnce { language in try sources.reduce(into: [:]) { try read($1, language, into: &$0) } })
    }

    private init(languages: [PageLanguage: MadeOnce<Formats>]) {
        self.languages = languages
    }

    private static func eachOnce(
        _ formats: @escaping @Sendable (PageLanguage) throws -> Formats
    ) -> [PageLanguage: MadeOnce<Formats>] {
        Dictionary(uniqueKeysWithValues: PageLanguage.allCases.map { one in (one, MadeOnce { try formats(one) }) })
    }

    /// The messages of a language. One that cannot be read has none; the tests read each.
    private func read(_ language: PageLanguage) -> Formats { (try? languages[language]?.get()) ?? [:] }

    // MARK: Reading

    /// - Parameter bytes: `{"key": {"en": "…", "de": "…", "ja": "…"}, …}`.
    /// - Throws: ``Faults``, `JSONFault`.
    public init(_ bytes: [UInt8]) throws { try self.init([bytes]) }

    /// Reads every language, and compares them.
    /// - Parameter pieces: of the same form each; a key stands in one of them.
    /// - Throws: ``Faults``, `JSONFault`.
    public init(_ pieces: [[UInt8]]) throws {
        var formats: [PageLanguage: Formats] = [:]
        var keys: Set<String> = []
        var faults: [String] = []
        for bytes in pieces {
            var json = try JSONReader(bytes)
            try json.beginObject()
            while let name = try json.nextMember() {
                let key = name.text
                for (language, format) in try Self.translations(of: key, from: &json, &faults) {
                    formats[language, default: [:]][key] = format
                }
                if !keys.insert(key).inserted { faults.append("\(key) stands twice") }
            }
            try json.end()
        }
        guard faults.isEmpty else { throw Faults(faults: faults) }
        self.init(languages: Self.eachOnce { [formats] in formats[$0] ?? [:] })
    }

    /// The message of a key in every language.
    private static func translations(
        of key: String, from json: inout JSONReader, _ faults: inout [String]
    ) throws -> [PageLanguage: MessageFormat] {
        var formats: [PageLanguage: MessageFormat] = [:]
        // Those that are told of already, each by a fault of its own.
        var unreadable: Set<PageLanguage> = []
        try json.beginObject()
        while let name = try json.nextMember() {
            let text = try json.string()
            guard let language = PageLanguage(rawValue: name.text) else {
                faults.append("\(key) is in “\(name.text)”, which is no language of pages")
                continue
            }
            guard !text.isEmpty else { continue }
            do {
                formats[language] = try MessageFormat(text)
            } catch {
                unreadable.insert(language)
                faults.append("\(key) in \(language.rawValue): \(error)")
            }
        }
        for language in PageLanguage.allCases where formats[language] == nil && !unreadable.contains(language) {
            faults.append("\(key) lacks \(language.rawValue)")
        }
        let places = formats.values.map(\.names)
        if places.contains(where: { $0 != places[0] }) {
            faults.append("\(key) has places for different values in its languages")
        }
        return formats
    }

    /// The messages of one language alone, without a look at the others.
    private static func read(_ bytes: [UInt8], _ language: PageLanguage, into formats: inout Formats) throws {
        var json = try JSONReader(bytes)
        try json.beginObject()
        while let key = try json.nextMember() {
            try json.beginObject()
            while let name = try json.nextMember() {
                if name.text == language.rawValue {
                    formats[key.text] = try MessageFormat(try json.string())
                } else {
                    try json.skip()
                }
            }
        }
        try json.end()
    }

    /// The files of the catalogue, which are one.
    static var sources: [[UInt8]] {
        [
            PageFile.messagesAccountActivity.bytes,
            PageFile.messagesAccountFactors.bytes,
            PageFile.messagesAccount.bytes,
            PageFile.messagesConsoleApplications.bytes,
            PageFile.messagesConsoleRights.bytes,
            PageFile.messagesConsoleServer.bytes,
            PageFile.messagesConsoleUsers.bytes,
            PageFile.messagesEvents.bytes,
            PageFile.messagesLists.bytes,
            PageFile.messagesSignIn.bytes,
            PageFile.messagesSignUp.bytes,
        ]
    }

    // MARK: What it says

    /// Whether there is a message of that key.
    public func has(_ key: String) -> Bool { read(.english)[key] != nil }

    /// The keys of all messages.
    public var keys: Set<String> { Set(read(.english).keys) }

    /// What an operator says instead: `{"key": "…", …}` in one language.
    /// - Throws: ``Faults`` for keys that do not exist and for places that the message does not have.
    public func overridden(_ bytes: [UInt8], in language: PageLanguage) throws -> Messages {
        var formats = read(language)
        var faults: [String] = []
        for (key, text) in try JSONDecoder().decode([String: String].self, from: Data(bytes)) {
            do {
                let format = try MessageFormat(text)
                guard let present = formats[key], format.names.isSubset(of: present.names) else {
                    faults.append("\(key) does not exist, or has no such places")
                    continue
                }
                formats[key] = format
            } catch {
                faults.append("\(key): \(error)")
            }
        }
        guard faults.isEmpty else { throw Faults(faults: faults.sorted()) }
        var languages = languages
        languages[language] = MadeOnce { [formats] in formats }
        return Messages(languages: languages)
    }

    /// The message of a key. A key that does not exist gives its own name, which the tests of pages find.
    func text(_ key: String, in language: PageLanguage, _ values: [String: MessageFormat.Value]) -> PageText {
        read(language)[key].map { $0.text(values) } ?? PageText(key)
    }
}

/// The messages in one language.
public struct Words: Sendable {
    let messages: Messages
    public let language: PageLanguage

    /// A value for a place of a message.
    public enum Value: Sendable {
        /// What a person or an application chose.
        case chosen(String)
        /// Words of ours.
        case words(String)
        case number(Int)
        /// A day, in UTC.
        case day(Date)
        /// What another message says.
        case text(PageText)
    }

    /// The message of a key with its values.
    public func callAsFunction(_ key: String, _ values: [String: Value] = [:]) -> PageText {
        messages.text(
            key, in: language,
            values.mapValues { value in
                switch value {
                case .chosen(let text): .text(PageText(chosen: text))
                case .words(let text): .text(PageText(text))
                case .number(let number): .number(number)
                case .day(let date): .text(PageText(day: date))
                case .text(let text): .text(text)
                }
            })
    }

    /// The message without mark-up.
    public func plain(_ key: String, _ values: [String: Value] = [:]) -> String { self(key, values).plain }
}
