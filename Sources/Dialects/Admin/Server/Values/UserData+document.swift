import CountersignCore
import Foundation

extension UserData {
    private struct Document: Encodable {
        let data: UserData
        /// The newest first.
        let log: [AuditEntry]
    }

    /// The same as one JSON document with the user's part of the log, for the user: what ``ShowUserData`` answers.
    public static func document(_ data: PersonalData, log: [AuditEvent], logDays: Int) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(data: UserData(data, logDays: logDays), log: log.map(AuditEntry.init))
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }
}
