import ClientHTTP
import Foundation
import JSON
import SecurityChecksWire

/// The method `GET` of HTTP, for a request's `method`.
public let WLHttpMethodGet = "GET"
/// The method `POST` of HTTP, for a request's `method`.
public let WLHttpMethodPost = "POST"
/// The method `PUT` of HTTP, for a request's `method`.
public let WLHttpMethodPut = "PUT"
/// The method `DELETE` of HTTP, for a request's `method`.
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
    ///   - method: of HTTP, such as ``WLHttpMethodGet``.
    /// - Returns: nil without a URL or a method. A request gives up after 30 seconds.
    public convenience init?(url: URL?, method: String?) {
        self.init(session: .shared, url: url, method: method)
    }

    /// As ``init(url:method:)``, for a resource whose scope the app knows: that spares the first, refused request.
    public convenience init?(url: URL?, method: String?, scope: String?) {
        self.init(session: .shared, url: url, method: method, scope: scope)
    }

    /// As ``init(url:method:)``.
    ///
    /// - Parameter timeout: seconds for each request; 30 where it is not above 0.
    public convenience init?(url: URL?, method: String?, timeout: TimeInterval) {
        self.init(session: .shared, url: url, method: method, timeout: timeout)
    }

    /// As ``init(url:method:)``, for a resource whose scope the app knows.
    ///
    /// - Parameter timeout: seconds for each request; 30 where it is not above 0.
    public convenience init?(url: URL?, method: String?, timeout: TimeInterval, scope: String?) {
        self.init(session: .shared, url: url, method: method, timeout: timeout, scope: scope)
    }

    /// The URL that the request was made with, without the parameters of ``queryString``.
    public var url: URL! { call.url }
    /// The HTTP method, in capitals.
    public var method: String! { call.method }
    /// Seconds for each request that is sent, 30 at first: tokens and repetitions have their own. Values not above 0
    /// are passed over.
    public var timeout: TimeInterval {
        get { call.timeout }
        set { if newValue > 0 { call.timeout = newValue } }
    }

    /// The parameters that were set, as they stand in the URL.
    public var queryString: String! { String.form(query.map { ($0.name, $0.value) }) }

    /// Sets a parameter of the query, in place of an earlier one of the name.
    ///
    /// - Parameter parameterValue: not percent-encoded; nil takes the parameter out.
    public func setQueryParameterValue(_ parameterValue: String!, forName name: String!) {
        guard let name else { return }
        query.removeAll { $0.name == name }
        if let parameterValue { query.append((name, parameterValue)) }
    }

    /// The names of the headers that were set, each once, as texts.
    public var headerNames: [Any]! {
        values.reduce(into: [String]()) { names, header in
            if !names.contains(where: { $0.lowercased() == header.name.lowercased() }) { names.append(header.name) }
        }
    }

    /// All values of a header, as texts; empty where there is none. The case of the name does not matter.
    public func headers(forName name: String!) -> [Any]! {
        values.filter { $0.name.lowercased() == name?.lowercased() }.map(\.value)
    }

    /// The first value; nil where there is none.
    public func header(forName name: String!) -> String! {
        values.first { $0.name.lowercased() == name?.lowercased() }?.value
    }

    /// Sets a header, in place of all its earlier values.
    ///
    /// - Parameter value: sent as its description; nil takes the header out.
    public func setHeaderValue(_ value: NSObject!, forName name: String!) {
        removeHeaders(forName: name)
        addHeaderValue(value, forName: name)
    }

    /// Adds a value to a header. Several are sent as one, with commas between them (RFC 9110, section 5.2). Does
    /// nothing without a name or value.
    public func addHeaderValue(_ value: NSObject!, forName name: String!) {
        guard let name, let value else { return }
        values.append((name, "\(value)"))
    }

    /// Takes a header out with all its values. The case of the name does not matter.
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
