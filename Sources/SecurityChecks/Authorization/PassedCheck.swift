import CountersignCore
import Crypto
import Foundation

/// Names the success of a check in the tokens that came of it. Another success of the same check has another name.
enum PassedCheck {
    /// Bytes of a name.
    private static let length = 12

    /// - Parameters:
    ///   - check: the name of the check.
    ///   - generation: ``CheckRecord/generation``, which another success has after one that was ended.
    ///   - begin: since when it is in success; nil of a check that asks for nothing, which grants anew with each request.
    static func name(of check: String, generation: Int64?, since begin: Date?) -> String {
        let text = "security-checks\0passed\0\(check)\0\(generation ?? 0)\0\(begin?.microseconds ?? 0)"
        return Array(SHA256.digest(of: text).prefix(length)).base64URL
    }
}
