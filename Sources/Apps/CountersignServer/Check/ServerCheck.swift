import CountersignCore
import Delivery
import Foundation
import StorePostgres
import StoreSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Judges what a server would be started with, all of it at once, and changes nothing: no file, no database.
///
/// **How the files of this folder meet.** This one asks about each area in turn; `ServerCheck+Data` looks at files, `ServerCheck+Store` at
/// the database under its master key, `ServerCheck+Network` at certificates, sockets and the mail server. What is asked about a key of
/// the configuration that is faulty is left out, since its answer would be about the default. Of a file that cannot be understood every key
/// may be faulty but those that flags and variables set, which count more.
public struct ServerCheck: Sendable {
    let configuration: ServerConfiguration
    let clock: any WallClock
    let environment: [String: String]
    private let faults: [ConfigurationFaults.Fault]
    /// Whether there is a configuration file, and nothing is known of what it says.
    private let isFileUnread: Bool

    /// Asks everything. The database and the mail server are asked beside each other, and each has seconds.
    /// - Parameters: as of ``ServerConfiguration/load(flags:environment:file:systemFile:socket:)``; `handedOn` is why a
    ///   service manager's socket cannot be taken, or that socket.
    /// - Returns: findings of all areas, what is well included.
    public static func findings(
        flags: [ConfigurationKey: String] = [:],
        environment: [String: String] = ProcessInfo.processInfo.environment, file: String? = nil,
        systemFile: String = AdministeredData.systemFile, clock: any WallClock = SystemClock(),
        handedOn: Result<SystemdSocket?, SystemdSocketError> = .success(nil)
    ) async -> [CheckFinding] {
        let (configuration, faults) = await ServerConfiguration.read(
            flags: flags, environment: environment, file: file, systemFile: systemFile, socket: try? handedOn.get())
        let named = file ?? environment[ConfigurationKey.environmentOfFile]
        let check = ServerCheck(
            configuration: configuration, clock: clock, environment: environment, faults: faults,
            isFileUnread: faults.contains { $0.place == named })
        var findings = faults.map {
            CheckFinding(.configuration, .fault, "\($0.place): \($0.problem)", remedy: $0.remedy)
        }
        // Warnings may be about what the file sets.
        if !check.isFileUnread {
            findings += configuration.warnings.map { CheckFinding(.configuration, .warning, $0) }
        }
        if findings.isEmpty { findings.append(CheckFinding(.configuration, .ok, "Every key is understood.")) }
        if check.isSound(.data) { findings += check.dataDirectory() }
        async let mail = check.mail()
        findings += await check.store()
        if check.isSound(.tlsCertificate, .tlsKey) { findings += check.certificate() }
        if case .failure(let error) = handedOn { findings.append(CheckFinding(.listen, .fault, error.description)) }
        findings += check.addresses()
        if check.isSound(.httpMaxConnections) { findings.append(check.descriptors()) }
        findings += await mail
        if check.isFileUnread { findings += left(by: findings) }
        return findings
    }

    /// What was not looked at because of a file that cannot be understood.
    private static func left(by findings: [CheckFinding]) -> [CheckFinding] {
        let areas = Set(findings.map(\.area))
        let left = CheckFinding.Area.allCases.filter { !areas.contains($0) }
        guard !left.isEmpty else { return [] }
        return [
            CheckFinding(
                .configuration, .warning,
                "the file may say what these are, so that they were not looked at: \(left.map(\.noun).joined(separator: ", "))",
                remedy: "correct the file, and check again")
        ]
    }

    private func mail() async -> [CheckFinding] {
        isSound(.mailSMTPURL, .mailFrom, .mailSMTPUser, .mailSMTPPassword, .mailSMTPPasswordFile)
            ? [await mailServer()] : []
    }

    /// Whether none of the keys has a fault.
    func isSound(_ keys: ConfigurationKey...) -> Bool {
        let places = Set(faults.map(\.place))
        return keys.allSatisfy { key in
            let written = configuration.written.first { $0.key == key.rawValue }
            if isFileUnread, written.map({ $0.source != .flag && $0.source != .environment }) ?? true { return false }
            return !places.contains(key.rawValue) && !(written.map { places.contains($0.place) } ?? false)
        }
    }
}

extension CheckFinding.Area {
    /// In a sentence.
    fileprivate var noun: String {
        switch self {
        case .configuration: "the configuration"
        case .data: "the data directory"
        case .masterKey: "the master key"
        case .database: "the database"
        case .clock: "the database's clock"
        case .tls: "certificate and key"
        case .listen: "the addresses"
        case .descriptors: "open files"
        case .mail: "the mail server"
        }
    }
}

extension [CheckFinding] {
    /// Whether a server can be started.
    public var areFine: Bool { !contains { $0.state == .fault } }
}
