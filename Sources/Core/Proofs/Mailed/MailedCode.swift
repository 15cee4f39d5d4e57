import Foundation

/// A code of eight digits that goes out by mail.
enum MailedCode {
    static let digits = 8

    static func fresh(random: any RandomSource) -> String {
        random.string(digits, of: .digits)
    }

    /// What is kept of it: keyed, because eight digits are soon tried, and bound to its flow. White space that people
    /// copy along does not count.
    static func digest(
        _ code: String, flow: Data, sealer: Sealer, in transaction: any StoreTransaction
    ) throws -> Data {
        try sealer.digest(text(code, flow), for: context, in: transaction)
    }

    static func matches(_ code: String, _ digest: Data, flow: Data, sealer: Sealer) throws -> Bool {
        try sealer.matches(text(code, flow), digest, for: context)
    }

    private static let context = "mailed-code"

    private static func text(_ code: String, _ flow: Data) -> String {
        "\(flow.hex)/\(code.filter { !$0.isWhitespace })"
    }
}
