/// The result code of a TPM command, taken apart as TPM 2.0 Library Part 2, clause 6.6 (TPM_RC) says.
///
/// A code of format 1 names the handle, session or parameter that it complains about; one of format 0 does not, and
/// may be a *warning*: the command was right, but not now.
public struct TPMResponseCode: Sendable, Hashable, CustomStringConvertible {
    /// What a code of format 1 complains about; counted from 1.
    public enum Subject: Sendable, Hashable {
        case handle(Int)
        case session(Int)
        case parameter(Int)
    }

    /// The code as it came, with the layer that added it (resource manager, driver) in bits 16 to 23.
    public let rawValue: UInt32

    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// The code of the TPM's own layer.
    private var code: UInt32 { rawValue & 0xFFFF }

    private var isFormatOne: Bool { code & 0x080 != 0 }

    /// Whether the command may be sent again without a change.
    public var isWarning: Bool { !isFormatOne && code & 0xF00 == 0x900 }

    /// What the code complains about; nil for format 0, and where the TPM did not say.
    public var subject: Subject? {
        guard isFormatOne else { return nil }
        let number = Int(code >> 8 & 0xF)
        if code & 0x040 != 0 { return number == 0 ? nil : .parameter(number) }
        if number & 0x8 != 0 { return number & 0x7 == 0 ? nil : .session(number & 0x7) }
        return number == 0 ? nil : .handle(number)
    }

    /// The code without its subject and its layer, so that it can be compared with the constants below.
    var base: UInt32 { isFormatOne ? code & 0x0BF : code }

    static let success: UInt32 = 0x000
    // Format 0 (Part 2, table "TPM_RC Constants").
    static let initialize: UInt32 = 0x100
    static let failure: UInt32 = 0x101
    static let commandCode: UInt32 = 0x143
    static let contextGap: UInt32 = 0x901
    static let objectMemory: UInt32 = 0x902
    static let sessionMemory: UInt32 = 0x903
    static let memory: UInt32 = 0x904
    static let sessionHandles: UInt32 = 0x905
    static let objectHandles: UInt32 = 0x906
    static let yielded: UInt32 = 0x908
    static let canceled: UInt32 = 0x909
    static let testing: UInt32 = 0x90A
    static let nvRate: UInt32 = 0x920
    static let lockout: UInt32 = 0x921
    static let retry: UInt32 = 0x922
    static let nvUnavailable: UInt32 = 0x923
    // Format 1.
    static let asymmetric: UInt32 = 0x081
    static let attributes: UInt32 = 0x082
    static let hash: UInt32 = 0x083
    static let value: UInt32 = 0x084
    static let hierarchy: UInt32 = 0x085
    static let keySize: UInt32 = 0x087
    static let handle: UInt32 = 0x08B
    static let authorizationFailed: UInt32 = 0x08E
    static let nonce: UInt32 = 0x08F
    static let scheme: UInt32 = 0x092
    static let size: UInt32 = 0x095
    static let symmetric: UInt32 = 0x096
    static let insufficient: UInt32 = 0x09A
    static let integrity: UInt32 = 0x09F
    static let badAuthorization: UInt32 = 0x0A2
    static let binding: UInt32 = 0x0A5
    static let curve: UInt32 = 0x0A6

    /// Whether the TPM asks for the same bytes again (Part 3, clause 5: the command was not carried out).
    var asksForRetry: Bool {
        [Self.retry, Self.yielded, Self.canceled, Self.testing, Self.nvRate, Self.nvUnavailable].contains(base)
    }

    /// Whether there is no room for another object or session.
    var isOutOfMemory: Bool {
        [
            Self.contextGap, Self.objectMemory, Self.sessionMemory, Self.memory, Self.sessionHandles,
            Self.objectHandles,
        ].contains(base)
    }

    public var description: String {
        let number = "0x" + String(rawValue, radix: 16, uppercase: true)
        guard let words = Self.words[base] else { return number }
        switch subject {
        case .handle(let position): return "\(number) (\(words), handle \(position))"
        case .session(let position): return "\(number) (\(words), session \(position))"
        case .parameter(let position): return "\(number) (\(words), parameter \(position))"
        case nil: return "\(number) (\(words))"
        }
    }

    private static let words: [UInt32: String] = [
        initialize: "not started", failure: "in failure mode", commandCode: "command not supported",
        contextGap: "context gap", objectMemory: "no room for objects", sessionMemory: "no room for sessions",
        memory: "out of memory", sessionHandles: "no session handle left", objectHandles: "no object handle left",
        yielded: "yielded", canceled: "cancelled", testing: "self-test running", nvRate: "storage written too often",
        lockout: "locked out", retry: "retry", nvUnavailable: "storage not available",
        asymmetric: "algorithm not supported", attributes: "attributes inconsistent", hash: "hash not supported",
        value: "value out of range", hierarchy: "hierarchy not usable", keySize: "key size not supported",
        handle: "no such handle", authorizationFailed: "wrong authorization", nonce: "nonce of a wrong size",
        scheme: "scheme not supported", size: "wrong size", symmetric: "symmetric algorithm not supported",
        insufficient: "too few bytes", integrity: "integrity check failed",
        badAuthorization: "wrong authorization, not counted", binding: "public and private part do not match",
        curve: "curve not supported",
    ]
}
