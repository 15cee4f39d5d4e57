import CountersignCore
import Delivery
import Foundation
import NIOCore
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ServerCheck {
    /// Seconds that the mail server has, and the database for each step.
    static let patience = 10

    /// Whether the two files fit each other, and how long the certificate is good.
    func certificate() -> [CheckFinding] {
        guard let files = configuration.tls else { return [] }
        do {
            let (_, chain) = try ServedCertificate.load(certificate: files.certificate, key: files.key)
            let (now, expiry) = (clock.now, ServedCertificate.expiry(of: chain))
            let begin = chain.map { Date(timeIntervalSince1970: Double($0.notValidBefore)) }.max() ?? now
            let days = Int((expiry.timeIntervalSince(now) / 86_400).rounded(.down))
            if begin > now {
                return [
                    CheckFinding(
                        .tls, .fault, "\(files.certificate) is good from \(begin.ISO8601Format()) on only",
                        remedy: "look at this machine's clock, or get another certificate")
                ]
            }
            if days < 0 {
                return [
                    CheckFinding(
                        .tls, .fault, "\(files.certificate) expired on \(expiry.ISO8601Format())",
                        remedy: "renew it, and put it and its key in place of the files")
                ]
            }
            let text =
                """
                \(files.certificate) fits its key and is good for \(days) \(days == 1 ? "day" : "days"), \
                until \(expiry.ISO8601Format()).
                """
            let isLate = expiry.timeIntervalSince(now) < CertificateService.notice
            let age =
                isLate
                ? CheckFinding(.tls, .warning, text, remedy: "renew it; a running server reads it by itself")
                : CheckFinding(.tls, .ok, text)
            return [age] + links(of: try CertificateChain(chain.map { try $0.toDERBytes() }), in: files.certificate)
        } catch {
            return [CheckFinding(.tls, .fault, "\(error)")]
        }
    }

    /// Whether clients find their way from the certificate to an authority, and under the name that they know.
    private func links(of chain: CertificateChain, in file: String) -> [CheckFinding] {
        var findings: [CheckFinding] = []
        switch chain.end(among: CertificateChain.authorities(environment)) {
        case .trusted: break
        case .broken(let number):
            findings.append(
                CheckFinding(
                    .tls, .warning, "certificate \(number + 1) in \(file) did not sign certificate \(number)",
                    remedy: "put the server's certificate first, and after each the one that signed it"))
        case .unknown(let issuer):
            findings.append(
                CheckFinding(
                    .tls, .warning,
                    "\(file) ends before an authority that this machine trusts: the last certificate is signed by \(issuer)",
                    remedy:
                        "append the certificates between (a fullchain.pem has them), unless the authority is your own"))
        case .itself:
            findings.append(
                CheckFinding(
                    .tls, .warning,
                    "\(file) ends with a certificate that is signed by itself, and not trusted by this machine",
                    remedy: "only clients that were given it take it"))
        }
        for url in configuration.publicURLs where url.scheme == "https" {
            guard let host = url.host(), !host.contains(":"), !chain.names(host) else { continue }
            findings.append(
                CheckFinding(
                    .tls, .warning, "\(file) is not for \(host), which publicURL names",
                    remedy: "get a certificate with that name"))
        }
        return findings
    }

    /// Whether the addresses can be listened on.
    func addresses() -> [CheckFinding] {
        var findings: [CheckFinding] = []
        if let socket = configuration.socket {
            let text = "The service manager listens on \(socket.address), and hands the socket on."
            findings.append(CheckFinding(.listen, .ok, text))
        } else if isSound(.listen) {
            findings.append(address("listen", configuration.listen))
        }
        if isSound(.metricsListen), let metrics = configuration.metricsListen {
            findings.append(address("metrics.listen", metrics))
        }
        return findings
    }

    private func address(_ key: String, _ address: ListenAddress) -> CheckFinding {
        switch Self.bindingFailure(address) {
        case nil: CheckFinding(.listen, .ok, "\(key): \(address) is free.")
        case EADDRINUSE:
            CheckFinding(
                .listen, .warning, "\(key): \(address) is taken, by a server that runs or by another program",
                remedy: "stop it before this one is started, or choose another address")
        case EACCES:
            CheckFinding(
                .listen, .fault, "\(key): this user may not listen on \(address)",
                remedy: "choose a port above 1023, or give the program the capability CAP_NET_BIND_SERVICE")
        case EADDRNOTAVAIL:
            CheckFinding(.listen, .fault, "\(key): \(address.host) is not an address of this machine")
        case let code?:
            CheckFinding(
                .listen, .fault, "\(key): \(address) cannot be listened on: \(String(cString: strerror(code)))")
        }
    }

    /// Binds a socket and lets go of it, without listening.
    private static func bindingFailure(_ address: ListenAddress) -> Int32? {
        guard let target = try? SocketAddress.makeAddressResolvingHost(address.host, port: address.port) else {
            return EADDRNOTAVAIL
        }
        #if canImport(Darwin)
            let type = SOCK_STREAM
        #else
            let type = Int32(SOCK_STREAM.rawValue)
        #endif
        let isVersion6 = if case .v6 = target { true } else { false }
        let descriptor = socket(isVersion6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // As servers do: what is left of closed connections does not count.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let result = target.withSockAddr { pointer, size in bind(descriptor, pointer, socklen_t(size)) }
        return result == 0 ? nil : errno
    }

    /// Whether there can be as many connections as the configuration wants.
    func descriptors() -> CheckFinding { Self.descriptors(configuration.connections, openFiles: OpenFiles.hardLimit) }

    static func descriptors(_ connections: ConnectionOptions, openFiles allowed: Int) -> CheckFinding {
        let limits = connections.limits(openFiles: allowed)
        if let wanted = connections.maximum, wanted > limits.maximum {
            return CheckFinding(
                .descriptors, .warning, "http.maxConnections is \(wanted), and \(allowed) open files are allowed",
                remedy: "allow \(wanted + ConnectionOptions.reserve): ulimit -n, or LimitNOFILE= in systemd's unit")
        }
        // A number that the operator chose, and that fits, is right.
        if connections.maximum == nil, allowed < 4096 {
            return CheckFinding(
                .descriptors, .warning, "\(allowed) open files are allowed, which makes \(limits.maximum) connections",
                remedy: "allow more: ulimit -n, or LimitNOFILE= in systemd's unit")
        }
        return CheckFinding(
            .descriptors, .ok, "\(allowed) open files are allowed, which makes \(limits.maximum) connections.")
    }

    /// Whether the mail server can be reached, encrypts and takes the login.
    func mailServer() async -> CheckFinding {
        guard let server = configuration.mail.smtp else {
            return configuration.isDevelopment
                ? CheckFinding(.mail, .ok, "There is no mail server; mails are in the inbox.")
                : CheckFinding(
                    .mail, .warning, "mail.smtp.url is not set: mails wait and are not sent",
                    remedy: "name a mail server; `countersign mail test ADDRESS` tries it")
        }
        let place = "\(server.host):\(server.port)"
        switch await server.greeting(timeout: Self.patience) {
        case nil:
            return CheckFinding(.mail, .ok, "\(place) answers\(server.login == nil ? "" : " and takes the login").")
        case let reason?:
            return CheckFinding(
                .mail, .fault, "\(place) cannot be used: \(reason)", remedy: Self.remedy(ofMailServer: reason))
        }
    }

    /// What to do about a mail server that cannot be used; docs/delivery.md lists the reasons.
    static func remedy(ofMailServer reason: String) -> String {
        switch reason {
        case "smtp-unknown-host": "correct the host in mail.smtp.url"
        case "smtp-no-starttls": "the server offers no encryption: use smtps://, or another port"
        case "smtp-certificate", "smtp-tls":
            "its certificate is not trusted: set mail.smtp.authorities, or correct the host's name"
        case "smtp-timeout":
            "it does not answer in time: look whether the port is open from here, and whether it wants smtps://"
        case _ where reason.hasPrefix("smtp-login"): "correct mail.smtp.user and its password"
        case _ where Int(reason.dropFirst("smtp-".count)) != nil:
            "it answers, and refuses this machine: its log says why, by that reply"
        default: "look whether the port is open from here"
        }
    }
}
