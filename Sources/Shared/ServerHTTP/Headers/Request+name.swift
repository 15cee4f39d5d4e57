import Foundation
import HTTPTypes
import Hummingbird

extension Request {
    /// What its client calls this request, so that it is known when it is sent again: a UUID in the header `client-request-id`, in lower
    /// case; nil where there is none.
    public var clientRequestID: String? {
        headers[.known("client-request-id")].flatMap { UUID(uuidString: $0) }?.uuidString.lowercased()
    }
}
