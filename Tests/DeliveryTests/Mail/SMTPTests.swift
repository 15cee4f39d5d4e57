import CCurl
import CountersignCore
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import CountersignCore
@testable import Delivery

@Suite("SMTP")
struct SMTPTests {
    private struct FixedClock: WallClock {
        let now = Date(timeIntervalSince1970: 1_790_244_672)
    }

    /// A mail server with STARTTLS and a login, and what is needed to speak with it.
    private final class Stage: Sendable {
        let server: MailServer
        let files: (root: String, certificate: String, key: String)
        let tls: MailServer.TLS

        init(_ tls: MailServer.TLS = .starttls, login: Bool = true, port: Int = 0) async throws {
            let folder = try TestRun.place(for: "smtp")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            files = try TestAuthority().write(into: folder)
            self.tls = tls
            server = try await MailServer(
                port: port, tls: tls, identity: tls == .none ? nil : (files.certificate, files.key),
                login: login ? ("countersign", "s3cret ü") : nil)
        }

        deinit { server.stop() }

        func configuration(_ change: (inout SMTPServer) -> Void = { _ in }) -> SMTPServer {
            var server = SMTPServer(
                host: "localhost", port: server.port, isImplicitTLS: tls == .implicit,
                encryption: tls == .none ? .none : .required,
                login: .init(user: "countersign", password: Secret("s3cret ü")), authorities: files.root, timeout: 300)
            change(&server)
            return server
        }
    }

    private func sender(_ server: SMTPServer) throws -> SMTPSender {
        try SMTPSender(
            server: server, from: try #require(MailAddress(mailbox: "Zoë's sign-in <login@example.com>")),
            composer: try MailComposer(), clock: FixedClock(),
            logger: Logger(label: "smtp") { _ in SwiftLogNoOpLogHandler() },
            publicURL: { "https://login.example.com" })
    }

    private func message(
        _ template: String = "reset-password", to recipient: String = "ada@example.org", locale: String? = nil,
        id: String = "0006600aabbccdd0"
    ) -> OpenedMessage {
        let now = FixedClock().now
        return OpenedMessage(
            OutboxMessage(
                id: id, channel: .email, recipient: recipient, createdAt: now, nextAttemptAt: now, sealedContent: Data()
            ),
            OutboxContent(
                template: template, locale: locale,
                values: [
                    "link": "auth/action?mode=resetPassword&oobCode=abc-_", "email": recipient, "code": "12345678",
                ]))
    }

    @Test
    func `Mails in three languages arrive over STARTTLS after a login, and read as they were written`() async throws {
        let stage = try await Stage()
        let sender = try sender(stage.configuration())
        for locale in ["en", "de", "ja"] {
            #expect(await sender.send(message(locale: locale)) == .delivered)
        }
        await sender.shutDown()
        let mails = try await stage.server.mails(atLeast: 3)
        #expect(mails.map(\.subject) == ["Choose a new password", "Wählen Sie ein neues Passwort", "新しいパスワードの設定"])
        for (mail, words) in zip(mails, ["within an hour", "innerhalb einer Stunde", "1 時間以内に"]) {
            #expect(
                mail.isEncrypted && mail.isAuthenticated && mail.from == "login@example.com"
                    && mail.to == ["ada@example.org"])
            #expect(mail.type == "multipart/alternative" && mail.defects.isEmpty)
            let link = "https://login.example.com/auth/action?mode=resetPassword&oobCode=abc-_"
            #expect(mail.text?.contains(words) == true && mail.text?.contains("\n\(link)\n") == true)
            #expect(
                mail.html?.contains(words) == true
                    && mail.html?.contains("href=\"\(link.replacing("&", with: "&amp;"))\"") == true)
            #expect(
                mail.header("From") == ["Zoë's sign-in <login@example.com>"] && mail.header("To") == ["ada@example.org"]
            )
            #expect(mail.header("Message-ID") == ["<0006600aabbccdd0.countersign@example.com>"])
            #expect(mail.header("Date") == ["Thu, 24 Sep 2026 10:11:12 +0000"])
            #expect(mail.longestLine <= 78 && mail.bareLineFeeds == 0 && mail.isASCII)
        }
        #expect(mails.map { $0.header("Content-Language") } == [["en"], ["de"], ["ja"]])
    }

    @Test
    func `A greeting says whether a mail would be taken, and sends none`() async throws {
        for (tls, login) in [(MailServer.TLS.starttls, true), (.implicit, false), (.none, false)] {
            let stage = try await Stage(tls, login: login)
            let server = stage.configuration { if !login { $0.login = nil } }
            #expect(await server.greeting(timeout: 300) == nil, "\(tls)")
            #expect(stage.server.mails.isEmpty)
        }
        let stage = try await Stage()
        let wrong = stage.configuration { $0.login = .init(user: "countersign", password: Secret("guessed")) }
        #expect(await wrong.greeting(timeout: 300)?.hasPrefix("smtp-login") == true)
        #expect(await stage.configuration { $0.authorities = nil }.greeting(timeout: 300) == "smtp-certificate")
        #expect(await stage.configuration { $0.port = 9 }.greeting(timeout: 300)?.hasPrefix("smtp-connection") == true)
        let plain = try await Stage(.none, login: false)
        let demanding = plain.configuration {
            ($0.login, $0.encryption) = (nil, .required)
        }
        #expect(await demanding.greeting(timeout: 300) == "smtp-no-starttls")
        #expect(stage.server.mails.isEmpty && plain.server.mails.isEmpty)
    }

    @Test
    func `TLS from the first byte works as well`() async throws {
        let stage = try await Stage(.implicit, login: false)
        let sender = try sender(stage.configuration { $0.login = nil })
        #expect(await sender.send(message("code")) == .delivered)
        let mail = try #require(try await stage.server.mails(atLeast: 1).first)
        #expect(mail.isEncrypted && mail.subject == "12345678 is your code")
    }

    @Test
    func `A server without a trusted certificate, or with another name, gets nothing`() async throws {
        let stage = try await Stage()
        for change: (inout SMTPServer) -> Void in [{ $0.authorities = nil }, { $0.host = "127.0.0.1" }] {
            let result = await (try sender(stage.configuration(change))).send(message())
            #expect(result == .postponed(reason: "smtp-certificate"))
        }
        #expect(stage.server.mails.isEmpty)
    }

    @Test
    func `Without STARTTLS nothing is said, unless plain text was chosen`() async throws {
        let stage = try await Stage(.none, login: false)
        let strict = try sender(stage.configuration { ($0.encryption, $0.login) = (.required, nil) })
        #expect(await strict.send(message()) == .postponed(reason: "smtp-no-starttls"))
        #expect(stage.server.mails.isEmpty)
        let plain = try sender(stage.configuration { $0.login = nil })
        #expect(await plain.send(message()) == .delivered)
        #expect(try await stage.server.mails(atLeast: 1).first?.isEncrypted == false)
    }

    @Test(
        arguments: [
            ("r550", .refused(reason: "smtp-550")), ("r553", .refused(reason: "smtp-553")),
            ("r451", .postponed(reason: "smtp-451")), ("r530", .postponed(reason: "smtp-login-530")),
            ("d554", .refused(reason: "smtp-554")), ("d452", .postponed(reason: "smtp-452")),
        ] as [(String, DeliveryResult)])
    func `What the server says decides whether a mail is tried again`(local: String, expected: DeliveryResult)
        async throws
    {
        let stage = try await Stage()
        let sender = try sender(stage.configuration())
        #expect(await sender.send(message(to: "\(local)@example.org")) == expected)
        // The next mail is none the worse for it.
        #expect(await sender.send(message()) == .delivered)
        #expect(try await stage.server.mails(atLeast: 1).count == 1)
    }

    @Test
    func `A mail server that is busy, away, silent or of another mind is asked again`() async throws {
        let stage = try await Stage(port: QuietPort.next())
        let wrong = try sender(
            stage.configuration { $0.login = .init(user: "countersign", password: Secret("wrong")) })
        #expect(await wrong.send(message()) == .postponed(reason: "smtp-login-535"))
        let busy = try sender(stage.configuration())
        #expect(await busy.send(message(to: "b451@example.org")) == .postponed(reason: "smtp-451"))
        #expect(await busy.send(message(to: "b451@example.org")) == .delivered)
        await stage.server.stopped()
        let port = stage.server.port
        for _ in 0..<200 {
            if case .postponed = await busy.send(message()) { break }
        }
        let again = try await MailServer(
            port: port, tls: .starttls, identity: (stage.files.certificate, stage.files.key),
            login: ("countersign", "s3cret ü"))
        defer { again.stop() }
        #expect(await busy.send(message()) == .delivered)

        let silent = try SilentServer()
        let patient = try sender(stage.configuration { ($0.port, $0.timeout) = (silent.port, 1) })
        #expect(await patient.send(message()) == .postponed(reason: "smtp-timeout"))
    }

    @Test(
        arguments: [
            "ada@example.org\r\nRCPT TO:<eve@example.org>", "ada@example.org>\r\nDATA",
            "ada@example.org\nBcc: eve@example.org",
            "\"a\r\nb\"@example.org", "ada@example.org BODY=8BITMIME", "<ada@example.org>", "猫@example.org",
        ])
    func `Nothing in a mail becomes a command or a header`(recipient: String) async throws {
        let stage = try await Stage()
        let sender = try sender(stage.configuration())
        #expect(await sender.send(message(to: recipient)) == .refused(reason: "address-not-supported"))
        var content = message("code").content
        content.values["code"] = "1\r\nBcc: eve@example.org\r\n\r\n.\r\nMAIL FROM:<eve@example.org>"
        let mail = OpenedMessage(message("code").message, content)
        #expect(await sender.send(mail) == .delivered)
        let arrived = try await stage.server.mails(atLeast: 1)
        #expect(arrived.count == 1 && arrived[0].to == ["ada@example.org"] && arrived[0].header("Bcc").isEmpty)
        #expect(arrived[0].subject == "1  Bcc: eve@example.org    .  MAIL FROM:<eve@example.org> is your code")
        #expect(arrived[0].text?.contains("\n.\nMAIL FROM:<eve@example.org>") == true, "It is text, dots and all.")
    }

    @Test
    func `While mails wait for their server, everything else goes on: they have threads of their own`() async throws {
        let silent = try SilentServer()
        let sender = try sender(SMTPServer(host: "127.0.0.1", port: silent.port, encryption: .none, timeout: 30))
        let order = Order()
        await withDiscardingTaskGroup { group in
            for _ in 0..<sender.concurrency {
                group.addTask {
                    _ = await sender.send(message())
                    order.note("mail")
                }
            }
            // On a pool with as many threads as mails under way none of this would run before them.
            for _ in 0..<200 {
                await withDiscardingTaskGroup { inner in
                    for _ in 0..<8 { inner.addTask { await Task.yield() } }
                }
            }
            order.note("all else")
            silent.hangUp()
        }
        #expect(order.names == ["all else", "mail", "mail"])
        await sender.shutDown()
        #expect(await sender.send(message()) == .postponed(reason: "smtp-setup"))
    }

    @Test(
        arguments: [
            (CURLE_OK, 250, true, .delivered),
            (CURLE_LOGIN_DENIED, 535, false, .postponed(reason: "smtp-login-535", isOperators: true)),
            (CURLE_WEIRD_SERVER_REPLY, 554, false, .postponed(reason: "smtp-554", isOperators: true)),
            (CURLE_WEIRD_SERVER_REPLY, 554, true, .refused(reason: "smtp-554")),
            (CURLE_WEIRD_SERVER_REPLY, 421, false, .postponed(reason: "smtp-421", isOperators: false)),
            (CURLE_SEND_ERROR, 550, false, .refused(reason: "smtp-550")),
            (CURLE_SEND_ERROR, 250, false, .postponed(reason: "smtp-connection", isOperators: false)),
            (CURLE_RECV_ERROR, 0, true, .postponed(reason: "smtp-connection", isOperators: false)),
            (CURLE_COULDNT_CONNECT, 0, false, .postponed(reason: "smtp-connection-7", isOperators: false)),
            (CURLE_COULDNT_RESOLVE_HOST, 0, false, .postponed(reason: "smtp-unknown-host", isOperators: true)),
        ] as [(CURLcode, Int, Bool, SMTPVerdict)])
    func `What libcurl says has one meaning`(code: CURLcode, reply: Int, isSent: Bool, expected: SMTPVerdict) {
        #expect(SMTPVerdict(code, reply: reply, isSent: isSent) == expected)
    }

    @Test(
        arguments: [
            ("smtp://mail.example.com", "smtp://mail.example.com:587"),
            ("smtps://mail.example.com", "smtps://mail.example.com:465"),
            ("smtp://mail.example.com:25/", "smtp://mail.example.com:25"), ("SMTP://[::1]:2525", "smtp://[::1]:2525"),
            ("smtp://user:secret@mail.example.com", nil), ("smtp://user@mail.example.com", nil),
            ("http://mail.example.com", nil),
            ("smtp://", nil), ("mail.example.com", nil), ("smtp://mail.example.com/path", nil), ("smtp://a b", nil),
            ("smtp://mail.example.com:0", nil), ("smtp://mail.example.com:65536", nil), ("smtp://x?y", nil), ("", nil),
            ("smtp://mail\r\n.example.com", nil),
        ])
    func `URLs of mail servers`(text: String, expected: String?) {
        #expect(SMTPServer(url: text)?.url == expected)
    }
}

/// What happened after what.
private final class Order: Sendable {
    private let list = Mutex<[String]>([])

    var names: [String] { list.withLock { $0 } }

    func note(_ name: String) { list.withLock { $0.append(name) } }
}

/// Takes connections and says nothing.
private final class SilentServer: Sendable {
    let port: Int
    private let socket: Int32
    private let isClosed = Atomic(false)

    init() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, 8) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Ends the connections that wait.
    func hangUp() {
        if !isClosed.exchange(true, ordering: .relaxed) { close(socket) }
    }

    deinit { hangUp() }
}
