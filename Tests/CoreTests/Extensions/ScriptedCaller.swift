import CountersignCore
import Foundation
import Synchronization

/// A service that answers as a test wants, and remembers what it was asked.
final class ScriptedCaller: ExtensionCaller {
    let publicURL = "https://login.example.com"
    private let replies: Mutex<[ExtensionReply]>
    private let heard = Mutex<[ExtensionCall]>([])

    /// - Parameter replies: one after the other; the last is repeated.
    init(_ replies: ExtensionReply...) { self.replies = Mutex(replies) }

    var calls: [ExtensionCall] { heard.withLock { $0 } }

    func replies(_ replies: ExtensionReply...) { self.replies.withLock { $0 = replies } }

    func post(_ call: ExtensionCall) async -> ExtensionReply {
        heard.withLock { $0.append(call) }
        return replies.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}

extension ExtensionReply {
    static func json(_ text: String, status: Int = 200, type: [String] = ["application/json"]) -> ExtensionReply {
        .answered(status: status, contentType: type, body: Data(text.utf8))
    }

    /// An answer of token issuance with those claims, which are JSON.
    static func claims(_ claims: String) -> ExtensionReply { json(claimsText(claims)) }

    static func claimsText(_ claims: String) -> String {
        """
        {"data":{"@odata.type":"microsoft.graph.onTokenIssuanceStartResponseData","actions":[
        {"@odata.type":"microsoft.graph.tokenIssuanceStart.provideClaimsForToken","claims":\(claims)}]}}
        """
    }
}
