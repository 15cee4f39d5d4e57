import NIOCore
import NIOPosix

/// The mail server of the measured server: takes every mail, and puts its code into the mailbox. It knows as much of
/// SMTP (RFC 5321) as the sender needs, and has a thread of its own.
final class MailSink: Sendable {
    let mailboxes = Mailboxes()
    let port: Int
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel

    init() async throws {
        let mailboxes = mailboxes
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(MailSession(mailboxes))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func close() async throws {
        try await channel.close()
        try await group.shutdownGracefully()
    }
}

/// One connection, on which one mail comes after another.
private final class MailSession: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let mailboxes: Mailboxes
    private var input = ByteBuffer()
    private var recipient = ""
    private var code: String?
    private var isReadingMail = false

    init(_ mailboxes: Mailboxes) { self.mailboxes = mailboxes }

    func channelActive(context: ChannelHandlerContext) { say("220 bench", context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        input.writeBuffer(&part)
        while let line = nextLine() { take(line, context) }
        input.discardReadBytes()
    }

    private func nextLine() -> String? {
        let bytes = input.readableBytesView
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = input.readString(length: end - bytes.startIndex + 1) ?? ""
        return String(line.dropLast(line.hasSuffix("\r\n") ? 1 : 0).filter { $0 != "\n" && $0 != "\r\n" })
    }

    private func take(_ line: String, _ context: ChannelHandlerContext) {
        if isReadingMail { return read(line, context) }
        let word = line.prefix(4).uppercased()
        switch word {
        case "EHLO": say("250-bench\r\n250 8BITMIME", context)
        case "RCPT":
            recipient = line.split(whereSeparator: { "<>".contains($0) }).dropFirst().first.map(String.init) ?? ""
            say("250 OK", context)
        case "DATA":
            isReadingMail = true
            code = nil
            say("354 Go on", context)
        case "QUIT":
            say("221 Bye", context)
            context.close(promise: nil)
        default: say("250 OK", context)
        }
    }

    /// A line of the mail. The subject has the code.
    private func read(_ line: String, _ context: ChannelHandlerContext) {
        guard line != "." else {
            isReadingMail = false
            // The sender is told first, as it would be by a server that is further away than the reader.
            say("250 OK", context)
            if let code { mailboxes.put(code, for: recipient) }
            return
        }
        if line.hasPrefix("Subject: ") {
            code = line.split(separator: " ").map(String.init).first {
                $0.utf8.count == 8 && $0.utf8.allSatisfy { (48...57).contains($0) }
            }
        }
    }

    private func say(_ line: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: line + "\r\n")), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
