import ClientHTTP
import Foundation
import JSON
import SecurityChecksWire

public let WLHttpMethodGet = "GET"
public let WLHttpMethodPost = "POST"
public let WLHttpMethodPut = "PUT"
public let WLHttpMethodDelete = "DELETE"

/// A request for a resource that security checks may guard: gets the tokens that it needs, and has the app's handlers
/// asked. Source: MobileFirst client API reference.
///
/// Any 2xx is success; otherwise the completion has an error, and with it the answer where there was one. Completions come
/// on a queue of their own unless one is given.
public final class WLResourceRequest: NSObject {
    let session: SecuritySession
    var call: ResourceCall
    private var values: [(name: String, value: String)] = []
    private var query: [(name: String, value: String)] = []

    package init?(
        session: SecuritySession, url: URL?, method: String?, timeout: TimeInterval = 30, scope: String? = nil
    ) {
        guard let url, let method, !method.isEmpty else { return nil }
        self.session = session
        call = ResourceCall(
            method: method.uppercased(), url: url, timeout: timeout > 0 ? timeout : 30, scope: scope.map(Scope.init))
    }

    /// - Parameters:
    ///   - url: below the server's `api`, such as `/adapters/ResourceAdapter/balance`, or absolute. To an absolute one the
    ///     token goes that its server asks for: name only servers that may have it.
    ///   - scope: what the resource asks for, where the app knows: that spares a request.
    ///   - timeout: seconds for each request.
    public convenience init?(url: URL?, method: String?) {
        self.init(session: .shared, url: url, method: method)
    }

    public convenience init?(url: URL?, method: String?, scope: String?) {
        self.init(session: .shared, url: url, method: method, scope: scope)
    }

    public convenience init?(url: URL?, method: String?, timeout: TimeInterval) {
        self.init(session: .shared, url: url, method: method, timeout: timeout)
    }

    public convenience init?(url: URL?, method: String?, timeout: TimeInterval, scope: String?) {
        self.init(session: .shared, url: url, method: method, timeout: timeout, scope: scope)
    }

    public var url: URL! { call.url }
    public var method: String! { call.method }
    public var timeout: TimeInterval {
        get { call.timeout }
        set { if newValue > 0 { call.timeout = newValue } }
    }

    /// The parameters that were set, as they stand in the URL.
    public var queryString: String! { String.form(query.map { ($0.name, $0.value) }) }

    public func setQueryParameterValue(_ parameterValue: String!, forName name: String!) {
        guard let name else { return }
        query.removeAll { $0.name == name }
        if let parameterValue { query.append((name, parameterValue)) }
    }

    public var headerNames: [Any]! {
        values.reduce(into: [String]()) { names, header in
            if !names.contains(where: { $0.lowercased() == header.name.lowercased() }) { names.append(header.name) }
        }
    }

    public func headers(forName name: String!) -> [Any]! {
        values.filter { $0.name.lowercased() == name?.lowercased() }.map(\.value)
    }

    /// The first value; nil where there is none.
    public func header(forName name: String!) -> String! {
        values.first { $0.name.lowercased() == name?.lowercased() }?.value
    }

    public func setHeaderValue(_ value: NSObject!, forName name: String!) {
        removeHeaders(forName: name)
        addHeaderValue(value, forName: name)
    }

    public func addHeaderValue(_ value: NSObject!, forName name: String!) {
        guard let name, let value else { return }
        values.append((name, "\(value)"))
    }

    public func removeHeaders(forName name: String!) {
        values.removeAll { $0.name.lowercased() == name?.lowercased() }
    }

    /// As it is now, with a body where the method has one. Source: MobileFirst client API reference.
    func call(_ body: RequestBody) throws -> ResourceCall {
        var call = call
        for (name, value) in values {
            let key = call.headers.keys.first { $0.lowercased() == name.lowercased() } ?? name
            call.headers[key] = call.headers[key].map { "\($0), \(value)" } ?? value
        }
        if let query = queryString, !query.isEmpty {
            let text = call.url.absoluteString
            guard let url = URL(string: text + (call.url.query == nil ? "?" : "&") + query) else {
                throw WLError(.illegalArgument, "The request's URL is not valid.")
            }
            call.url = url
        }
        if ["POST", "PUT", "PATCH"].contains(call.method), let (data, type) = try body.content() {
            call.body = data
            if header(forName: "Content-Type") == nil { call.headers["Content-Type"] = type }
        }
        return call
    }
}

/// What a request carries.
enum RequestBody {
    case none
    case text(String)
    case form([AnyHashable: Any])
    case json([AnyHashable: Any])
    case data(Data)

    func content() throws -> (Data, type: String)? {
        switch self {
        case .none: return nil
        case .text(let text): return (Data(text.utf8), "text/plain; charset=utf-8")
        case .data(let data): return (data, "application/octet-stream")
        case .form(let fields):
            let pairs = fields.map { (name: "\($0.key.base)", value: "\($0.value)" as String?) }
            return (
                Data(String.form(pairs.sorted { $0.name < $1.name }).utf8), "application/x-www-form-urlencoded"
            )
        case .json(let members):
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return (try encoder.encode(JSONValue(foundation: members)), "application/json; charset=utf-8")
        }
    }
}
