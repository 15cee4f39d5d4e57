/// A TPM handle (Part 2, clause 7). The top byte tells the kind.
struct Handle: Hashable, Sendable {
    let rawValue: UInt32

    init(_ rawValue: UInt32) { self.rawValue = rawValue }

    static let owner = Handle(0x4000_0001)
    static let null = Handle(0x4000_0007)
    /// TPM_RS_PW: a password in the place of a session.
    static let password = Handle(0x4000_0009)

    /// An object in one of the few slots that `FlushContext` frees.
    var isTransient: Bool { rawValue >> 24 == 0x80 }
    var isPersistent: Bool { rawValue >> 24 == 0x81 }
    var isHMACSession: Bool { rawValue >> 24 == 0x02 }
}

/// Algorithm identifiers (Part 2, clause 6.3, TPM_ALG_ID).
enum Algorithm {
    static let rsa: UInt16 = 0x0001
    static let aes: UInt16 = 0x0006
    static let keyedHash: UInt16 = 0x0008
    static let sha256: UInt16 = 0x000B
    static let null: UInt16 = 0x0010
    static let rsassa: UInt16 = 0x0014
    static let ecdsa: UInt16 = 0x0018
    static let ecc: UInt16 = 0x0023
    static let cfb: UInt16 = 0x0043
}

/// Curve identifiers (Part 2, clause 6.4, TPM_ECC_CURVE).
enum Curve {
    static let p256: UInt16 = 0x0003
}

/// Structure tags (Part 2, clause 6.9, TPM_ST).
enum Tag {
    static let noSessions: UInt16 = 0x8001
    static let sessions: UInt16 = 0x8002
    static let hashCheck: UInt16 = 0x8024
}

/// Object attributes (Part 2, clause 8.3, TPMA_OBJECT).
struct ObjectAttributes: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    static let fixedTPM = Self(rawValue: 1 << 1)
    static let fixedParent = Self(rawValue: 1 << 4)
    static let sensitiveDataOrigin = Self(rawValue: 1 << 5)
    static let userWithAuth = Self(rawValue: 1 << 6)
    static let noDictionaryAttackProtection = Self(rawValue: 1 << 10)
    static let restricted = Self(rawValue: 1 << 16)
    static let decrypt = Self(rawValue: 1 << 17)
    static let sign = Self(rawValue: 1 << 18)
}

/// Session attributes (Part 2, clause 8.4, TPMA_SESSION).
struct SessionAttributes: OptionSet, Sendable {
    let rawValue: UInt8

    static let continueSession = Self(rawValue: 1 << 0)
    /// The TPM decrypts the first parameter of the command.
    static let decrypt = Self(rawValue: 1 << 5)
    /// The TPM encrypts the first parameter of the response.
    static let encrypt = Self(rawValue: 1 << 6)
}

/// The commands that this module sends, with their clause in Part 3 of the TPM 2.0 Library.
enum CommandCode: UInt32, Sendable {
    /// Clause 24.1.
    case createPrimary = 0x0000_0131
    /// Clause 12.1.
    case create = 0x0000_0153
    /// Clause 12.2.
    case load = 0x0000_0157
    /// Clause 20.2.
    case sign = 0x0000_015D
    /// Clause 12.7.
    case unseal = 0x0000_015E
    /// Clause 28.4.
    case flushContext = 0x0000_0165
    /// Clause 12.4.
    case readPublic = 0x0000_0173
    /// Clause 11.1.
    case startAuthSession = 0x0000_0176
    /// Clause 30.2.
    case getCapability = 0x0000_017A
    /// Clause 16.1.
    case getRandom = 0x0000_017B
    /// Clause 30.3.
    case testParms = 0x0000_018A

    /// The name in the specification, for messages.
    var name: String {
        switch self {
        case .createPrimary: "CreatePrimary"
        case .create: "Create"
        case .load: "Load"
        case .sign: "Sign"
        case .unseal: "Unseal"
        case .flushContext: "FlushContext"
        case .readPublic: "ReadPublic"
        case .startAuthSession: "StartAuthSession"
        case .getCapability: "GetCapability"
        case .getRandom: "GetRandom"
        case .testParms: "TestParms"
        }
    }

    /// Whether a handle stands between the header and the parameters of the response.
    var answersWithHandle: Bool {
        switch self {
        case .createPrimary, .load, .startAuthSession: true
        default: false
        }
    }

    /// How long an answer may take, in seconds. A chip looks for primes for as long as it takes; Linux itself gives
    /// up after five minutes.
    var timeout: Double {
        switch self {
        case .create, .createPrimary: 300
        case .flushContext, .getCapability: 10
        default: 60
        }
    }
}
