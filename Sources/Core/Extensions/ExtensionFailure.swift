/// Why a custom authentication extension gave no answer that counts. Apps do not see it; it is for the log.
public struct ExtensionFailure: Error, Sendable, Equatable {
    /// The vendor's number for the reason.
    public let code: Code
    /// What is known beyond the code, without users' data: `status 503`. Nil where nothing is.
    public let detail: String?

    /// A failure for the log. The detail must have no user's data in it.
    public init(_ code: Code, _ detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// The vendor's numbers and names (Microsoft Learn, Troubleshoot a custom claims provider). Those that only a cloud can
    /// have are left out.
    public enum Code: Int, Sendable, CaseIterable {
        /// The server could not make the call.
        case unexpectedError = 1_003_001
        /// The service answered with another status than 200.
        case invalidHTTPStatus = 1_003_002
        /// The body is not the JSON that the event has.
        case invalidResponseBody = 1_003_003
        /// Too many calls are under way at this server.
        case throttlingError = 1_003_004
        /// The service did not answer in the time that it has.
        case timedOut = 1_003_005
        /// The answer is not `application/json`.
        case invalidResponseContentType = 1_003_006
        /// The action has no claims.
        case nullClaimsResponse = 1_003_007
        /// The type of the answer's `data` is none of this event's.
        case invalidResponseApiSchemaVersion = 1_003_008
        /// The answer has no body.
        case emptyResponse = 1_003_009
        /// The answer has no action, or several.
        case invalidNumberOfActions = 1_003_010
        /// The extension was removed meanwhile.
        case notFound = 1_003_011
        /// The type of the action is none that this event has.
        case invalidActionType = 1_003_012
        /// The resource id is not `api://HOST/APPID`.
        case incorrectResourceIdFormat = 1_003_014
        /// The host in the resource id is not the host of the URL.
        case domainNameDoesNotMatch = 1_003_015
        /// The URL is not one that may be registered.
        case incorrectTargetUrlFormat = 1_003_020
        /// The address is not one that the server may call.
        case blocked = 1_003_023
        /// The body has more than 64 KiB.
        case responseSizeExceeded = 1_003_024
        /// Names and values of all claims have more than 3 KiB together.
        case responseClaimsSizeExceeded = 1_003_025
        /// A claim has no name.
        case nullOrEmptyClaimKeyNotSupported = 1_003_026
        /// The service cannot be reached, or its certificate is not trusted.
        case connectionError = 1_003_027
    }

    /// Whether it may pass by itself: another try makes sense.
    public var isTransient: Bool {
        switch code {
        case .timedOut, .connectionError, .throttlingError: true
        case .invalidHTTPStatus: status.map { $0 == 408 || $0 == 429 || $0 >= 500 } ?? false
        default: false
        }
    }

    /// The service answered with another status than 200.
    static func status(_ status: Int) -> ExtensionFailure {
        ExtensionFailure(.invalidHTTPStatus, "\(statusPrefix)\(status)")
    }

    private static let statusPrefix = "status "

    private var status: Int? {
        guard let detail, detail.hasPrefix(Self.statusPrefix) else { return nil }
        return Int(detail.dropFirst(Self.statusPrefix.count))
    }
}

extension ExtensionFailure.Code {
    /// In the vendor's words, for looking up a number.
    public var name: String {
        switch self {
        case .unexpectedError: "CustomExtensionUnexpectedError"
        case .invalidHTTPStatus: "CustomExtensionInvalidHTTPStatus"
        case .invalidResponseBody: "CustomExtensionInvalidResponseBody"
        case .throttlingError: "CustomExtensionThrottlingError"
        case .timedOut: "CustomExtensionTimedOut"
        case .invalidResponseContentType: "CustomExtensionInvalidResponseContentType"
        case .nullClaimsResponse: "CustomExtensionNullClaimsResponse"
        case .invalidResponseApiSchemaVersion: "CustomExtensionInvalidResponseApiSchemaVersion"
        case .emptyResponse: "CustomExtensionEmptyResponse"
        case .invalidNumberOfActions: "CustomExtensionInvalidNumberOfActions"
        case .notFound: "CustomExtensionNotFound"
        case .invalidActionType: "CustomExtensionInvalidActionType"
        case .incorrectResourceIdFormat: "CustomExtensionIncorrectResourceIdFormat"
        case .domainNameDoesNotMatch: "CustomExtensionDomainNameDoesNotMatch"
        case .incorrectTargetUrlFormat: "CustomExtensionIncorrectTargetUrlFormat"
        case .blocked: "CustomExtensionBlocked"
        case .responseSizeExceeded: "CustomExtensionResponseSizeExceeded"
        case .responseClaimsSizeExceeded: "CustomExtensionResponseClaimsSizeExceeded"
        case .nullOrEmptyClaimKeyNotSupported: "CustomExtensionNullOrEmptyClaimKeyNotSupported"
        case .connectionError: "CustomExtensionConnectionError"
        }
    }

    /// What an operator can do about it.
    public var advice: String {
        switch self {
        case .unexpectedError: "The server could not make the call; its log says why."
        case .invalidHTTPStatus: "The service has to answer with status 200; redirects are not followed."
        case .invalidResponseBody:
            "The answer has to be a JSON object, with values of the types that docs/custom-extensions.md names."
        case .throttlingError: "Too many calls are under way. Make the service faster, or run more servers."
        case .timedOut: "Make the service faster, or raise the time-out (2000 ms at most)."
        case .invalidResponseContentType: "The answer has to have `Content-Type: application/json`."
        case .nullClaimsResponse: "The action has to have `claims`, an object; an empty one will do."
        case .invalidResponseApiSchemaVersion:
            "The type that the answer's `data` names is none of this event's answers."
        case .emptyResponse: "The answer has no body."
        case .invalidNumberOfActions: "The answer has to have exactly one action."
        case .notFound: "The extension was removed meanwhile."
        case .invalidActionType: "The type that the action names is none that this event has."
        case .incorrectResourceIdFormat: "The resource id has to be `api://HOST/APPID`."
        case .domainNameDoesNotMatch: "The host in the resource id has to be the host of the URL."
        case .incorrectTargetUrlFormat:
            "The URL has to be https, with a host, a port of 1 to 65535 or none, and without user, query and fragment."
        case .blocked:
            "The address is not one that the server may call: it is private, or of this machine. "
                + "`extensions.allowedNetworks` allows networks by name."
        case .responseSizeExceeded: "The answer is too large: 64 KiB at most."
        case .responseClaimsSizeExceeded: "Names and values of all claims have 3 KiB together at most."
        case .nullOrEmptyClaimKeyNotSupported: "A claim has no name."
        case .connectionError: "The service cannot be reached, or its certificate is not trusted."
        }
    }
}
