import CountersignCore
import Foundation

/// What is kept as JSON text inside a row, the same text for the same value. Instants are microseconds since 1970, as they are in
/// columns.
enum Document {
    static func encode(_ value: some StoredJSON) throws -> SQLValue {
        var json = JSONWriter()
        try value.write(to: &json)
        return SQLValue(String(decoding: json.bytes, as: UTF8.self))
    }

    /// The same of details, as each event of the log has them: without asking at run time what their values are.
    static func encode(_ details: [String: JSONValue]) throws -> SQLValue {
        var json = JSONWriter()
        try json.write(details)
        return SQLValue(String(decoding: json.bytes, as: UTF8.self))
    }

    static func decode<T: StoredJSON>(_ type: T.Type, from text: String) throws -> T {
        try T(stored: text.utf8)
    }
}

/// What the column `evidence` holds of a session. Rows of before version 12 have more members, which are the grant's.
struct SessionDocument: StoredJSON {
    var dialect: Dialect
    var proofs: [Proof]

    init(dialect: Dialect, proofs: [Proof]) {
        self.dialect = dialect
        self.proofs = proofs
    }

    init(from json: inout JSONReader) throws {
        var (dialect, proofs): (Dialect?, [Proof]?)
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "dialect": dialect = Dialect(rawValue: try json.string())
            case "proofs": proofs = try [Proof](inColumn: &json)
            default: try json.skip()
            }
        }
        guard let dialect, let proofs else { throw json.malformed("no dialect or no proofs") }
        self.init(dialect: dialect, proofs: proofs)
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        json.name("dialect")
        json.write(dialect.rawValue)
        json.name("proofs")
        try proofs.write(toColumn: &json)
        json.endObject()
    }
}

extension [Proof] {
    fileprivate init(inColumn json: inout JSONReader) throws {
        self = []
        try json.beginArray()
        while try json.nextElement() {
            append(try Proof(from: &json) { Date(microseconds: try $0.integer()) })
        }
    }

    fileprivate func write(toColumn json: inout JSONWriter) throws {
        json.beginArray()
        for proof in self { try proof.write(to: &json) { $1.write($0.microseconds) } }
        json.endArray()
    }
}

/// What the column `terms` holds of a grant. Rows of before version 12 have `proofs` too, which are the session's.
struct GrantDocument: StoredJSON {
    var dialect: Dialect
    var terms: GrantTerms
    var proven: [Proof]?
    /// There where it is true.
    var endedByApplication = false

    init(dialect: Dialect, terms: GrantTerms, proven: [Proof]? = nil, endedByApplication: Bool = false) {
        self.dialect = dialect
        self.terms = terms
        self.proven = proven
        self.endedByApplication = endedByApplication
    }

    init(from json: inout JSONReader) throws {
        var dialect: Dialect?
        terms = GrantTerms()
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "dialect": dialect = Dialect(rawValue: try json.string())
            case "endedByApplication": endedByApplication = try json.bool()
            case "scopes": terms.scopes = json.isNull() ? [] : try [String](from: &json)
            case "details": terms.details = json.isNull() ? [:] : try json.object()
            case "audiences": terms.audiences = json.isNull() ? [] : try [String](from: &json)
            case "proven": proven = json.isNull() ? nil : try [Proof](inColumn: &json)
            default: try json.skip()
            }
        }
        guard let dialect else { throw json.malformed("no dialect") }
        self.dialect = dialect
        terms.takeAudienceOfDetails()
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        if !terms.audiences.isEmpty {
            json.name("audiences")
            try terms.audiences.write(to: &json)
        }
        json.name("details")
        try json.write(terms.details)
        json.name("dialect")
        json.write(dialect.rawValue)
        if endedByApplication {
            json.name("endedByApplication")
            json.write(true)
        }
        if let proven {
            json.name("proven")
            try proven.write(toColumn: &json)
        }
        json.name("scopes")
        try terms.scopes.write(to: &json)
        json.endObject()
    }
}
