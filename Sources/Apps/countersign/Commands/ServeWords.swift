import CountersignServer

/// The words of `serve` as services are started with them: options that are written out, each with its value.
///
/// To make the parser, which reflects on the command and knows its help, took a third of a start. It reads all else, such as `--help`, `--check`
/// and what is wrong.
struct ServeWords {
    /// The configuration's file.
    private(set) var file: String?
    /// The options that were given, as ``Serve/flags`` has them.
    private(set) var flags: [ConfigurationKey: String] = [:]

    private enum Option {
        case file
        case text(ConfigurationKey)
        /// May be given several times.
        case list(ConfigurationKey)
        case flag(ConfigurationKey, String)
    }

    private static let options: [String: Option] = {
        var options: [String: Option] = ["--config": .file]
        let texts: [ConfigurationKey] = [
            .data, .database, .listen, .projectID, .tlsCertificate, .tlsKey, .proxyHeader, .metricsListen,
            .masterKeyFile, .masterKeyDescriptor, .logLevel, .logFormat, .tracingURL,
        ]
        let lists: [ConfigurationKey] = [.publicURL, .proxyTrusted]
        let flags: [ConfigurationKey] = [.dev, .devOnNetwork, .tlsEndedByProxy, .logAccess]
        for key in texts { options[key.flagName] = .text(key) }
        for key in lists { options[key.flagName] = .list(key) }
        for key in flags {
            options[key.flagName] = .flag(key, "true")
            options["--no-" + String(key.flagName.dropFirst(2))] = .flag(key, "false")
        }
        return options
    }()

    /// - Parameter words: what stands after `serve`.
    /// - Returns: nil where they are for the parser.
    init?(_ words: ArraySlice<String>) {
        var rest = words
        while let word = rest.popFirst() {
            let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
            guard let option = Self.options[String(word[..<(equals ?? word.endIndex)])] else { return nil }
            if case .flag(let key, let value) = option {
                guard equals == nil, flags.updateValue(value, forKey: key) == nil else { return nil }
                continue
            }
            let value: String
            if let equals {
                value = String(word[word.utf8.index(after: equals)...])
            } else {
                guard let next = rest.popFirst(), !next.hasPrefix("-") else { return nil }
                value = next
            }
            if value.isEmpty { return nil }
            switch option {
            case .file:
                guard file == nil else { return nil }
                file = value
            case .text(let key):
                guard flags.updateValue(value, forKey: key) == nil else { return nil }
            case .list(let key): flags[key] = flags[key].map { $0 + "," + value } ?? value
            case .flag: break
            }
        }
    }
}
