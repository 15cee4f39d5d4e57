import Foundation

/// Why there is no answer, or one that is not in Guardian's words (Guardian.swift, `NetworkError`).
public struct NetworkError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// What went wrong, as far as a program has to tell it apart.
    public enum Code: String, Sendable {
        /// The request's body could not be written as JSON; nothing was sent.
        case cannotEncodeJSON
        /// The original's; never thrown here, where an answer that cannot be read is ``invalidResponse``.
        case cannotDecodeJSON
        /// Not sent, or no answer came: ``NetworkError/cause`` says why. Also every status that has no code of its own here.
        case failedRequest
        /// A success in an unknown form: not JSON, or without what it must have.
        case invalidResponse
        /// The original's; never thrown here, where a refusal has the code of its status.
        case failedResponse
        /// What came is no answer of HTTP.
        case missingResponse
        /// 400.
        case badRequest
        /// 401 and 403.
        case notAuthorized
        /// 429.
        case rateLimited
        /// 500 to 599.
        case serverError
        /// 404.
        case notFound

        init(status: Int) {
            self =
                switch status {
                case 400: .badRequest
                case 401, 403: .notAuthorized
                case 404: .notFound
                case 429: .rateLimited
                case 500...599: .serverError
                default: .failedRequest
                }
        }

        var sentence: String {
            switch self {
            case .cannotEncodeJSON: "The request could not be written as JSON."
            case .cannotDecodeJSON: "The answer could not be read as JSON."
            case .failedRequest: "The request failed."
            case .invalidResponse: "The answer is in an unknown form."
            case .failedResponse: "The server did not answer with success."
            case .missingResponse: "The answer has no body."
            case .badRequest: "The server did not understand the request."
            case .notAuthorized: "The server did not take the authorization."
            case .rateLimited: "There were too many requests."
            case .serverError: "The server failed."
            case .notFound: "The server has no such thing."
            }
        }
    }

    /// 0 where no answer came.
    public let statusCode: Int
    /// The body where it was plain text, else a sentence.
    public let description: String
    /// What went wrong. With ``statusCode`` it decides whether two errors are equal.
    public let code: Code
    /// The underlying error: the transport's, or the decoder's for an answer in an unknown form; nil for a plain
    /// refusal.
    public let cause: (any Error)?

    public var errorDescription: String? { description }

    init(_ code: Code, statusCode: Int = 0, description: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.statusCode = statusCode
        self.description = description ?? code.sentence
        self.cause = cause
    }

    /// Two are equal with the same code and status, as in the original.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.statusCode == b.statusCode }
}
