import Foundation

/// A line of the log. What is put in with `pii:` says something of a person, with `id:` it is their account's id; both
/// are masked unless the app allows them.
struct LogMessage: ExpressibleByStringInterpolation {
    fileprivate enum Part {
        case plain(String)
        case person(String)
        case identifier(String)
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { parts.append(.plain(literal)) }
        mutating func appendInterpolation(_ number: Int) { parts.append(.plain(String(number))) }
        /// A word of the protocol, or a word of this project.
        mutating func appendInterpolation(word: String) { parts.append(.plain(word)) }
        mutating func appendInterpolation(pii text: String?) { parts.append(.person(text ?? "nil")) }
        mutating func appendInterpolation(id text: String?) { parts.append(.identifier(text ?? "nil")) }
    }

    private let parts: [Part]

    init(stringLiteral text: String) { parts = [.plain(text)] }
    init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// The text, and whether it says something of a person.
    func rendered(_ masking: MSALLogMaskingLevel) -> (text: String, containsPII: Bool) {
        var text = ""
        var containsPII = false
        for part in parts {
            switch part {
            case .plain(let plain): text += plain
            case .person(let value) where masking == .settingsMaskSecretsOnly:
                text += value
                containsPII = true
            case .identifier(let value) where masking != .settingsMaskAllPII:
                text += value
                containsPII = true
            case .person, .identifier: text += "<masked>"
            }
        }
        return (text, containsPII)
    }
}

enum Log {
    static func write(_ level: MSALLogLevel, _ correlationID: UUID?, _ message: LogMessage) {
        let config = MSALGlobalConfig.loggerConfig
        guard level <= config.logLevel, let callback = config.callback else { return }
        let (text, containsPII) = message.rendered(config.logMaskingLevel)
        callback(level, (correlationID.map { "[\($0)] " } ?? "") + text, containsPII)
    }

    /// What an app's developer should know, whatever the level: it goes to the system's log where the app takes none.
    static func notice(_ text: String) {
        if let callback = MSALGlobalConfig.loggerConfig.callback {
            callback(.warning, text, false)
        } else {
            NSLog("%@", "[MSAL] " + text)
        }
    }
}
