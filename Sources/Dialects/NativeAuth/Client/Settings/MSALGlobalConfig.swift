import ClientHTTP
import Foundation

/// Settings for all applications of a process.
public final class MSALGlobalConfig: NSObject, Sendable {
    /// The log of this process; the same object always.
    public static let loggerConfig = MSALLoggerConfig()

    private override init() {}
}

/// How much is logged.
public enum MSALLogLevel: Int, Sendable, Comparable {
    /// No line at all.
    case nothing
    /// Failures alone: no answer, an answer of another protocol, a cache that cannot be written.
    case error
    /// Also what went on otherwise than asked, such as a request that had to be sent twice.
    case warning
    /// Also which flows began, and who signed in and out, masked as ``MSALLoggerConfig/logMaskingLevel`` says.
    case info
    /// Also the path of each request.
    case verbose

    /// The level that lets every line through.
    public static let last = MSALLogLevel.verbose

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// What is made unreadable in the log. Passwords, codes and tokens are never in it.
public enum MSALLogMaskingLevel: Int, Sendable {
    /// Whatever says something of a person.
    case settingsMaskAllPII
    /// Names and addresses, but not account ids.
    case settingsMaskEUIIOnly
    /// Secrets alone.
    case settingsMaskSecretsOnly
}

/// Takes a line of the log: its level, its text, and whether the text says something of a person. It is called on any
/// thread.
public typealias MSALLogCallback = @Sendable (_ level: MSALLogLevel, _ message: String?, _ containsPII: Bool) -> Void

/// Where the log goes, and what is in it.
public final class MSALLoggerConfig: NSObject, Sendable {
    private struct State: Sendable {
        var level = MSALLogLevel.error
        var masking = MSALLogMaskingLevel.settingsMaskAllPII
        var callback: MSALLogCallback?
    }

    private let state = Locked(State())

    override init() {}

    /// Lines beyond this level are left out. `error` unless set.
    public var logLevel: MSALLogLevel {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    /// Everything about a person is masked unless this says otherwise.
    public var logMaskingLevel: MSALLogMaskingLevel {
        get { state.withLock { $0.masking } }
        set { state.withLock { $0.masking = newValue } }
    }

    /// Whether the log shows what says something of a person. Secrets are never in it. Setting it sets
    /// ``logMaskingLevel``.
    @available(*, deprecated, message: "Use logMaskingLevel instead.")
    public var piiEnabled: Bool {
        get { logMaskingLevel != .settingsMaskAllPII }
        set { logMaskingLevel = newValue ? .settingsMaskSecretsOnly : .settingsMaskAllPII }
    }

    /// What takes the lines; nil until one is set.
    public var callback: MSALLogCallback? { state.withLock { $0.callback } }

    /// Sends the log's lines here from now on, in place of the former callback. It is called on any thread.
    public func setLogCallback(_ callback: @escaping MSALLogCallback) {
        state.withLock { $0.callback = callback }
    }
}
