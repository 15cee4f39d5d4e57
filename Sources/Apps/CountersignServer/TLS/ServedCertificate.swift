import CountersignCore
import Dispatch
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import ServerHTTP
import Synchronization

/// The certificate that the server shows, and the files that it comes from.
///
/// Each certificate has a TLS context of its own, so that no client resumes a session under another certificate: new
/// connections see the new certificate, and those that are open go on with theirs.
final class ServedCertificate: Sendable {
    /// What the two files hold.
    struct Files: Sendable, Equatable {
        let certificate: Data
        let key: Data
    }

    /// What reading the files again led to.
    enum Reloading: Sendable {
        case unchanged
        /// New connections get another certificate.
        case replaced(expiresAt: Date)
        /// The files cannot be used; the certificate from before stays.
        case refused(TLSFileError)
        /// The same files as were refused before.
        case refusedBefore
    }

    private struct State {
        var served: Files?
        var refused: Files?
        var expiresAt: Date?
        var channel: SecureChannel?
        var serve: Serve?
        var statistics = Statistics()
    }

    /// Makes connections of a TLS context.
    private typealias Serve = @Sendable (NIOSSLContext) -> SecureChannel

    /// For metrics.
    struct Statistics: Sendable, Equatable {
        var replacements = 0
        var refusals = 0
    }

    private let certificatePath: String
    private let keyPath: String
    private let state = Mutex(State())

    init(certificate: String, key: String) {
        certificatePath = certificate
        keyPath = key
    }

    /// When the first certificate of the served chain expires; nil before any is served.
    var expiresAt: Date? { state.withLock { $0.expiresAt } }
    var statistics: Statistics { state.withLock { $0.statistics } }

    /// Connections with the certificate of the moment that each is made in.
    func builder(_ connections: ServerConnections, ready: ReadyAnswers? = nil) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let files = try self.read()
            let serve: Serve = { SecureChannel($0, connections, ready: ready, responder: responder) }
            let (channel, expiry) = try self.channel(files, serve)
            self.state.withLock { state in
                (state.served, state.expiresAt, state.channel, state.serve) = (files, expiry, channel, serve)
            }
            return Channel(certificate: self, first: channel)
        }
    }

    /// Reads the files and serves what they hold, if it can be served. It blocks: not for an event loop.
    func reload(at now: Date) -> Reloading {
        let (served, refused, expiry, serve) = state.withLock {
            ($0.served, $0.refused, $0.expiresAt, $0.serve)
        }
        guard let serve else { return .unchanged }
        let files: Files
        do {
            files = try read()
        } catch {
            return refuse(nil, error, as: refused)
        }
        if files == served {
            state.withLock { $0.refused = nil }
            return .unchanged
        }
        do {
            let (channel, expiresAt) = try channel(files, serve)
            // An old one put back by mistake.
            if expiresAt <= now, let expiry, expiry > now {
                throw TLSFileError(path: certificatePath, reason: "it expired on \(expiresAt.ISO8601Format())")
            }
            state.withLock { state in
                (state.served, state.refused, state.expiresAt, state.channel) = (files, nil, expiresAt, channel)
                state.statistics.replacements += 1
            }
            return .replaced(expiresAt: expiresAt)
        } catch {
            return refuse(files, error, as: refused)
        }
    }

    private func refuse(_ files: Files?, _ error: any Error, as refused: Files?) -> Reloading {
        // What cannot be read has no content to remember it by.
        let files = files ?? Files(certificate: Data("\(error)".utf8), key: Data())
        if files == refused { return .refusedBefore }
        state.withLock { state in
            state.refused = files
            state.statistics.refusals += 1
        }
        return .refused(error as? TLSFileError ?? TLSFileError(path: certificatePath, reason: "\(error)"))
    }

    fileprivate func current(_ first: SecureChannel) -> SecureChannel {
        state.withLock { $0.channel } ?? first
    }

    // MARK: Files

    /// More than any chain needs.
    private static let sizeLimit = 1 << 20

    private func read() throws -> Files {
        Files(certificate: try Self.read(certificatePath), key: try Self.read(keyPath))
    }

    /// What the files hold, if TLS can be had with it.
    /// - Throws: ``TLSFileError``.
    static func load(certificate: String, key: String) throws -> (NIOSSLContext, [NIOSSLCertificate]) {
        try context(Files(certificate: read(certificate), key: read(key)), certificate: certificate, key: key)
    }

    private static func read(_ path: String) throws -> Data {
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? handle.close() }
            return try handle.read(upToCount: sizeLimit) ?? Data()
        } catch {
            throw TLSFileError(path: path, reason: "it cannot be read")
        }
    }

    private func channel(
        _ files: Files, _ serve: Serve
    ) throws -> (SecureChannel, expiresAt: Date) {
        let (context, chain) = try Self.context(files, certificate: certificatePath, key: keyPath)
        return (serve(context), Self.expiry(of: chain))
    }

    static func expiry(of chain: [NIOSSLCertificate]) -> Date {
        chain.map { Date(timeIntervalSince1970: Double($0.notValidAfter)) }.min() ?? .distantPast
    }

    private static func context(
        _ files: Files, certificate certificatePath: String, key keyPath: String
    ) throws -> (NIOSSLContext, [NIOSSLCertificate]) {
        func reading<Value>(_ path: String, _ read: () throws -> Value) throws -> Value {
            do {
                return try read()
            } catch {
                throw TLSFileError(path: path, reason: "\(error)")
            }
        }
        let chain = try reading(certificatePath) { try NIOSSLCertificate.fromPEMBytes(Array(files.certificate)) }
        guard !chain.isEmpty else { throw TLSFileError(path: certificatePath, reason: "it holds no certificate") }
        // PKCS #8 says it in the first line (RFC 7468, section 11), the older form in a header (RFC 1421, section 4.6.1.1).
        let text = String(decoding: files.key, as: UTF8.self)
        guard !text.contains("BEGIN ENCRYPTED PRIVATE KEY"), !text.contains("Proc-Type: 4,ENCRYPTED") else {
            throw TLSFileError(
                path: keyPath,
                reason: "it is sealed with a passphrase, which a start does not ask for: `openssl pkey -in "
                    + "\(ShellWord.quoted(keyPath)) -out FILE` writes it without")
        }
        let key = try reading(keyPath) { try NIOSSLPrivateKey(bytes: Array(files.key), format: .pem) }
        let configuration = TLSConfiguration.serving(chain, key)
        // Making the context compares the key with the certificate.
        let context = try reading(keyPath) {
            do {
                return try NIOSSLContext(configuration: configuration)
            } catch {
                throw Mismatch(certificate: certificatePath, underlying: error)
            }
        }
        return (context, chain)
    }

    private struct Mismatch: Error, CustomStringConvertible {
        let certificate: String
        let underlying: any Error

        var description: String { "it is not the key of \(certificate): \(underlying)" }
    }

    /// Hands each connection to the context of the moment.
    private struct Channel: HTTPChannelHandler {
        let certificate: ServedCertificate
        let first: SecureChannel

        var responder: Responder { first.responder }

        func setup(channel: any NIOCore.Channel, logger: Logger) -> EventLoopFuture<SecureChannel.Value> {
            certificate.current(first).setup(channel: channel, logger: logger)
        }

        func handle(value: SecureChannel.Value, logger: Logger) async {
            // Past the handshake all are alike.
            await first.handle(value: value, logger: logger)
        }
    }
}

/// A certificate or private key that TLS cannot be had with.
public struct TLSFileError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    public var description: String {
        "\(path) cannot be used for TLS (\(reason)). It has to be PEM: the server's certificate followed by those that lead "
            + "to its root, or its private key."
    }
}
