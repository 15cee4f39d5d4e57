import Foundation

/// Where clients reach the servers of a store, as the server that started last said: for links that a command prints.
public struct PublicAddress: Sendable, Codable, Equatable {
    private static let document = "public-address"

    /// Without a slash at its end.
    public let url: String
    /// Whether an operator said so; otherwise it is where that server listened.
    public let isConfigured: Bool

    /// An address that a starting server has.
    public init(url: String, isConfigured: Bool) {
        self.url = url
        self.isConfigured = isConfigured
    }

    static func read(_ transaction: any StoreTransaction) throws -> PublicAddress? {
        // A later version may write it in another shape, and what is printed has a default.
        try transaction.document(document).flatMap { try? PublicAddress(stored: $0) }
    }

    fileprivate func put(in transaction: any StoreTransaction) throws {
        try transaction.putDocument(Self.document, stored)
    }
}

extension PublicAddress: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var url: String?
        var isConfigured: Bool?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "url": url = try json.read()
            case "isConfigured": isConfigured = try json.read()
            default: try json.skip()
            }
        }
        self.init(
            url: try json.required(url, "url"), isConfigured: try json.required(isConfigured, "isConfigured"))
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("isConfigured", isConfigured)
        try json.write("url", url)
        json.endObject()
    }
}

extension Realm {
    /// Where clients reach the servers; nil where none has started yet.
    public func publicAddress() async throws -> PublicAddress? {
        try await store.read { try PublicAddress.read($0) }
    }

    /// Remembers where clients reach the servers and, where it is given, how a server was started. Writes only what is new, and both
    /// at once.
    public func note(_ address: PublicAddress, _ deployment: Deployment? = nil) async throws {
        let (known, before) = try await store.read {
            (try PublicAddress.read($0), deployment == nil ? nil : try Deployment.read($0))
        }
        let isMoved = known != address
        let change = deployment == before ? nil : deployment
        guard isMoved || change != nil else { return }
        try await store.write { transaction in
            // In the order of their names, as all writers lock documents.
            try change?.put(in: transaction)
            if isMoved { try address.put(in: transaction) }
        }
    }
}
