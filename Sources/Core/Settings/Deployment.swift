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
    static func read(_ transaction: any StoreTransaction) throws -> Deployment? {
        // A later version may write it in another shape.
        try transaction.document(document).flatMap { try? JSONDecoder().decode(Deployment.self, from: $0) }
    }

    func put(in transaction: any StoreTransaction) throws {
        try transaction.putDocument(Self.document, JSONEncoder().encode(self))
    }
}

extension Realm {
    /// How the servers were started; nil where none has started yet.
    public func deployment() async throws -> Deployment? {
        try await store.read { try Deployment.read($0) }
    }
}
