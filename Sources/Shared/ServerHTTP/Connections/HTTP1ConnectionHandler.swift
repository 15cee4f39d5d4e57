import NIOCore
import NIOHTTP1

/// Keeps a connection of HTTP/1 to what servers must insist on, and tells ``ConnectionDeadlineHandler`` how far its requests are.
///
/// - A request without exactly one `Host`, or whose `Host` is no host of a URL, is refused with 400 (RFC 9112, section 3.2); before
///   HTTP/1.1 there may be none.
/// - A client that sends no body before it is asked for it (`Expect: 100-continue`) is asked for it at once (RFC 9110, section 10.1.1).
/// - The host of a target in the absolute form takes the place of the one in `Host` (``AbsoluteTarget``). What comes after this handler
///   would forget it. A target of no form that there is, and one with a fragment, is refused with 400.
/// - The connection ends after a request that says so, after one of HTTP/1.0, after one that is malformed, and after `CONNECT` or an
///   upgrade: nothing that follows would be read (RFC 9110, sections 7.8 and 9.3.6).
/// - A client of HTTP/1.0 may ask for more (`Connection: keep-alive`), and waits for the end all the same where the answer does not say
///   that it gets more (RFC 9112, section 9.3); an answer of no known length would have no end for it otherwise.
/// - It ends after an answer that goes out before its request has come to its end. A proxy that gives up the rest of such a body and
///   uses the connection again would have the next client's request taken for it (`docs/decisions/0397`).
///
/// It comes after the decoder.
final class HTTP1ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let deadlines: ConnectionDeadlineHandler
    private var begun = 0
    private var answered = 0
    private var isInBody = false
    /// The number of the answer that the connection ends with.
    private var last: Int?
    /// Everything else is ignored.
    private var isDeaf = false

    init(_ deadlines: ConnectionDeadlineHandler) {
        self.deadlines = deadlines
    }

    /// Whether the request that was read last is the only one that waits for its answer.
    var hasOneRequest: Bool { begun == answered + 1 }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDeaf else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            let fields = ConnectionFields(head.headers)
            guard fields.haveOneHost(in: head.version) else { return refuse(context, .invalidHeaderToken) }
            guard !head.uri.hasFragment else { return refuse(context, .invalidURL) }
            let needsNoResolving =
                head.uri.utf8.first == UInt8(ascii: "/") || head.uri == "*" || head.method == .CONNECT
            guard let part = needsNoResolving ? data : Self.resolvingTarget(of: head).map(wrapHead) else {
                return refuse(context, .invalidURL)
            }
            begun += 1
            isInBody = true
            if Self.endsConnection(head, fields) { last = last ?? begun }
            deadlines.requestBegan()
            if fields.waitForWord(in: head.version) {
                let word = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(word)), promise: nil)
            }
            return context.fireChannelRead(part)
        case .body: break
        case .end:
            isInBody = false
            isDeaf = last == begun
            deadlines.requestRead()
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError || error is RequestDeadlineError {
            // The answer to the request that is being read, or to what should have been one.
            last = last ?? (isInBody ? begun : begun + 1)
            isDeaf = true
            deadlines.ends()
        }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            let isEarly = isInBody && answered + 1 == begun && head.status.code >= 200
            if isEarly { last = last ?? begun }
            guard answered + 1 == last else { return context.write(data, promise: promise) }
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            answered += 1
            context.write(data, promise: promise)
            deadlines.answered()
            if answered == last {
                context.flush()
                // Our half alone: what the client still sends must not destroy the answer on its way.
                context.close(mode: .output, promise: nil)
            }
        default: context.write(data, promise: promise)
        }
    }

    private func refuse(_ context: ChannelHandlerContext, _ fault: HTTPParserError) {
        errorCaught(context: context, error: fault)
    }

    private func wrapHead(_ head: HTTPRequestHead) -> NIOAny { wrapInboundOut(.head(head)) }

    /// The head with a path for its target; nil where the target is not the address of a server.
    private static func resolvingTarget(of head: HTTPRequestHead) -> HTTPRequestHead? {
        guard let absolute = AbsoluteTarget(head.uri) else { return nil }
        var head = head
        head.uri = String(absolute.origin)
        head.headers.replaceOrAdd(name: "Host", value: String(absolute.authority))
        return head
    }

    private static func endsConnection(_ head: HTTPRequestHead, _ fields: ConnectionFields) -> Bool {
        head.method == .CONNECT || fields.hasUpgrade || !head.isKeepAlive || head.version.minor == 0
    }
}

/// What the fields of a request say of its connection, read in one walk.
private struct ConnectionFields {
    private var hosts = 0
    private var isHostValid = true
    /// The first `Expect`.
    private var expectation: String?
    private(set) var hasUpgrade = false

    init(_ headers: HTTPHeaders) {
        for (name, value) in headers {
            switch name.utf8.count {
            case 4 where name.isFieldName("host"):
                hosts += 1
                if !value.isAuthority { isHostValid = false }
            case 6 where name.isFieldName("expect"): expectation = expectation ?? value
            case 7 where name.isFieldName("upgrade"): hasUpgrade = true
            default: break
            }
        }
    }

    func haveOneHost(in version: HTTPVersion) -> Bool {
        isHostValid && (hosts == 1 || (hosts == 0 && version.minor == 0))
    }

    func waitForWord(in version: HTTPVersion) -> Bool {
        version.minor > 0 && expectation?.lowercased() == "100-continue"
    }
}

extension String {
    /// Whether this is the host of a URL with or without a port, or nothing (RFC 9110, section 7.2; RFC 3986, section 3.2).
    fileprivate var isAuthority: Bool {
        let (colon, opens, closes) = (UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"))
        var port = utf8[...]
        if port.first == opens {
            guard let end = port.firstIndex(of: closes) else { return false }
            let address = port[..<end].dropFirst()
            guard !address.isEmpty, address.allSatisfy({ $0 == colon || $0.isOfHost }) else { return false }
            port = port[end...].dropFirst()
        } else {
            port = port.drop(while: \.isOfHost)
        }
        return port.isEmpty || (port.first == colon && port.dropFirst().allSatisfy { (48...57).contains($0) })
    }
}

extension UInt8 {
    /// Unreserved characters, sub-delimiters and the percent sign (RFC 3986, sections 2.1 to 2.3).
    fileprivate var isOfHost: Bool {
        switch self {
        case 48...57, 65...90, 97...122: true
        default: "-._~%!$&'()*+,;=".utf8.contains(self)
        }
    }
}
