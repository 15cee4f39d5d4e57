import Configuration
import CountersignCore
import Foundation
import Synchronization

/// The places that values come from, the one that counts most first: flags, environment, file.
struct ConfigurationSources {
    private struct Source {
        let kind: Deployment.Value.Source
        let provider: any ConfigProvider
        /// All that is in it, by the names of the environment; nil where that is not known. Flags and environment are asked so before
        /// the provider, which spells each name anew for each question; and texts, integers, `true` and `false` are read without it.
        let texts: [String: String]?
        /// The key as this provider knows it.
        let key: @Sendable (ConfigurationKey) -> AbsoluteConfigKey
        /// The key as the operator wrote it here.
        let place: @Sendable (ConfigurationKey) -> String

        func mayHold(_ key: ConfigurationKey) -> Bool { texts.map { $0[key.environmentName] != nil } ?? true }

        func content(of key: ConfigurationKey, as type: ConfigType) throws -> ConfigContent? {
            if let texts {
                let text = texts[key.environmentName]
                switch (type, text) {
                case (.string, _): return text.map(ConfigContent.string)
                case (.bool, "true"?): return .bool(true)
                case (.bool, "false"?): return .bool(false)
                case (.int, let text?):
                    if let number = Int(text) { return .int(number) }
                default: break
                }
            }
            return try provider.value(forKey: self.key(key), type: type).value?.content
        }
    }

    /// A value and where it was found.
    struct ConfiguredValue<Value> {
        let value: Value
        let place: String
    }

    private var sources: [Source]
    /// What was wrong with the sources themselves, and with the values asked for so far.
    private(set) var faults: [ConfigurationFaults.Fault] = []
    /// What is allowed but should be known, of the sources themselves and of the files that values name.
    private(set) var warnings: [String] = []

    init(flags: [ConfigurationKey: String], environment: [String: String], file: String?) async {
        // Flags are text like the environment's variables, and are read by the same rules.
        let flagValues = Dictionary(uniqueKeysWithValues: flags.map { ($0.key.environmentName, $0.value) })
        sources = [
            Source(
                kind: .flag, provider: EnvironmentVariablesProvider(environmentVariables: flagValues),
                texts: flagValues,
                key: { AbsoluteConfigKey([$0.environmentName]) }, place: { $0.flagName }),
            Source(
                kind: .environment, provider: EnvironmentVariablesProvider(environmentVariables: environment),
                texts: environment,
                key: { AbsoluteConfigKey([$0.environmentName]) }, place: { $0.environmentName }),
        ]
        checkNames(inEnvironment: environment)
        if let file { await add(file: file) }
    }

    mutating func report(_ place: String, _ problem: String, _ remedy: String) {
        faults.append(ConfigurationFaults.Fault(place: place, problem: problem, remedy: remedy))
    }

    /// Warns where a file that holds a secret can be read by others, with the command that corrects it.
    ///
    /// It is no fault: orchestrators mount secrets readable for all, in a container where there is one user.
    mutating func warnIfExposed(_ path: String, holding secret: String) {
        guard let exposure = FileExposure(of: path) else { return }
        warnings.append("\(exposure) and holds \(secret): make it private with `\(exposure.remedy)`")
    }

    /// Where the key was written; nil where it was not.
    func place(where key: ConfigurationKey) -> String? {
        sources.first { Self.text(of: key, in: $0) != nil }?.place(key)
    }

    /// The name under which an operator without a preference would set the key.
    func place(of key: ConfigurationKey) -> String { key.rawValue }

    mutating func text(_ key: ConfigurationKey) -> ConfiguredValue<String>? {
        find(key, .string, "write text") { if case .string(let value) = $0 { value } else { nil } }
    }

    mutating func bool(_ key: ConfigurationKey) -> ConfiguredValue<Bool>? {
        find(key, .bool, "write true or false") { if case .bool(let value) = $0 { value } else { nil } }
    }

    mutating func integer(_ key: ConfigurationKey, in range: ClosedRange<Int>) -> ConfiguredValue<Int>? {
        let remedy = "write an integer from \(range.lowerBound) to \(range.upperBound)"
        let found = find(key, .int, remedy) { if case .int(let value) = $0 { value } else { nil } }
        guard let found else { return nil }
        guard range.contains(found.value) else {
            report(found.place, "\(found.value) is out of range", remedy)
            return nil
        }
        return found
    }

    mutating func number(_ key: ConfigurationKey, in range: ClosedRange<Double>) -> ConfiguredValue<Double>? {
        let remedy = "write a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
        let found = find(key, .double, remedy) { if case .double(let value) = $0 { value } else { nil } }
        guard let found else { return nil }
        guard range.contains(found.value) else {
            report(found.place, "\(found.value) is out of range", remedy)
            return nil
        }
        return found
    }

    /// A list; in a file, one element may stand without brackets.
    mutating func list(_ key: ConfigurationKey) -> ConfiguredValue<[String]>? {
        for source in sources where source.mayHold(key) {
            if case .stringArray(let list)? = try? source.content(of: key, as: .stringArray) {
                return ConfiguredValue(value: list, place: source.place(key))
            }
            if case .string(let text)? = try? source.content(of: key, as: .string) {
                return ConfiguredValue(value: [text], place: source.place(key))
            }
        }
        return nil
    }

    /// What was written for each key and where, without what may be a secret.
    func written() -> [Deployment.Value] {
        ConfigurationKey.allCases.map { key in
            for source in sources {
                guard let text = Self.text(of: key, in: source) else { continue }
                return Deployment.Value(
                    key: key.rawValue, text: key.isSecret ? nil : text, source: source.kind, place: source.place(key))
            }
            return Deployment.Value(key: key.rawValue, text: nil, source: .standard, place: place(of: key))
        }
    }

    /// A value of any type as text; nil where there is none.
    private static func text(of key: ConfigurationKey, in source: Source) -> String? {
        guard source.mayHold(key) else { return nil }
        for type in [ConfigType.string, .int, .double, .bool, .stringArray] {
            guard let content = try? source.content(of: key, as: type) else { continue }
            switch content {
            case .string(let text): return text
            case .int(let number): return "\(number)"
            case .double(let number): return "\(number)"
            case .bool(let flag): return "\(flag)"
            case .stringArray(let texts): return texts.joined(separator: ", ")
            default: continue
            }
        }
        return nil
    }

    private mutating func find<Value>(
        _ key: ConfigurationKey, _ type: ConfigType, _ remedy: String, _ unwrap: (ConfigContent) -> Value?
    ) -> ConfiguredValue<Value>? {
        for source in sources where source.mayHold(key) {
            do {
                guard let found = try source.content(of: key, as: type) else { continue }
                if let value = unwrap(found) { return ConfiguredValue(value: value, place: source.place(key)) }
            } catch {
                report(source.place(key), "the value is of another type", remedy)
                return nil
            }
        }
        return nil
    }

    private mutating func checkNames(inEnvironment environment: [String: String]) {
        let prefix = ConfigurationKey.environmentPrefix
        let known = ConfigurationKey.allCases.map(\.environmentName)
        for name in environment.keys.sorted() where name.hasPrefix(prefix) {
            if known.contains(name) || ConfigurationKey.environmentOfClients.contains(name) { continue }
            if name == ConfigurationKey.environmentOfFile { continue }
            // What all names have in common does not make them alike.
            let nearest = NearestName.of(
                String(name.dropFirst(prefix.count)), among: known.map { String($0.dropFirst(prefix.count)) })
            report(name, "there is no such variable", nearest.map { "write \(prefix)\($0)" } ?? "unset it")
        }
    }

    private mutating func checkNames(_ names: Set<String>, inFile file: String) {
        let known = ConfigurationKey.allCases.map(\.rawValue)
        for name in names.subtracting(known).sorted() {
            let members = known.filter { $0.hasPrefix(name + ".") }
            let remedy =
                if !members.isEmpty {
                    "it is a section: write " + members.joined(separator: " or ")
                } else if let owner = known.first(where: { name.hasPrefix($0 + ".") }) {
                    "\(owner) has one value, without a section"
                } else if let nearest = NearestName.of(name, among: known) {
                    "write \(nearest)"
                } else {
                    "leave it out"
                }
            report("\(name) in \(file)", "there is no such key", remedy)
        }
    }

    private mutating func add(file: String) async {
        guard let data = FileManager.default.contents(atPath: file) else {
            report(file, "the file cannot be read", "name a file that exists and that this user may read")
            return
        }
        // The parsers ask for each key whether its value is secret: that is how the names are learnt.
        let names = Names()
        do {
            let provider: any ConfigProvider
            let path = ConfigReader(
                provider: InMemoryProvider(values: ["filePath": ConfigValue(.string(file), isSecret: false)]))
            switch file.split(separator: ".").last?.lowercased() {
            case "yaml", "yml":
                if Self.isBlank(data) { return }
                let options = YAMLSnapshot.ParsingOptions(secretsSpecifier: .dynamic { name, _ in names.insert(name) })
                provider = try await FileProvider<YAMLSnapshot>(parsingOptions: options, config: path)
            case "json":
                // The provider's parser takes the last of two members, which need not be the one that an operator looks at.
                if case .duplicateMember(let name)? = Self.fault(of: data) {
                    report("\(name) in \(file)", "it stands there twice", "leave one of them")
                    return
                }
                let options = JSONSnapshot.ParsingOptions(secretsSpecifier: .dynamic { name, _ in names.insert(name) })
                provider = try await FileProvider<JSONSnapshot>(parsingOptions: options, config: path)
            default:
                report(file, "its name does not say what is in it", "name it .yaml, .yml or .json")
                return
            }
            sources.append(
                Source(
                    kind: .file, provider: provider, texts: nil, key: { AbsoluteConfigKey(ConfigKey($0.rawValue)) },
                    place: { "\($0.rawValue) in \(file)" }))
            checkNames(names.all, inFile: file)
            for name in names.repeated.sorted() {
                report("\(name) in \(file)", "it stands there twice, in a section and with dots", "leave one of them")
            }
            if Self.holdsPassword(provider) { warnIfExposed(file, holding: "a password") }
        } catch {
            let isJSON = file.lowercased().hasSuffix(".json")
            let place = isJSON ? Self.fault(of: data).flatMap { Self.place(of: $0, in: data) } : nil
            let reason = place ?? "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
            report(file, "it cannot be understood (\(reason))", "write keys and values as docs/configuration.md shows")
        }
    }

    /// What is wrong with JSON by its grammar; nil where nothing is.
    private static func fault(of data: Data) -> JSONFault? {
        do throws(JSONFault) {
            _ = try JSONParser.parse(Array(data))
            return nil
        } catch {
            return error
        }
    }

    /// A fault as an operator finds it in an editor; nil where it has no place.
    private static func place(of fault: JSONFault, in data: Data) -> String? {
        guard case .malformed(let reason, let offset) = fault else { return nil }
        let line = data.prefix(offset).count(where: { $0 == UInt8(ascii: "\n") }) + 1
        return "\(reason) in line \(line)"
    }

    /// Whether one of the values in a file is a password, or has one in it.
    private static func holdsPassword(_ provider: any ConfigProvider) -> Bool {
        ConfigurationKey.allCases.filter(\.isSecret).contains { key in
            let value = try? provider.value(forKey: AbsoluteConfigKey(ConfigKey(key.rawValue)), type: .string).value
            guard case .string(let text)? = value?.content else { return false }
            guard key == .database else { return !text.isEmpty }
            let url = URLComponents(string: text)
            return url?.password != nil || url?.queryItems?.contains { $0.name == "password" } ?? false
        }
    }

    /// Whether there are but comments in a YAML file, which the parser refuses.
    private static func isBlank(_ data: Data) -> Bool {
        String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).allSatisfy { line in
            line.allSatisfy(\.isWhitespace) || line.drop(while: \.isWhitespace).hasPrefix("#")
        }
    }

    private final class Names: Sendable {
        private struct State {
            var all: Set<String> = []
            var repeated: Set<String> = []
        }

        private let state = Mutex(State())

        var all: Set<String> { state.withLock { $0.all } }
        /// Those that came more than once: the parser has the value of one of them, by chance.
        var repeated: Set<String> { state.withLock { $0.repeated } }

        /// Gives whether the key holds a secret.
        func insert(_ name: String) -> Bool {
            state.withLock { state in
                let isNew = state.all.insert(name).inserted
                if !isNew { state.repeated.insert(name) }
            }
            return ConfigurationKey(rawValue: name)?.isSecret ?? false
        }
    }
}
