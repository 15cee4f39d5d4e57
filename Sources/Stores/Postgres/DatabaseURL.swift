import CLateLibraries
import CPostgres
import CountersignCore
import Foundation

/// Where the database is, and how a connection to it is made: libpq's keywords and values (manual, section 34.1.2).
///
/// It holds a password, prints as nothing, and never goes into an error: libpq quotes the whole URL where it does not
/// understand it.
struct DatabaseURL: Sendable {
    private let text: Secret<String>
    private let names: Set<String>
    private let isLocal: Bool

    /// - Parameter text: `postgres://user:password@host:port/database?sslmode=verify-full`, or anything else that libpq
    ///   takes. What it leaves out comes from the environment (`PGPASSWORD`, `PGSSLMODE`, …) and `~/.pgpass`.
    /// - Throws: `StoreError` of code `unavailable`, without a word of the URL.
    init(_ text: Secret<String>) throws {
        self.text = text
        let named = try Self.options(of: text.reveal())
        let host = named["host"] ?? named["hostaddr"] ?? ""
        // A password with a bare "@" or "/" ends there, and its rest would be taken for a host, a port or a database, and
        // be logged as that.
        let isPlain = (named["port"] ?? "").allSatisfy { $0 == "," || $0.isASCII && $0.isNumber }
        guard isPlain, !host.dropFirst().contains("@"), !(named["dbname"] ?? "").contains("@") else {
            throw Self.refusal
        }
        names = Set(named.keys)
        isLocal = host.split(separator: ",").allSatisfy { host in
            host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host.hasPrefix("127.") || host == "::1"
        }
    }

    /// What to give to `PQconnectdbParams`, whose later values replace earlier ones: first what the URL may change,
    /// then the URL, then what has to be so.
    func parameters(connectTimeout: Duration, environment: [String: String]) -> [(name: String, value: String)] {
        var result = [
            ("fallback_application_name", "countersign"),
            ("connect_timeout", "\(max(2, connectTimeout.components.seconds))"),
            // A server that vanishes is noticed in half a minute, not in two hours.
            ("keepalives", "1"), ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "15000"),
        ]
        // libpq's own default, `prefer`, falls back to plain text if an attacker on the network claims that there is no
        // TLS.
        let saysHow = names.contains("service") || environment["PGSSLMODE"] != nil || environment["PGSERVICE"] != nil
        let isElsewhere = names.contains("host") || names.contains("hostaddr") ? !isLocal : environment["PGHOST"] != nil
        if isElsewhere, !saysHow { result.append(("sslmode", "require")) }
        result.append(("dbname", text.reveal()))
        result.append(("client_encoding", "UTF8"))
        return result
    }

    private static var refusal: StoreError {
        StoreError(
            .unavailable,
            """
            the database URL is not understood; it reads postgres://USER:PASSWORD@HOST:PORT/DATABASE, with letters that \
            mean something in URLs as %XX
            """)
    }

    private static func options(of text: String) throws -> [String: String] {
        // Anything that is neither would be the name of a database.
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") || text.contains("="),
            !text.utf8.contains(0)
        else { throw refusal }
        // The first that calls libpq, whatever is done with the database.
        if let fault = countersign_open_libpq() {
            throw StoreError(.unavailable, "PostgreSQL's client library cannot be opened: \(String(cString: fault))")
        }
        var message: UnsafeMutablePointer<CChar>?
        let list = PQconninfoParse(text, &message)
        PQfreemem(message)
        guard let list else { throw refusal }
        defer { PQconninfoFree(list) }
        var result: [String: String] = [:]
        var next = list
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val { result[String(cString: keyword)] = String(cString: value) }
            next = next.successor()
        }
        return result
    }
}
