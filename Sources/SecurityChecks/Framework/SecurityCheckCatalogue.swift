import CountersignCore
import Foundation

/// A check by its name, and how it is made from properties.
public struct SecurityCheckDefinition: Sendable {
    /// What scopes and challenge handlers call the check; unique in its catalogue.
    public let name: String
    let properties: [String: String]
    let make: @Sendable (inout SecurityCheckConfiguration) -> any SecurityCheck

    /// - Parameters:
    ///   - name: what scopes and challenge handlers call it.
    ///   - properties: defaults that the server's and the application's configuration may replace.
    public init(
        _ name: String, properties: [String: String] = [:],
        make: @escaping @Sendable (inout SecurityCheckConfiguration) -> any SecurityCheck
    ) {
        self.name = name
        self.properties = properties
        self.make = make
    }

    /// A check that is the same everywhere.
    public init(_ name: String, _ check: any SecurityCheck) {
        self.init(name) { _ in check }
    }
}

/// All checks that a server knows.
public struct SecurityCheckCatalogue: Sendable {
    let definitions: [String: SecurityCheckDefinition]
    let configuration: [String: [String: String]]
    /// Seconds that a check may take to judge.
    public let timeLimit: TimeInterval
    /// What to keep in mind about the configuration; nothing that stops a server.
    public let warnings: [String]
    let permits = ConcurrencyPermits()
    let memory = CheckMemory()
    /// The checks that judge at once.
    let immediate: Set<String>

    /// Satisfied by every client that is registered and active.
    public static let registeredClient = "RegisteredClient"
    /// Names that mean something to clients already.
    public static let reservedNames: Set<String> = [
        registeredClient, "registration-client-id", "clockSynchronization", "directUpdate", "wl_remoteDisableRealm",
        "appAuthenticity", "LtpaBasedSSO",
    ]

    /// What is wrong with a catalogue, all of it.
    public struct Fault: Error, Sendable, CustomStringConvertible {
        /// One sentence for each thing that is wrong, with the check's name in front.
        public let faults: [String]
        public var description: String { faults.joined(separator: "; ") }
    }

    /// A catalogue without checks. ``registeredClient`` is the only scope element that it knows.
    public static let empty = SecurityCheckCatalogue()

    private init() {
        definitions = [:]
        configuration = [:]
        timeLimit = 10
        warnings = []
        immediate = []
    }

    /// - Parameters:
    ///   - configuration: properties by check, over those of the definitions.
    ///   - timeLimit: seconds.
    /// - Throws: ``Fault`` where a name is taken, reserved or no scope element, a property does not read, or dependencies
    ///   are missing or go round in a circle.
    public init(
        _ definitions: [SecurityCheckDefinition], configuration: [String: [String: String]] = [:],
        timeLimit: TimeInterval = 10
    ) throws(Fault) {
        var faults: [String] = []
        var warnings: [String] = []
        var known: [String: SecurityCheckDefinition] = [:]
        for definition in definitions {
            let name = definition.name
            if Self.reservedNames.contains(name) { faults.append("\(name): the name is reserved") }
            if name.isEmpty || name.utf8.count > 128 || name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
                faults.append("\"\(name)\" is no scope element: 1 to 128 bytes without spaces")
            }
            if known.updateValue(definition, forKey: name) != nil { faults.append("\(name): the name is taken") }
        }
        for name in configuration.keys.sorted() where known[name] == nil {
            faults.append("\(name): there is no such check to configure")
        }
        self.definitions = known
        self.configuration = configuration
        self.timeLimit = timeLimit
        var dependencies: [String: [String]] = [:]
        var immediate: Set<String> = []
        for name in known.keys.sorted() {
            let (check, read) = Self.make(known[name], [configuration[name] ?? [:]])
            faults += read.errors.map { "\(name): \($0)" }
            warnings += read.warnings.map { "\(name): \($0)" }
            dependencies[name] = check?.dependencies ?? []
            if check is any ImmediateSecurityCheck { immediate.insert(name) }
            for other in check?.dependencies ?? [] where known[other] == nil {
                faults.append("\(name): depends on \(other), which is not there")
            }
        }
        self.warnings = warnings
        self.immediate = immediate
        for name in known.keys.sorted() where Self.order([name], dependencies) == nil {
            faults.append("\(name): depends on itself")
        }
        if !faults.isEmpty { throw Fault(faults: faults) }
    }

    /// The names of all checks, sorted.
    public var names: [String] { definitions.keys.sorted() }

    /// Those of an application version whose properties do not read.
    public func faults(in version: ApplicationVersion) -> [String] {
        var faults: [String] = []
        for (name, properties) in version.securityCheckConfigurations.sorted(by: { $0.key < $1.key }) {
            guard let definition = definitions[name] else {
                faults.append("\(name): there is no such check to configure")
                continue
            }
            let (_, read) = Self.make(definition, [configuration[name] ?? [:], properties])
            faults += read.errors.map { "\(name): \($0)" }
        }
        return faults
    }

    /// The check as an application has configured it; nil for an unknown name, and for properties that do not read.
    func check(_ name: String, for version: ApplicationVersion) -> (any SecurityCheck)? {
        let layers = [configuration[name] ?? [:], version.securityCheckConfigurations[name] ?? [:]]
        let (check, read) = Self.make(definitions[name], layers)
        return read.errors.isEmpty ? check : nil
    }

    private static func make(
        _ definition: SecurityCheckDefinition?, _ layers: [[String: String]]
    ) -> ((any SecurityCheck)?, SecurityCheckConfiguration) {
        guard let definition else { return (nil, SecurityCheckConfiguration()) }
        let merged = layers.reduce(into: definition.properties) { $0.merge($1) { $1 } }
        var configuration = SecurityCheckConfiguration(merged)
        return (definition.make(&configuration), configuration)
    }

    /// These and all that they depend on, each after its dependencies; nil where they go round in a circle.
    static func order(_ names: some Sequence<String>, _ dependencies: [String: [String]]) -> [String]? {
        var ordered: [String] = []
        var open: Set<String> = []
        func visit(_ name: String) -> Bool {
            if ordered.contains(name) { return true }
            guard open.insert(name).inserted else { return false }
            guard (dependencies[name] ?? []).allSatisfy(visit) else { return false }
            ordered.append(name)
            return true
        }
        return names.sorted().allSatisfy(visit) ? ordered : nil
    }
}
