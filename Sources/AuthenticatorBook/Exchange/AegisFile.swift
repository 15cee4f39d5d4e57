import Crypto
import Foundation
import OneTimePassword

/// The file of Aegis Authenticator, plain or encrypted (vault version 1; its `docs/vault.md`).
///
/// Encrypted, the contents are sealed by AES-256-GCM under a master key. The master key is sealed once for each way to
/// open it, in slots: those with a password derive their key by scrypt.
struct AegisFile: Decodable {
    struct SealParameters: Codable, Equatable {
        let nonce: String
        let tag: String
    }

    struct Slot: Codable, Equatable {
        static let password = 1

        let type: Int
        var uuid: String?
        let key: String
        let keyParameters: SealParameters
        var n: UInt64?
        var r: UInt64?
        var p: UInt64?
        var salt: String?

        enum CodingKeys: String, CodingKey {
            case type, uuid, key, n, r, p, salt
            case keyParameters = "key_params"
        }
    }

    private enum Contents {
        case plain(Database)
        case sealed(Data, [Slot], SealParameters)
    }

    private let contents: Contents

    /// - Throws: ``AccountFileError/notAegis(_:)``.
    init(reading data: Data) throws(AccountFileError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: data)
        } catch let error as AccountFileError {
            throw error
        } catch let error as DecodingError {
            throw .notAegis(error.place)
        } catch {
            throw .notAegis("it cannot be taken apart")
        }
    }

    private enum CodingKeys: String, CodingKey { case version, header, db }
    private enum HeaderKeys: String, CodingKey { case slots, params }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .version)
        guard version == 1 else { throw AccountFileError.notAegis("it is of version \(version), and 1 is known") }
        let header = try container.nestedContainer(keyedBy: HeaderKeys.self, forKey: .header)
        guard let slots = try header.decodeIfPresent([Slot].self, forKey: .slots) else {
            contents = .plain(try container.decode(Database.self, forKey: .db))
            return
        }
        let parameters = try header.decode(SealParameters.self, forKey: .params)
        guard let sealed = Data(base64Encoded: try container.decode(String.self, forKey: .db)) else {
            throw AccountFileError.notAegis("its contents are not Base64")
        }
        contents = .sealed(sealed, slots, parameters)
    }

    func contents(password: () throws -> [UInt8]?) throws -> AccountFile {
        switch contents {
        case .plain(let database): return try database.file()
        case .sealed(let sealed, let slots, let parameters):
            let slots = slots.filter { $0.type == Slot.password }
            guard !slots.isEmpty else {
                throw AccountFileError.notAegis("no password opens it, only the phone that wrote it")
            }
            guard let password = try password() else { throw AccountFileError.passwordNeeded }
            let key = try AegisCipher.masterKey(of: slots, password: password)
            let plain =
                try AegisCipher.open(sealed, parameters, key)
                ?? {
                    throw AccountFileError.damaged("its contents are not those that were sealed")
                }()
            do {
                return try JSONDecoder().decode(Database.self, from: plain).file()
            } catch let error as DecodingError {
                throw AccountFileError.damaged(error.place)
            }
        }
    }
}

extension DecodingError {
    /// Where in a document something is wrong, without what stands there, which may be a secret.
    fileprivate var place: String {
        let (context, what): (Context, String) =
            switch self {
            case .keyNotFound(let key, let context): (context, "\"\(key.stringValue)\" is missing")
            case .typeMismatch(_, let context): (context, "there is something of another type")
            case .valueNotFound(_, let context): (context, "there is nothing")
            case .dataCorrupted(let context): (context, "it is not JSON, or has an impossible value")
            @unknown default: (Context(codingPath: [], debugDescription: ""), "it cannot be taken apart")
            }
        let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        return path.isEmpty ? what : "at \(path), \(what)"
    }
}
