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
/// the configuration that is faulty is left out, since its answer would be about the default.
public struct ServerCheck: Sendable {
    let configuration: ServerConfiguration
    let clock: any WallClock
    let environment: [String: String]
    private let faults: [ConfigurationFaults.Fault]

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
        let check = ServerCheck(
            configuration: configuration, clock: clock, environment: environment, faults: faults)
        var findings = faults.map {
            CheckFinding(.configuration, .fault, "\($0.place): \($0.problem)", remedy: $0.remedy)
        }
        if let file = file ?? environment[ConfigurationKey.environmentOfFile],
            faults.contains(where: { $0.place == file })
        {
            // Nothing is known of what the file would have said.
            return findings
        }
        findings += configuration.warnings.map { CheckFinding(.configuration, .warning, $0) }
        if findings.isEmpty { findings.append(CheckFinding(.configuration, .ok, "Every key is understood.")) }
        if check.isSound(.data) { findings += check.dataDirectory() }
        async let mail = check.mail()
        findings += await check.store()
        if check.isSound(.tlsCertificate, .tlsKey) { findings += check.certificate() }
        if case .failure(let error) = handedOn { findings.append(CheckFinding(.listen, .fault, error.description)) }
        if check.isSound(.listen, .metricsListen) { findings += check.addresses() }
        if check.isSound(.httpMaxConnections) { findings.append(check.descriptors()) }
        findings += await mail
        return findings
    }

    private func mail() async -> [CheckFinding] {
        isSound(.mailSMTPURL, .mailFrom, .mailSMTPUser, .mailSMTPPassword, .mailSMTPPasswordFile)
            ? [await mailServer()] : []
    }

    /// Whether none of the keys has a fault.
    func isSound(_ keys: ConfigurationKey...) -> Bool {
        let places = Set(faults.map(\.place))
        return keys.allSatisfy { key in
            let place = configuration.written.first { $0.key == key.rawValue }?.place
            return !places.contains(key.rawValue) && !(place.map(places.contains) ?? false)
        }
    }
}

extension [CheckFinding] {
    /// Whether a server can be started.
    public var areFine: Bool { !contains { $0.state == .fault } }
}
