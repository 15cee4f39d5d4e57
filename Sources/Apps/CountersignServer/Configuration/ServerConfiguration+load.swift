import CountersignCore
import Delivery
import Foundation
import Logging
import PasswordHashing
import ServerHTTP

extension ServerConfiguration {
    /// Reads and judges the configuration.
    ///
    /// A flag counts more than the environment, the environment more than the file, the file more than the default.
    /// Unknown keys in the file, and unknown variables that begin with `COUNTERSIGN_`, are faults: a setting that was
    /// misspelt is one that does not protect.
    /// - Parameters:
    ///   - flags: what the command line says, as text: `[.listen: "127.0.0.1:0", .dev: "true"]`.
    ///   - environment: all variables of the process.
    ///   - file: the path of a YAML or JSON file, by its extension; nil for the one that `COUNTERSIGN_CONFIG` names, if any.
    ///   - systemFile: the path of the system's, which is not read for its values: without `file`, a start on the directory that it names
    ///     has to say the store and the master key that it says.
    ///   - socket: what a service manager hands on. Its address takes the place of `listen`, and is judged as that is.
    /// - Throws: all faults at once.
    public static func load(
        flags: [ConfigurationKey: String] = [:],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        file: String? = nil, systemFile: String = AdministeredData.systemFile, socket: SystemdSocket? = nil
    ) async throws(ConfigurationFaults) -> ServerConfiguration {
        let (configuration, faults) = await read(
            flags: flags, environment: environment, file: file, systemFile: systemFile, socket: socket)
        if !faults.isEmpty { throw ConfigurationFaults(faults: faults) }
        return configuration
    }

    /// The same for who wants to know what is right in spite of faults: what is wrong has its default.
    static func read(
        flags: [ConfigurationKey: String], environment: [String: String], file: String?,
        systemFile: String = AdministeredData.systemFile, socket: SystemdSocket? = nil
    ) async -> (ServerConfiguration, faults: [ConfigurationFaults.Fault]) {
        let named = file ?? environment[ConfigurationKey.environmentOfFile]
        var sources = await ConfigurationSources(flags: flags, environment: environment, file: named)
        let isDevelopment = sources.bool(.dev)?.value ?? false
        var configuration = ServerConfiguration(
            listen: listen(&sources),
            dataDirectory: dataDirectory(&sources, isDevelopment: isDevelopment),
            database: database(&sources),
            databaseTimeouts: databaseTimeouts(&sources),
            isDevelopment: isDevelopment,
            publicURLs: publicURLs(&sources),
            projectID: projectID(&sources),
            tls: tls(&sources),
            tlsIsEndedByProxy: sources.bool(.tlsEndedByProxy)?.value ?? false,
            proxy: proxy(&sources),
            connections: connections(&sources),
            metricsListen: metricsListen(&sources),
            masterKey: masterKey(&sources),
            passwords: passwords(&sources),
            mail: mail(&sources),
            pages: pages(&sources),
            extensions: extensions(&sources),
            logLevel: logLevel(&sources),
            logFormat: logFormat(&sources),
            logsAccess: sources.bool(.logAccess)?.value ?? false,
            tracing: tracing(&sources))
        configuration.written = sources.written()
        if let socket { configuration.take(socket) }
        if named == nil { await judge(configuration.dataDirectory, bySystemFile: systemFile, &sources) }
        let isOnNetwork = sources.bool(.devOnNetwork)
        if let isOnNetwork, isOnNetwork.value, !isDevelopment {
            sources.report(isOnNetwork.place, "dev is not on", "leave it out, or set dev too")
        }
        let result = configuration.judged(&sources, mayShowDevelopment: isOnNetwork?.value ?? false)
        return (result, sources.faults)
    }

    /// Accepts from the socket of a service manager, wherever that listens.
    private mutating func take(_ socket: SystemdSocket) {
        if listen.port != socket.address.port {
            warnings.append(
                "listen is \(listen), and the service manager listens on \(socket.address), which counts: write that into "
                    + "listen too, which commands on this machine go by")
        }
        (self.socket, listen) = (socket, socket.address)
        written = written.map { value in
            guard value.key == ConfigurationKey.listen.rawValue else { return value }
            return Deployment.Value(
                key: value.key, text: socket.address.description, source: .environment, place: "LISTEN_FDS")
        }
    }

    static func listen(_ sources: inout ConfigurationSources) -> ListenAddress {
        let standard = ServerConfiguration().listen
        guard let found = sources.text(.listen) else { return standard }
        if let address = ListenAddress(found.value) { return address }
        sources.report(
            found.place, "\"\(found.value)\" is no address",
            "write HOST:PORT such as 127.0.0.1:8080 or [::1]:8080, with a port from 0 to 65535")
        return standard
    }

    private static func dataDirectory(_ sources: inout ConfigurationSources, isDevelopment: Bool) -> String {
        let standard = standardDataDirectory(isDevelopment: isDevelopment)
        guard let found = sources.text(.data) else { return standard }
        if !found.value.isEmpty { return found.value }
        sources.report(found.place, "the path is empty", "write the path of a directory such as \(standard)")
        return standard
    }

    static func database(_ sources: inout ConfigurationSources) -> Secret<String>? {
        guard let found = sources.text(.database) else { return nil }
        if found.value.hasPrefix("postgres://") || found.value.hasPrefix("postgresql://") { return Secret(found.value) }
        // What was written may hold a password: it is not repeated.
        sources.report(
            found.place, "this is no URL of a PostgreSQL database",
            "write one such as postgres://countersign@db.example.com/countersign?sslmode=verify-full, or leave it out")
        return nil
    }

    private static func databaseTimeouts(_ sources: inout ConfigurationSources) -> DatabaseTimeouts {
        var timeouts = DatabaseTimeouts()
        if let found = sources.integer(.postgresConnectTimeout, in: 2...600) { timeouts.connect = found.value }
        if let found = sources.integer(.postgresStatementTimeout, in: 1...600) { timeouts.statement = found.value }
        if let found = sources.integer(.postgresTransactionTimeout, in: 1...600) { timeouts.transaction = found.value }
        if let found = sources.integer(.postgresStartTimeout, in: 0...86_400), found.value > 0 {
            timeouts.start = found.value
        }
        return timeouts
    }

    private static func publicURLs(_ sources: inout ConfigurationSources) -> [URL] {
        guard let found = sources.list(.publicURL) else { return [] }
        let remedy = "write URLs such as https://login.example.com, the one for issuers and links first"
        if found.value.isEmpty { sources.report(found.place, "the list is empty", remedy) }
        return found.value.compactMap { text in
            guard let url = publicURL(text) else {
                sources.report(found.place, "\"\(text)\" is no URL of a server", remedy)
                return nil
            }
            return url
        }
    }

    /// An absolute URL of HTTP without what a base cannot have.
    private static func publicURL(_ text: String) -> URL? {
        guard let components = URLComponents(string: text), ["http", "https"].contains(components.scheme),
            components.host?.isEmpty == false, components.query == nil, components.fragment == nil,
            components.user == nil, components.password == nil
        else { return nil }
        return URL(string: text.hasSuffix("/") ? String(text.dropLast()) : text)
    }

    private static func projectID(_ sources: inout ConfigurationSources) -> String {
        let standard = ServerConfiguration().projectID
        guard let found = sources.text(.projectID) else { return standard }
        let isValid = found.value.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._:".utf8.contains($0) }
        if isValid, (1...63).contains(found.value.utf8.count) { return found.value }
        sources.report(
            found.place, "\"\(found.value)\" is no project id", "write 1 to 63 letters, digits, hyphens, dots")
        return standard
    }

    private static func tls(_ sources: inout ConfigurationSources) -> TLSFiles? {
        let certificate = readableFile(.tlsCertificate, &sources)
        let key = readableFile(.tlsKey, &sources)
        if let key { sources.warnIfExposed(key.value, holding: "the private key of tls.certificate") }
        switch (certificate, key) {
        case (let certificate?, let key?): return TLSFiles(certificate: certificate.value, key: key.value)
        case (let certificate?, nil):
            sources.report(certificate.place, "a certificate without its key", "write tls.key too")
        case (nil, let key?):
            sources.report(key.place, "a key without its certificate", "write tls.certificate too")
        case (nil, nil): break
        }
        return nil
    }

    private static func masterKey(_ sources: inout ConfigurationSources) -> MasterKeySource {
        let file = readableFile(.masterKeyFile, &sources)
        if let file { sources.warnIfExposed(file.value, holding: "the master key") }
        let descriptor = sources.integer(.masterKeyDescriptor, in: 0...65_535)
        if let descriptor, (1...2).contains(descriptor.value) {
            sources.report(descriptor.place, "\(descriptor.value) is for output", "write 0, or 3 to 65535")
        }
        switch (file, descriptor) {
        case (_?, let descriptor?):
            sources.report(descriptor.place, "masterKey.file is set too", "write one of the two")
            return .dataDirectory
        case (let file?, nil): return .file(file.value)
        case (nil, let descriptor?): return .descriptor(Int32(descriptor.value))
        case (nil, nil): return .dataDirectory
        }
    }

    /// The path, also where the file cannot be read, which is reported.
    static func readableFile(
        _ key: ConfigurationKey, _ sources: inout ConfigurationSources
    ) -> ConfigurationSources.ConfiguredValue<String>? {
        guard let found = sources.text(key) else { return nil }
        if !FileManager.default.isReadableFile(atPath: found.value) {
            sources.report(
                found.place, "\"\(found.value)\" cannot be read", "write the path of a file that this user may read")
        }
        return found
    }

    private static func passwords(_ sources: inout ConfigurationSources) -> Argon2idParameters {
        var parameters = Argon2idParameters(threads: sources.integer(.passwordsThreads, in: 1...256)?.value)
        if let memory = sources.integer(.passwordsMemory, in: 1...1024) { parameters.memoryKiB = memory.value * 1024 }
        if let operations = sources.integer(.passwordsOperations, in: 1...64) {
            parameters.operations = operations.value
        }
        if let limit = sources.integer(.passwordsQueueLimit, in: 1...100_000) { parameters.queueLimit = limit.value }
        return parameters
    }

    private static func logLevel(_ sources: inout ConfigurationSources) -> Logger.Level {
        let standard = ServerConfiguration().logLevel
        guard let found = sources.text(.logLevel) else { return standard }
        if let level = Logger.Level(rawValue: found.value) { return level }
        let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        sources.report(found.place, "there is no level \"\(found.value)\"", "write one of \(names)")
        return standard
    }

    private static func logFormat(_ sources: inout ConfigurationSources) -> LogFormat {
        let standard = ServerConfiguration().logFormat
        guard let found = sources.text(.logFormat) else { return standard }
        if let format = LogFormat(rawValue: found.value) { return format }
        let names = LogFormat.allCases.map(\.rawValue).joined(separator: " or ")
        sources.report(found.place, "there is no format \"\(found.value)\"", "write \(names)")
        return standard
    }

    /// What the values mean together. Reports what is not allowed; the result has the warnings.
    /// - Parameter mayShowDevelopment: whether a development server may be reached from elsewhere.
    private func judged(
        _ sources: inout ConfigurationSources, mayShowDevelopment: Bool
    ) -> ServerConfiguration {
        var result = self
        result.warnings += sources.warnings
        let placeOfListen = socket == nil ? sources.place(of: .listen) : "ListenStream"
        if isDevelopment, !listen.isLoopback, !mayShowDevelopment {
            sources.report(
                placeOfListen,
                "on \(listen) every client on the network could sign in as any user and read all mails, as dev is on",
                "listen on loopback, or set devOnNetwork (--dev-on-network) if you intend that")
        }
        if isDevelopment {
            result.warnings.append(
                "dev is on\(listen.isLoopback ? "" : ", and on the network"): every client that can connect can read all mails, move the clock and sign in as any user; custom "
                    + "extensions may be called on this machine, also by plain http")
        }
        if tls == nil, !tlsIsEndedByProxy, !listen.isLoopback {
            if isDevelopment {
                result.warnings.append("passwords go over plain http to \(listen)")
            } else {
                sources.report(
                    placeOfListen, "plain http to \(listen) would show passwords to the network",
                    "set tls.certificate and tls.key, or tls.endedByProxy where a proxy ends TLS; or listen on loopback"
                )
            }
        }
        if let metricsListen, metricsListen.collides(with: listen) {
            sources.report(
                sources.place(of: .metricsListen), "the server itself is to listen on \(listen)",
                "write another port, or leave it out")
        }
        for url in publicURLs where url.scheme == "http" && !Self.isLoopback(url) {
            if isDevelopment {
                result.warnings.append("passwords go over plain http to \(url)")
            } else {
                sources.report(
                    sources.place(of: .publicURL), "\(url) would show passwords to the network", "write an https URL")
            }
        }
        if let first = publicURLs.first, !["", "/"].contains(first.path) {
            sources.report(
                sources.place(of: .publicURL),
                "\(first) has a path, and pages, their cookies and the issuer are those of a whole host",
                "give the server a host name of its own, and write it without a path")
        }
        result.warnings += connectionWarnings
        result.warnings += pages.warnings
        result.warnings += tracingWarnings
        if publicURLs.isEmpty, listen.isWildcard {
            result.warnings.append("publicURL is not set: issuers and links in mails say localhost")
        }
        if let smtp = mail.smtp, smtp.encryption == .none, !smtp.isLoopback {
            result.warnings.append("mails go to \(smtp.host) in plain text, with their links and codes")
        }
        if !extensions.allowedNetworks.isEmpty {
            let networks = extensions.allowedNetworks.map(\.description).joined(separator: ", ")
            result.warnings.append("custom extensions may be called in \(networks), which is not the public Internet")
        }
        // 7 MiB with 5 passes is the least memory that OWASP's table has.
        if passwords.memoryKiB / 1024 * passwords.operations < 35 {
            result.warnings.append("password hashes cost less than OWASP asks for: raise passwords.memoryMiB")
        }
        return result
    }

    static func isLoopback(_ url: URL) -> Bool {
        ListenAddress("\(url.host.map { $0.contains(":") ? "[\($0)]" : $0 } ?? ""):0")?.isLoopback ?? false
    }
}
