import ClientHTTP
import Foundation
import NativeAuthWire

/// Any answer but a success.
struct Setback: Error, Sendable {
    enum Kind: Sendable {
        /// The server wants a browser.
        case redirect
        case refused(ErrorBody)
        /// No answer, or none of this protocol.
        case failed
    }

    let kind: Kind
    /// What it becomes by default.
    let failure: Failure

    static func redirect(reason: String?, _ correlationID: UUID) -> Self {
        Setback(kind: .redirect, failure: Failure(.browserRequired, text: reason, correlationID))
    }

    static func refused(_ body: ErrorBody, status: Int, _ correlationID: UUID) -> Self {
        var failure = Failure(.general, text: body.description, correlationID)
        failure.codes = body.codes?.map(\.rawValue) ?? []
        failure.uri = body.errorURI
        failure.cause = .refused(status: status, body.error.rawValue, body.suberror?.rawValue)
        return Setback(kind: .refused(body), failure: failure)
    }

    static func unexpected(_ text: String = ErrorText.unexpectedAnswer, status: Int?, _ correlationID: UUID) -> Self {
        Setback(
            kind: .failed,
            failure: Failure(.general, text: text, correlationID, cause: .unexpectedAnswer(status: status)))
    }

    static func unreachable(_ error: any Error, _ correlationID: UUID) -> Self {
        let text = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
        return Setback(
            kind: .failed, failure: Failure(.general, text: text, correlationID, cause: .unreachable(error)))
    }
}

extension Setback {
    /// The refusal, where it is one.
    var body: ErrorBody? {
        if case .refused(let body) = kind { body } else { nil }
    }

    var isRedirect: Bool {
        if case .redirect = kind { true } else { false }
    }

    /// Whether the server may be well again soon: it had no answer, or said 5xx.
    var isPassing: Bool {
        guard case .failed = kind, let cause = failure.cause else { return false }
        return cause.isUnreachable || (cause.statusCode ?? 0) >= 500
    }
}
