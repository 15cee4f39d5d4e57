import Foundation
import OneTimePassword

extension AegisFile {
    /// What is inside, once it is open. Versions 1 to 3 differ in groups and icons, which are not taken.
    struct Database: Decodable {
        private let version: Int
        private let entries: [Lenient]

        private enum CodingKeys: String, CodingKey { case version, entries }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            version = try container.decode(Int.self, forKey: .version)
            guard (1...3).contains(version) else {
                throw AccountFileError.notAegis("its contents are of version \(version), and 1 to 3 are known")
            }
            entries = try container.decode([Lenient].self, forKey: .entries)
        }

        /// - Throws: ``AccountFileError/tooManyEntries``.
        func file() throws(AccountFileError) -> AccountFile {
            guard entries.count <= AccountFile.entryLimit else { throw .tooManyEntries }
            var file = AccountFile()
            for (index, entry) in entries.enumerated() {
                switch entry.value {
                case .success(let entry):
                    switch entry.account {
                    case .success(let uri): file.accounts.append(uri)
                    case .failure(let fault): file.leftOut.append(.init(name: entry.label, reason: fault.reason))
                    }
                case .failure:
                    file.leftOut.append(.init(name: "entry \(index + 1)", reason: "it cannot be taken apart"))
                }
            }
            return file
        }
    }

    /// One broken entry does not take the others with it.
    private struct Lenient: Decodable {
        let value: Result<Entry, any Error>

        init(from decoder: any Decoder) throws {
            value = Result { try Entry(from: decoder) }
        }
    }

    struct Entry: Codable {
        struct Info: Codable {
            let secret: String
            var algo: String?
            var digits: Int?
            var period: Int?
            var counter: UInt64?
        }

        let type: String
        var uuid: String?
        var name: String?
        var issuer: String?
        var note: String?
        var favorite: Bool?
        let info: Info
        var groups: [String]?
    }

    struct Fault: Error {
        let reason: String
    }
}

extension AegisFile.Entry {
    /// - Parameter uuid: of the entry alone; nothing of ours.
    init(_ uri: OTPAuthURI, uuid: UUID) {
        let (type, period, counter): (String, Int?, UInt64?) =
            switch uri.kind {
            case .totp(let period): ("totp", period, nil)
            case .hotp(let counter): ("hotp", nil, counter)
            }
        self.type = type
        self.uuid = uuid.uuidString.lowercased()
        name = uri.accountName
        issuer = uri.issuer ?? ""
        note = ""
        favorite = false
        groups = []
        info = Info(
            secret: Base32.encode(uri.secret), algo: uri.algorithm.rawValue, digits: uri.digits, period: period,
            counter: counter)
    }

    var label: String {
        [issuer, name].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ": ")
    }

    var account: Result<OTPAuthURI, AegisFile.Fault> {
        let kind: OTPAuthURI.Kind
        switch type {
        case "totp": kind = .totp(period: info.period ?? 30)
        case "hotp":
            guard let counter = info.counter else { return .failure(.init(reason: "it has no counter")) }
            kind = .hotp(counter: counter)
        case "steam", "yandex", "motp":
            return .failure(.init(reason: "codes of the kind \(type) are not made here"))
        default: return .failure(.init(reason: "its kind is unknown"))
        }
        guard let algorithm = OTPAlgorithm(name: info.algo ?? "SHA1") else {
            return .failure(.init(reason: "its algorithm is none of SHA1, SHA256 and SHA512"))
        }
        do {
            return .success(
                try OTPAuthURI(
                    kind: kind, issuer: issuer, accountName: name ?? "", secret: try Base32.decode(info.secret),
                    algorithm: algorithm, digits: info.digits ?? 6))
        } catch {
            return .failure(.init(reason: "\(error)"))
        }
    }
}
