import Foundation

/// The error that every method of this module throws or hands to its completion handler (beside `CancellationError`).
///
/// It can be inspected in the two ways that apps for the original use:
///
///     catch let error as AuthErrorCode where error.code == .secondFactorRequired
///     catch { if (error as NSError).code == AuthErrorCode.secondFactorRequired.rawValue … }
///
/// and its ``userInfo`` is the same in both. Two limits where there is no Objective-C: a clause `catch let error as
/// NSError` does not match it (nor any Swift error), and an `NSError` made from it and thrown again is no
/// `AuthErrorCode`. Source: Firebase API reference for Swift, `AuthErrorCode`.
public struct AuthErrorCode: Error, CustomNSError, LocalizedError, CustomStringConvertible, Sendable {
    /// Which error it is. Compare this; the texts may change.
    public let code: Code
    private let info: [String: any Sendable]

    /// An error with a code, as a test or an app's own code may need one.
    ///
    /// - Parameter userInfo: goes before what the code gives by itself: a sentence under `NSLocalizedDescriptionKey`,
    ///   and the code's word under ``AuthErrorUserInfoNameKey``.
    public init(_ code: Code, userInfo: [String: any Sendable] = [:]) {
        self.code = code
        let standard: [String: any Sendable] = [
            NSLocalizedDescriptionKey: code.sentence, AuthErrorUserInfoNameKey: code.name,
        ]
        info = userInfo.merging(standard) { given, _ in given }
    }

    /// The error with this number, or nil where no code has it.
    public init?(rawValue: Int) {
        guard let code = Code(rawValue: rawValue) else { return nil }
        self.init(code)
    }

    public var rawValue: Int { code.rawValue }

    /// More about the error, under the keys of ``AuthErrors`` and Foundation's own.
    public var userInfo: [String: Any] { info }

    public static var errorDomain: String { AuthErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { info }
    public var errorDescription: String? { info[NSLocalizedDescriptionKey] as? String }
    public var failureReason: String? { info[NSLocalizedFailureReasonErrorKey] as? String }

    /// Short enough for a log, and without the rest of the ``userInfo``.
    public var description: String {
        "\(code) (\(rawValue))" + (failureReason.map { ": " + $0 } ?? "")
    }
}

// So that an error can be compared with a code, caught by one and switched over.
extension AuthErrorCode {
    public static func == (error: Self, code: Code) -> Bool { error.code == code }
    public static func == (code: Code, error: Self) -> Bool { error.code == code }
    /// Whether the error has another code.
    public static func != (error: Self, code: Code) -> Bool { error.code != code }
    /// Whether the error has another code.
    public static func != (code: Code, error: Self) -> Bool { error.code != code }
    /// `switch error { case .wrongPassword: …`
    public static func ~= (code: Code, error: Self) -> Bool { error.code == code }
}

extension AuthErrorCode.Code {
    /// `catch AuthErrorCode.wrongPassword`
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? AuthErrorCode)?.code == code }

    /// `switch AuthErrorCode(rawValue: number) { case .wrongPassword: …`
    public static func ~= (code: Self, error: AuthErrorCode?) -> Bool { error?.code == code }
}
