import Foundation

/// How the servers of a store were started, as the one that started last said: for what depends on more than the settings in the
/// database, such as whether connections are encrypted.
public struct Deployment: Sendable, Codable, Equatable {
    private static let document = "deployment"

    /// A value that an operator gave before the start, or its default.
    public struct Value: Sendable, Codable, Equatable {
        /// Where a value comes from; the first counts most.
        public enum Source: String, Sendable, Codable, CaseIterable {
            /// The command line.
            case flag
            /// A variable of the environment.
            case environment
            /// The configuration file.
            case file
            /// The default: nothing was written.
            case standard
        }

        /// As in a configuration file: `tls.certificate`.
        public let key: String
        /// As it was written; nil where it is a secret, or where nothing was written.
        public let text: String?
        /// Where the value comes from.
        public let source: Source
        /// The name that the operator wrote, or would write: `--tls-certificate`, `COUNTERSIGN_DEV`, `dev in /etc/countersign.yaml`.
        public let place: String

        /// A value of a key.
        public init(key: String, text: String?, source: Source, place: String) {
            self.key = key
            self.text = text
            self.source = source
            self.place = place
        }
    }

    /// How mails leave the server.
    public enum Mail: String, Sendable, Codable, CaseIterable {
        /// They stay in the outbox.
        case none
        /// Encrypted, or to a relay on the same machine.
        case encrypted
        /// In the clear, to another machine.
        case plain
    }

    /// Whether the server was started for development.
    public var isDevelopment: Bool
    /// Whether every address that clients use is `https`, or reaches no further than this machine.
    public var isEncrypted: Bool
    /// How mails leave the server.
    public var mail: Mail
    /// KiB that one password hash takes, and how often it goes over them (RFC 9106, section 3.1).
    public var hashMemory: Int
    /// How often a password hash goes over its memory.
    public var hashPasses: Int
    /// Every key, in the order of the documentation.
    public var values: [Value]

    /// What a server says of its start.
    public init(
        isDevelopment: Bool, isEncrypted: Bool, mail: Mail, hashMemory: Int, hashPasses: Int, values: [Value] = []
    ) {
        self.isDevelopment = isDevelopment
        self.isEncrypted = isEncrypted
        self.mail = mail
        self.hashMemory = hashMemory
        self.hashPasses = hashPasses
        self.values = values
    }
}

extension Deployment {
    /// Whether mails leave the server; nil under `--dev`, where the developer inbox has them.
    public var hasMailServer: Bool? { isDevelopment ? nil : mail != Mail.none }

    static func read(_ transaction: any StoreTransaction) throws -> Deployment? {
        // A later version may write it in another shape.
        try transaction.document(document).flatMap { try? Deployment(stored: $0) }
    }

    func put(in transaction: any StoreTransaction) throws {
        try transaction.putDocument(Self.document, stored)
    }
}

extension Deployment: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var isDevelopment, isEncrypted: Bool?
        var mail: Mail?
        var hashMemory, hashPasses: Int?
        var values: [Value]?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "isDevelopment": isDevelopment = try json.read()
            case "isEncrypted": isEncrypted = try json.read()
            case "mail": mail = try json.read()
            case "hashMemory": hashMemory = try json.read()
            case "hashPasses": hashPasses = try json.read()
            case "values": values = try json.read()
            default: try json.skip()
            }
        }
        self.init(
            isDevelopment: try json.required(isDevelopment, "isDevelopment"),
            isEncrypted: try json.required(isEncrypted, "isEncrypted"), mail: try json.required(mail, "mail"),
            hashMemory: try json.required(hashMemory, "hashMemory"),
            hashPasses: try json.required(hashPasses, "hashPasses"), values: try json.required(values, "values"))
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("hashMemory", hashMemory)
        try json.write("hashPasses", hashPasses)
        try json.write("isDevelopment", isDevelopment)
        try json.write("isEncrypted", isEncrypted)
        try json.write("mail", mail)
        try json.write("values", values)
        json.endObject()
    }
}

extension Deployment.Value: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var key, text, place: String?
        var source: Source?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "key": key = try json.read()
            case "text": text = try json.readOptional()
            case "source": source = try json.read()
            case "place": place = try json.read()
            default: try json.skip()
            }
        }
        self.init(
            key: try json.required(key, "key"), text: text, source: try json.required(source, "source"),
            place: try json.required(place, "place"))
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("key", key)
        try json.write("place", place)
        try json.write("source", source)
        try json.write("text", optional: text)
        json.endObject()
    }
}

extension Deployment.Mail: StoredJSON {}
extension Deployment.Value.Source: StoredJSON {}

extension Realm {
    /// How the servers were started; nil where none has started yet.
    public func deployment() async throws -> Deployment? {
        try await store.read { try Deployment.read($0) }
    }
}
