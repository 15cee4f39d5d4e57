import CountersignCore
import HTTPTypes
import Hummingbird
import Logging

/// The last resort: whatever error comes out of a handler becomes an answer that tells nothing of our insides.
///
/// An internal error is logged. Overload is 503 with `Retry-After`, and no error in the log: it is the limits at work.
/// So is a database that is away, which its store has logged once.
///
/// What clients can bring about with each request is at most so many lines a minute (``WarningPace``), for each route: one where the server has too
/// much to do or its database is away, thirty where it failed. The metrics count all of them, by route and status.
public struct FailureMiddleware: RouterMiddleware {
    public typealias Context = CountersignRequestContext
    /// Gives the answer in the words of the dialect that the request is in, or nil for the general form. The text is what the log calls
    /// the request.
    public typealias Format = @Sendable (ServerFailure, Request, String) throws -> Response?

    private let format: Format
    private let now: @Sendable () -> ContinuousClock.Instant
    private let refusals = WarningPace()
    private let faults = WarningPace(most: WarningPace.mostOfTheirOwn)

    /// - Parameters:
    ///   - format: the general form, `{"error":"internal_error"}`, is used where it gives nil or throws. Status
    ///     and `Retry-After` are set where it leaves them out.
    ///   - now: the time that lines are counted by.
    public init(
        format: @escaping Format = { _, _, _ in nil },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.format = format
        self.now = now
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return try answer(to: error, request, context)
        }
    }

    /// What is answered where that was thrown.
    func answer(to error: any Error, _ request: Request, _ context: Context) throws -> Response {
        if let answer = error as? any HTTPResponseError, !(answer is HTTPError) {
            // A dialect's own refusal, thrown.
            return try answer.response(from: request, context: context)
        }
        let failure = ServerFailure(error)
        log(error, failure, request, context)
        return try response(failure, error, request, context)
    }

    private func response(
        _ failure: ServerFailure, _ error: any Error, _ request: Request, _ context: Context
    ) throws -> Response {
        var response: Response
        if let formatted = try? format(failure, request, context.reference) {
            response = formatted
        } else {
            response = try .json(["error": failure.word], status: failure.status)
            // What a handler put beside its status, such as `WWW-Authenticate`.
            if let error = error as? HTTPError { response.headers.append(contentsOf: error.headers) }
        }
        if case .body(let fault) = failure, fault.isOfTransfer { response.status = fault.status }
        // RFC 9110, section 12.5.3.
        if failure == .body(.encoded) { response.headers[.acceptEncoding] = "identity" }
        // Belongs to the status, whatever the words (RFC 9110, section 15.5.6).
        if let allowed = (error as? HTTPError)?.headers[.allow] { response.headers[.allow] = allowed }
        if let seconds = failure.retryAfter, response.headers[.retryAfter] == nil {
            response.headers.append(contentsOf: HTTPFields.retryAfter(seconds))
        }
        return response
    }

    /// Names the route and not the path, which may hold what its sender alone should know.
    private func log(_ error: any Error, _ failure: ServerFailure, _ request: Request, _ context: Context) {
        let logger = context.logger
        let route = context.endpointPath ?? "unknown"
        var metadata: Logger.Metadata {
            [
                "method": .string(request.method.rawValue), "route": .string(route),
                "status": .stringConvertible(failure.status.code),
            ]
        }
        switch failure {
        case .internalError:
            // The type by name, because an enum's description is often one lonely word.
            let name = "\(type(of: error))"
            guard let leftOut = faults.leftOut("\(name) \(route)", at: now()) else { return }
            logger.error("request failed: \(name): \(error)", metadata: metadata.with(leftOut: leftOut))
        case .overloaded:
            guard let leftOut = refusals.leftOut("\(failure.word) \(route)", at: now()) else { return }
            logger.warning("request refused: overloaded", metadata: metadata.with(leftOut: leftOut))
        case .unavailable, .outcomeUnknown:
            guard let leftOut = refusals.leftOut("\(failure.word) \(route)", at: now()) else { return }
            logger.warning("request refused: \(failure.word): \(error)", metadata: metadata.with(leftOut: leftOut))
        case .body(let fault):
            logger.debug("request refused: \(fault)", metadata: metadata)
        case .status:
            logger.debug("request refused", metadata: metadata)
        }
    }
}
