import Foundation

/// A code of eight digits that goes out by mail.
enum MailedCode {
    static let digits = 8

    static func fresh(random: any RandomSource) -> String {
        random.string(digits, of: .digits)
    }

    /// What is kept of it: keyed, because eight digits are soon tried, and bound to its flow. White space that people
    /// copy along does not count.
    static func digest(_ code: String, flow: Data, sealer: Sealer) -> Data {
        let code = code.filter { !$0.isWhitespace }
        return sealer.digest("\(flow.hex)/\(code)", for: "mailed-code")
    }
}
