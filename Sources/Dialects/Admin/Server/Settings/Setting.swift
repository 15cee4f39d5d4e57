import CountersignCore

/// One setting of the realm: what it is called, what it takes, and when a change makes the realm weaker.
struct Setting: Sendable {
    /// The way to it, with dots: `passwords.minimumLength`.
    let key: String
    /// What it takes, for people: `6 to 64`.
    let accepts: String
    let summary: String
    let read: @Sendable (RealmSettings) -> JSONValue
    /// Puts the value in. Throws ``AdministrationError`` of code `invalid`.
    let write: @Sendable (inout RealmSettings, JSONValue) throws -> Void
    /// What is weaker in the second settings than in the first, as a sentence.
    let weakness: @Sendable (RealmSettings, RealmSettings) -> String?

    init(
        _ key: String, accepts: String, _ summary: String,
        read: @escaping @Sendable (RealmSettings) -> JSONValue,
        write: @escaping @Sendable (inout RealmSettings, JSONValue) throws -> Void,
        weakness: @escaping @Sendable (RealmSettings, RealmSettings) -> String? = { _, _ in nil }
    ) {
        self.key = key
        self.accepts = accepts
        self.summary = summary
        self.read = read
        self.write = write
        self.weakness = weakness
    }

    /// The fault of a value that is not taken.
    static func refusal(_ key: String, _ value: JSONValue, accepts: String) -> AdministrationError {
        AdministrationError(.invalid, "\(key) cannot be \(value.words). It takes \(accepts).")
    }
}

// MARK: Kinds of settings

extension Setting {
    typealias Path<Value> = WritableKeyPath<RealmSettings, Value> & Sendable

    /// - Parameter weaker: the value that is the weaker one, and what it means.
    static func bool(
        _ key: String, _ path: any Path<Bool>, _ summary: String, weaker: (value: Bool, why: String)? = nil
    ) -> Setting {
        let accepts = "true or false"
        return Setting(
            key, accepts: accepts, summary, read: { .bool($0[keyPath: path]) },
            write: { settings, value in
                guard let bool = value.asBool else { throw refusal(key, value, accepts: accepts) }
                settings[keyPath: path] = bool
            },
            weakness: { before, after in
                guard let weaker, after[keyPath: path] == weaker.value, before[keyPath: path] != weaker.value else {
                    return nil
                }
                return weaker.why
            })
    }

    /// - Parameter weakerWhen: which direction is the weaker one, and what it means.
    static func integer(
        _ key: String, _ path: any Path<Int>, in range: ClosedRange<Int>, unit: String = "", _ summary: String,
        weakerWhen: (direction: Direction, why: String)? = nil
    ) -> Setting {
        let accepts = "\(range.lowerBound) to \(range.upperBound)\(unit)"
        return Setting(
            key, accepts: accepts, summary, read: { .integer(Int64($0[keyPath: path])) },
            write: { settings, value in
                guard let number = value.asInteger, range.contains(number) else {
                    throw refusal(key, value, accepts: accepts)
                }
                settings[keyPath: path] = number
            },
            weakness: { before, after in
                guard let weakerWhen else { return nil }
                return weakerWhen.direction.holds(before[keyPath: path], after[keyPath: path]) ? weakerWhen.why : nil
            })
    }

    /// One of the words of an enumeration.
    static func word<Value: RawRepresentable & CaseIterable & Sendable>(
        _ key: String, _ path: any Path<Value>, _ summary: String,
        weakness: @escaping @Sendable (RealmSettings, RealmSettings) -> String? = { _, _ in nil }
    ) -> Setting where Value.RawValue == String {
        let accepts = words(of: Value.self)
        return Setting(
            key, accepts: accepts, summary, read: { .string($0[keyPath: path].rawValue) },
            write: { settings, value in settings[keyPath: path] = try word(key, value, accepts: accepts) },
            weakness: weakness)
    }

    /// A text that may be missing.
    static func text(
        _ key: String, _ path: any Path<String?>, _ isValid: @escaping @Sendable (String) -> Bool, accepts: String,
        _ summary: String,
        weakness: @escaping @Sendable (RealmSettings, RealmSettings) -> String? = { _, _ in nil }
    ) -> Setting {
        let accepts = "\(accepts), or none"
        return Setting(
            key, accepts: accepts, summary, read: { $0[keyPath: path].map { .string($0) } ?? .null },
            write: { settings, value in
                if value.isNone {
                    settings[keyPath: path] = nil
                    return
                }
                guard let text = value.stringValue, isValid(text) else { throw refusal(key, value, accepts: accepts) }
                settings[keyPath: path] = text
            },
            weakness: weakness)
    }

    /// A list of texts, given as a JSON array or separated by commas.
    static func list(
        _ key: String, _ path: any Path<[String]?>, _ isValid: @escaping @Sendable (String) -> Bool, most: Int,
        accepts: String, _ summary: String,
        weakness: @escaping @Sendable (RealmSettings, RealmSettings) -> String? = { _, _ in nil }
    ) -> Setting {
        let accepts = "\(accepts), separated by commas (at most \(most)), or none"
        return Setting(
            key, accepts: accepts, summary,
            read: { $0[keyPath: path].map { .array($0.map { .string($0) }) } ?? .null },
            write: { settings, value in
                if value.isNone {
                    settings[keyPath: path] = nil
                    return
                }
                guard let texts = value.asTexts, texts.count <= most, texts.allSatisfy(isValid) else {
                    throw refusal(key, value, accepts: accepts)
                }
                settings[keyPath: path] = texts
            },
            weakness: weakness)
    }

    /// A word in any case.
    static func word<Value: RawRepresentable & CaseIterable>(
        _ key: String, _ value: JSONValue, accepts: String
    ) throws -> Value where Value.RawValue == String {
        let found = Value.allCases.first { $0.rawValue.lowercased() == value.stringValue?.lowercased() }
        guard let found else { throw refusal(key, value, accepts: accepts) }
        return found
    }

    static func words<Value: RawRepresentable & CaseIterable>(of type: Value.Type) -> String
    where Value.RawValue == String {
        Value.allCases.map(\.rawValue).joined(separator: ", ")
    }

    enum Direction: Sendable {
        case smaller
        case larger

        func holds(_ before: Int, _ after: Int) -> Bool {
            switch self {
            case .smaller: after < before
            case .larger: after > before
            }
        }
    }
}

extension JSONValue {
    /// A Boolean, or a word for one: the command line has only text.
    var asBool: Bool? {
        switch self {
        case .bool(let value): value
        case .string(let text):
            switch text.lowercased() {
            case "true", "yes", "on": true
            case "false", "no", "off": false
            default: nil
            }
        default: nil
        }
    }

    var asInteger: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .string(let text): Int(text)
        default: nil
        }
    }

    /// The command line has only text.
    var asTexts: [String]? {
        switch self {
        case .string(let text):
            text.split(separator: ",").map { String($0.drop { $0 == " " }.prefix { $0 != " " }) }
        case .array(let elements):
            elements.reduce(into: [] as [String]?) { texts, element in
                if let text = element.stringValue { texts?.append(text) } else { texts = nil }
            }
        default: nil
        }
    }

    /// Whether the value is to be taken away.
    var isNone: Bool { self == .null || ["none", "null", ""].contains(stringValue?.lowercased() ?? "-") }

    /// For people, never long.
    var words: String {
        let text =
            switch self {
            case .null: "none"
            case .bool(let value): "\(value)"
            case .integer(let value): "\(value)"
            case .number(let value): "\(value)"
            case .string(let text): text.isEmpty ? "empty" : "\"\(text)\""
            case .array: "a list"
            case .object: "an object"
            }
        return text.count > 60 ? "\(text.prefix(60))…" : text
    }
}
