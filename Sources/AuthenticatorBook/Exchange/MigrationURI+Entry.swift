import Foundation
import OneTimePassword

extension MigrationURI {
    struct Fault: Error {
        let reason: String
    }

    /// One account in a migration. Numbers stand for words: 0 is "not said".
    struct Entry {
        private var secret: [UInt8] = []
        private var name = ""
        private var issuer = ""
        private var algorithm: UInt64 = 0
        private var digits: UInt64 = 0
        private var type: UInt64 = 0
        private var counter: UInt64 = 0

        private static let algorithms: [UInt64: OTPAlgorithm] = [0: .sha1, 1: .sha1, 2: .sha256, 3: .sha512]
        private static let digitCounts: [UInt64: Int] = [0: 6, 1: 6, 2: 8]

        init(_ bytes: ArraySlice<UInt8>) throws {
            var reader = ProtocolBufferReader(bytes)
            while let (field, value) = try reader.next() {
                switch (field, value) {
                case (1, .bytes(let bytes)): secret = Array(bytes)
                case (2, .bytes(let bytes)): name = String(decoding: bytes, as: UTF8.self)
                case (3, .bytes(let bytes)): issuer = String(decoding: bytes, as: UTF8.self)
                case (4, .number(let number)): algorithm = number
                case (5, .number(let number)): digits = number
                case (6, .number(let number)): type = number
                case (7, .number(let number)): counter = number
                default: continue
                }
            }
        }

        var label: String { [issuer, name].filter { !$0.isEmpty }.joined(separator: ": ") }

        var account: Result<OTPAuthURI, Fault> {
            let kind: OTPAuthURI.Kind
            switch type {
            case 0, 2: kind = .totp(period: 30)
            case 1:
                guard counter <= Int64.max else { return .failure(Fault(reason: "its counter is negative")) }
                kind = .hotp(counter: counter)
            default: return .failure(Fault(reason: "its kind is unknown"))
            }
            guard let algorithm = Self.algorithms[algorithm] else {
                return .failure(Fault(reason: "its algorithm is none of SHA1, SHA256 and SHA512"))
            }
            guard let digits = Self.digitCounts[digits] else {
                return .failure(Fault(reason: "it does not say how many digits its codes have"))
            }
            // The name repeats the issuer, as the label of a URI does.
            var name = name
            if !issuer.isEmpty, name.hasPrefix("\(issuer):") { name.removeFirst(issuer.count + 1) }
            do throws(OTPParameterError) {
                return .success(
                    try OTPAuthURI(
                        kind: kind, issuer: issuer, accountName: name, secret: secret, algorithm: algorithm,
                        digits: digits))
            } catch {
                return .failure(Fault(reason: "\(error)"))
            }
        }

        static func encoded(_ account: OTPAuthURI) -> Result<[UInt8], Fault> {
            var writer = ProtocolBufferWriter()
            writer.add(1, account.secret)
            writer.add(2, Array((account.issuer.map { "\($0):" } ?? "").utf8) + Array(account.accountName.utf8))
            if let issuer = account.issuer { writer.add(3, Array(issuer.utf8)) }
            guard let algorithm = algorithms.first(where: { $0.key > 0 && $0.value == account.algorithm })?.key else {
                return .failure(Fault(reason: "the form has no word for its algorithm"))
            }
            writer.add(4, algorithm)
            guard let digits = digitCounts.first(where: { $0.key > 0 && $0.value == account.digits })?.key else {
                return .failure(Fault(reason: "the form knows codes of 6 and 8 digits, and this has \(account.digits)"))
            }
            writer.add(5, digits)
            switch account.kind {
            case .totp(let period):
                guard period == 30 else {
                    return .failure(Fault(reason: "the form knows periods of 30 seconds, and this has \(period)"))
                }
                writer.add(6, 2)
            case .hotp(let counter):
                guard counter <= Int64.max else { return .failure(Fault(reason: "its counter is too large")) }
                writer.add(6, 1)
                writer.add(7, counter)
            }
            return .success(writer.bytes)
        }
    }
}
