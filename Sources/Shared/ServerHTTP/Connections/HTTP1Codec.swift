import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Turns requests of HTTP/1 into what requests of every version are, and answers back.
///
/// It does what `HTTP1ToHTTPServerCodec` of swift-nio-extras does, which takes each target apart as a URL, although only one in the absolute
/// form has parts, and adds each field by generic code (``HTTPTypes/HTTPFields/add(_:_:)``). It comes after ``HTTP1ConnectionHandler``,
/// which has made paths of such targets.
///
/// Where the server shuts down, it closes a connection that has nothing under way, and others after their last answer, as Hummingbird's
/// `HTTPConnectionStateHandler` does; idle connections are ``ConnectionDeadlineHandler``'s.
final class HTTP1Codec: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Requests that were read and are not answered.
    private var due = 0
    private var isQuiescing = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard let request = HTTPRequest(received: head) else {
                return context.fireErrorCaught(HTTPParserError.invalidMethod)
            }
            due += 1
            context.fireChannelRead(wrapInboundOut(.head(request)))
        case .body(let body): context.fireChannelRead(wrapInboundOut(.body(body)))
        case .end(let trailers):
            var host: String?
            context.fireChannelRead(wrapInboundOut(.end(trailers.map { HTTPFields(received: $0, apart: &host) })))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let response):
            context.write(wrapOutboundOut(.head(HTTPResponseHead(sent: response))), promise: promise)
        case .body(let body): context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: promise)
        case .end(let trailers):
            context.write(wrapOutboundOut(.end(trailers.map { HTTPHeaders(sent: $0) })), promise: promise)
            due -= 1
            guard due == 0, isQuiescing else { return }
            context.flush()
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        isQuiescing = true
        if due == 0 { context.close(promise: nil) }
    }
}

// MARK: Requests

extension HTTPRequest {
    /// Nil where the method is no token (RFC 9110, section 9.1), which the parser does not let through.
    init?(received head: HTTPRequestHead) {
        guard let method = Method(received: head.method) else { return nil }
        var host: String?
        let fields = HTTPFields(received: head.headers, apart: &host)
        self.init(method: method, scheme: "http", authority: host, path: head.uri, headerFields: fields)
    }
}

extension HTTPRequest.Method {
    fileprivate init?(received method: HTTPMethod) {
        switch method {
        case .GET: self = .get
        case .POST: self = .post
        case .PUT: self = .put
        case .PATCH: self = .patch
        case .DELETE: self = .delete
        case .HEAD: self = .head
        case .OPTIONS: self = .options
        default: self.init(method.rawValue)
        }
    }
}

extension HTTPField.Name {
    /// Names that requests often have, in the spelling of their standards and in lower case, by their length: most names need neither be
    /// judged nor put into lower case.
    private static let often: [[(text: String, name: HTTPField.Name)]] = {
        let names = [
            "Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control", "Connection",
            "Content-Length", "Content-Type", "Cookie", "DPoP", "Forwarded", "If-None-Match", "Origin", "Referer",
            "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "traceparent", "tracestate", "User-Agent",
            "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "X-Request-Id",
        ]
        var often: [[(text: String, name: HTTPField.Name)]] = []
        for text in Set(names + names.map { $0.lowercased() }) {
            let count = text.utf8.count
            if count >= often.count { often += Array(repeating: [], count: count + 1 - often.count) }
            often[count].append((text, .known(text)))
        }
        return often
    }()

    /// Nil where the text is no name (RFC 9110, section 5.1).
    fileprivate init?(received text: String) {
        let count = text.utf8.count
        if count < Self.often.count, let known = Self.often[count].first(where: { $0.text == text }) {
            self = known.name
        } else {
            self.init(text)
        }
    }
}

extension HTTPFields {
    /// - Parameter host: the first field `Host`, which is none of these.
    fileprivate init(received headers: HTTPHeaders, apart host: inout String?) {
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            if host == nil, name.isFieldName("host") {
                host = value
            } else if let name = HTTPField.Name(received: name) {
                add(name, value)
            }
        }
    }
}

// MARK: Answers

extension HTTPResponseHead {
    fileprivate init(sent response: HTTPResponse) {
        self.init(
            version: .http1_1,
            status: HTTPResponseStatus(
                statusCode: response.status.code, reasonPhrase: response.status.reasonPhrase),
            headers: HTTPHeaders(sent: response.headerFields))
    }
}

extension HTTPHeaders {
    fileprivate init(sent fields: HTTPFields) {
        var headers: [(String, String)] = []
        // One more may be added: `Connection`.
        headers.reserveCapacity(fields.count + 1)
        for field in fields { headers.append((field.name.rawName, field.value)) }
        self.init(headers)
    }
}
