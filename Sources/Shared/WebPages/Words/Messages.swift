import Foundation
import JSON

/// The catalogue of what pages say: for each key the message in every language.
///
/// The sources are the files `messages-*.json`, read as one catalogue (`docs/decisions/0185`): a key stands in one of them. A key that lacks a language, or whose languages have places for different values, makes no
/// catalogue: the tests make it, the server makes it before it listens, and `scripts/check-messages` reads it with every check.
public struct Messages: Sendable {
    private let formats: [String: [PageLanguage: MessageFormat]]

    /// What is wrong with a catalogue, all at once.
    public struct Faults: Error, CustomStringConvertible, Equatable {
        public let faults: [String]
        public var description: String { faults.joined(separator: "\n") }
    }

    /// - Parameter bytes: `{"key": {"en": "…", "de": "…", "ja": "…"}, …}`.
    /// - Throws: ``Faults``, `JSONFault`.
    public init(_ bytes: [UInt8]) throws { try self.init([bytes]) }

    /// - Parameter pieces: of the same form each; a key stands in one of them.
    /// - Throws: ``Faults``, `JSONFault`.
    public init(_ pieces: [[UInt8]]) throws {
        var formats: [String: [PageLanguage: MessageFormat]] = [:]
        var faults: [String] = []
        for bytes in pieces {
            var json = try JSONReader(bytes)
            try json.beginObject()
            while let name = try json.nextMember() {
                let key = name.text
                let translations = try Self.translations(of: key, from: &json, &faults)
                if formats.updateValue(translations, forKey: key) != nil { faults.append("\(key) stands twice") }
            }
            try json.end()
        }
        guard faults.isEmpty else { throw Faults(faults: faults) }
        self.formats = formats
    }

    /// The message of a key in every language.
    ///
    /// There are thousands, which every start reads: so neither a `Decoder` nor a tree stands between.
    private static func translations(
        of key: String, from json: inout JSONReader, _ faults: inout [String]
    ) throws -> [PageLanguage: MessageFormat] {
        var formats = [PageLanguage: MessageFormat](minimumCapacity: PageLanguage.allCases.count)
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

    /// The catalogue of this server.
    public static func ofServer() throws -> Messages { try Messages(sources) }

    /// As many files as an embedded file has to be small: the time that compiling one takes grows with the square of its size
    /// (`scripts/check-messages`).
    private static var sources: [[UInt8]] {
        [
            PackageResources.messages_account_activity_json,
            PackageResources.messages_account_factors_json,
            PackageResources.messages_account_json,
            PackageResources.messages_console_applications_json,
            PackageResources.messages_console_rights_json,
            PackageResources.messages_console_server_json,
            PackageResources.messages_console_users_json,
            PackageResources.messages_events_json,
            PackageResources.messages_lists_json,
            PackageResources.messages_sign_in_json,
            PackageResources.messages_sign_up_json,
        ]
    }

    /// Whether there is a message of that key.
    public func has(_ key: String) -> Bool { formats[key] != nil }

    /// The keys of all messages.
    public var keys: Set<String> { Set(formats.keys) }

    /// What an operator says instead: `{"key": "…", …}` in one language.
    /// - Throws: ``Faults`` for keys that do not exist and for places that the message does not have.
    public func overridden(_ bytes: [UInt8], in language: PageLanguage) throws -> Messages {
        var formats = formats
        var faults: [String] = []
        for (key, text) in try JSONDecoder().decode([String: String].self, from: Data(bytes)) {
            do {
                let format = try MessageFormat(text)
                guard let present = formats[key]?[language], format.names.isSubset(of: present.names) else {
                    faults.append("\(key) does not exist, or has no such places")
                    continue
                }
                formats[key]?[language] = format
            } catch {
                faults.append("\(key): \(error)")
            }
        }
        guard faults.isEmpty else { throw Faults(faults: faults.sorted()) }
        return Messages(formats: formats)
    }

    private init(formats: [String: [PageLanguage: MessageFormat]]) {
        self.formats = formats
    }

    /// The message of a key. A key that does not exist gives its own name, which the tests of pages find.
    func text(_ key: String, in language: PageLanguage, _ values: [String: MessageFormat.Value]) -> PageText {
        formats[key]?[language].map { $0.text(values) } ?? PageText(key)
    }

    /// All messages without places, for templates: `{{t.key}}`.
    func plain(in language: PageLanguage) -> [String: String] {
        formats.compactMapValues { $0[language]?.text([:]).plain }
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
