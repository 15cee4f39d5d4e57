import Foundation
import OneTimePassword

/// `otpauth-migration://offline?data=…`: how Google Authenticator hands accounts on, in one QR code or several. The data is a
/// protocol buffer, whose fields are known from what others read.
public enum MigrationURI {
    static let scheme = "otpauth-migration://"
    /// As many as Google Authenticator puts into one QR code.
    public static let accountsPerPart = 10

    /// One QR code.
    struct Part {
        var accounts: [OTPAuthURI] = []
        var leftOut: [AccountFile.LeftOut] = []
        /// How many there are, which of them this is, from 0, and what tells batches apart.
        var batchSize: UInt64 = 1
        var batchIndex: UInt64 = 0
        var batchID: UInt64 = 0
    }

    static func isOne(_ text: some StringProtocol) -> Bool {
        text.prefix(scheme.count).lowercased() == scheme
    }

    static func read(_ text: String) throws(AccountFileError) -> Part {
        guard text.utf8.count <= 1 << 20 else { throw .badMigration("it is too long") }
        guard let query = text.split(separator: "?", maxSplits: 1).dropFirst().first,
            let data = query.split(separator: "&").first(where: { $0.hasPrefix("data=") })?.dropFirst(5)
        else { throw .badMigration("it has no data") }
        guard let payload = bytes(ofEncoded: data) else { throw .badMigration("its data is not Base64") }
        do {
            return try part(payload)
        } catch {
            throw .badMigration("its data is cut off or damaged")
        }
    }

    /// Base64, percent-encoded or not, in either alphabet; a `+` that a form turned into a space is one again.
    private static func bytes(ofEncoded text: Substring) -> [UInt8]? {
        guard var base64 = text.removingPercentEncoding else { return nil }
        base64 = base64.replacing(" ", with: "+").replacing("-", with: "+").replacing("_", with: "/")
        while base64.hasSuffix("=") { base64.removeLast() }
        base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: base64), !data.isEmpty else { return nil }
        return Array(data)
    }

    private static func part(_ payload: [UInt8]) throws -> Part {
        var part = Part()
        var reader = ProtocolBufferReader(payload[...])
        while let (field, value) = try reader.next() {
            switch (field, value) {
            case (1, .bytes(let bytes)):
                let entry = try Entry(bytes)
                switch entry.account {
                case .success(let uri): part.accounts.append(uri)
                case .failure(let fault): part.leftOut.append(.init(name: entry.label, reason: fault.reason))
                }
            case (3, .number(let size)): part.batchSize = size
            case (4, .number(let index)): part.batchIndex = index
            case (5, .number(let id)): part.batchID = id
            default: continue
            }
        }
        return part
    }

    /// The URIs of as many parts as are needed. **With the secrets.**
    ///
    /// - Parameter batchID: tells this batch from others; any positive number.
    /// - Returns: also what the form cannot say: codes of 7, 9 or 10 digits, and periods other than 30 seconds.
    public static func uris(
        of accounts: [OTPAuthURI], batchID: Int32 = .random(in: 1 ... .max)
    ) -> (uris: [String], leftOut: [AccountFile.LeftOut]) {
        var entries: [[UInt8]] = []
        var leftOut: [AccountFile.LeftOut] = []
        for account in accounts {
            switch Entry.encoded(account) {
            case .success(let bytes): entries.append(bytes)
            case .failure(let fault):
                leftOut.append(
                    .init(
                        name: [account.issuer, account.accountName].compactMap(\.self).joined(separator: ": "),
                        reason: fault.reason))
            }
        }
        let starts = stride(from: 0, to: entries.count, by: accountsPerPart)
        let count = (entries.count + accountsPerPart - 1) / accountsPerPart
        let uris = starts.enumerated().map { index, start in
            var writer = ProtocolBufferWriter()
            for entry in entries[start..<min(start + accountsPerPart, entries.count)] { writer.add(1, entry) }
            writer.add(2, 1)
            writer.add(3, UInt64(count))
            writer.add(4, UInt64(index))
            writer.add(5, UInt64(max(1, batchID)))
            let data = Data(writer.bytes).base64EncodedString()
                .replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
            return "\(scheme)offline?data=\(data)"
        }
        return (uris, leftOut)
    }
}

/// Which parts of which batch were seen.
struct MigrationBatches {
    private var seen: [UInt64: (size: UInt64, indices: Set<UInt64>)] = [:]

    mutating func note(_ part: MigrationURI.Part) {
        // A size that no QR codes have says nothing.
        guard (2...1000).contains(part.batchSize) else { return }
        seen[part.batchID, default: (part.batchSize, [])].indices.insert(part.batchIndex)
    }

    /// As `2 of 3`.
    var missing: [String] {
        seen.sorted { $0.key < $1.key }.flatMap { _, batch in
            (0..<batch.size).filter { !batch.indices.contains($0) }.map { "\($0 + 1) of \(batch.size)" }
        }
    }
}
