import Foundation
import Synchronization

/// aiosmtpd in a process of its own, and the mails that it got.
package final class MailServer: Sendable {
    package enum TLS: String, Sendable {
        case none, starttls, implicit
    }

    /// A mail as Python's email module reads it.
    package struct Mail: Sendable, Decodable {
        package let from: String
        package let to: [String]
        package let isEncrypted: Bool
        package let isAuthenticated: Bool
        package let subject: String
        package let headers: [[String]]
        package let type: String
        package let defects: [String]
        package let text: String?
        package let html: String?
        package let longestLine: Int
        package let bareLineFeeds: Int
        package let isASCII: Bool

        package func header(_ name: String) -> [String] {
            headers.filter { $0.first?.lowercased() == name.lowercased() }.compactMap(\.last)
        }
    }

    private struct Announcement: Decodable {
        let port: Int
    }

    package let port: Int
    private let process: Process
    /// It ends when this is no longer referenced.
    private let input = Pipe()
    private let received = Mutex<[Mail]>([])

    /// - Parameters:
    ///   - port: 0 takes a free one.
    ///   - identity: PEM files of the certificate and its key.
    ///   - login: required of every client, where there is one.
    package init(
        port: Int = 0, tls: TLS = .none, identity: (certificate: String, key: String)? = nil,
        login: (user: String, password: String)? = nil
    ) async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = folder.deletingLastPathComponent().deletingLastPathComponent()
        let python = root.appendingPathComponent(".build/test-python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else { throw Missing() }
        process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        var arguments = [
            folder.appendingPathComponent("smtp_server.py").path, "--port", "\(port)", "--tls", tls.rawValue,
        ]
        if let identity { arguments += ["--certificate", identity.certificate, "--key", identity.key] }
        if let login { arguments += ["--user", login.user, "--password", login.password] }
        process.arguments = arguments
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let handle = output.fileHandleForReading
        let (lines, line) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            var text = Data()
            while true {
                let chunk = handle.availableData
                if chunk.isEmpty { break }
                text.append(chunk)
                while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                    line.yield(String(decoding: text[..<end], as: UTF8.self))
                    text = Data(text[text.index(after: end)...])
                }
            }
            line.finish()
        }
        var iterator = lines.makeAsyncIterator()
        guard let first = await iterator.next(),
            let announced = try? JSONDecoder().decode(Announcement.self, from: Data(first.utf8))
        else { throw Missing() }
        self.port = announced.port
        Task { [weak self] in
            for await line in lines {
                guard let mail = try? JSONDecoder().decode(Mail.self, from: Data(line.utf8)) else { continue }
                self?.received.withLock { $0.append(mail) }
            }
        }
    }

    deinit { stop() }

    package var mails: [Mail] { received.withLock { $0 } }

    /// The mails, once there are so many; those that there are after ten minutes otherwise.
    package func mails(atLeast count: Int) async throws -> [Mail] {
        for _ in 0..<30_000 where mails.count < count { try await Task.sleep(for: .milliseconds(20)) }
        return mails
    }

    package func stop() {
        // Its signals may be blocked, as those of the thread that started it were.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Ends it, and returns when its port is free.
    package func stopped() async {
        stop()
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process] in
                process.waitUntilExit()
                continuation.resume()
            }
        }
    }

    package struct Missing: Error, CustomStringConvertible {
        package let description = "aiosmtpd is not installed; run `make deps`."
    }
}
