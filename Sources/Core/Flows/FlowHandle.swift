import Crypto
import Foundation

/// The secret that names an attempt in progress: a pending credential, a continuation token, the code in a link.
///
/// 256 random bits; the server keeps only the digest.
public struct FlowHandle: Sendable, CustomStringConvertible, CustomReflectable {
    /// What goes over the wire.
    public let token: Secret<String>

    /// A new handle of 255 random bits, which does not begin with a dash (`base64URLName`): users paste handles behind a command.
    /// - Parameter prefix: what people recognise the kind of handle by.
    init(random: any RandomSource, prefix: String = "") {
        token = Secret(prefix + random.bytes(32).base64URLName)
    }

    /// The handle that these random bytes name.
    init(nonce: [UInt8]) { token = Secret(nonce.base64URL) }

    /// The handle of an attempt that begins with a challenge, and the challenge's random bytes.
    /// - Parameter isApart: whether they are two values; else the handle is the challenge's text.
    static func drawn(apart isApart: Bool, _ random: any RandomSource) -> (handle: FlowHandle, nonce: [UInt8]) {
        let nonce = random.bytes(32)
        return (isApart ? FlowHandle(random: random) : FlowHandle(nonce: nonce), nonce)
    }

    /// A handle as a client sent it. Whether there is such a flow shows when it is used.
    public init(_ token: String) {
        self.token = Secret(token)
    }

    var digest: Data { SHA256.digest(of: token.reveal()) }

    public var description: String { "<flow handle>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What an attempt is for.
public enum FlowPurpose: String, Sendable, Codable, CaseIterable {
    /// Signing in.
    case signIn
    /// Making an account and signing in to it.
    case signUp
    /// Enrolling a factor of a signed-in user.
    case enrolFactor
    /// Proving that the user reads the account's mail.
    case verifyEmail
    /// Setting a new password without the former one.
    case resetPassword
    /// Putting a new address in the place of the account's.
    case changeEmail
    /// A changed address is to be as it was before.
    case restoreEmail
    /// An account whose removal was asked for is to stay.
    case keepAccount
    /// A request to a device: its handle is the device's, not the waiting client's.
    case approve
    /// A sign-in that an application began by itself, without the user: a device alone can allow it (OpenID Connect
    /// Client-Initiated Backchannel Authentication).
    case backchannel
}

/// How long attempts live where a dialect says nothing else, in seconds.
public enum FlowLifetime {
    /// An attempt for which nothing else is said.
    public static let standard: TimeInterval = 900
    /// A mailed code.
    public static let mailedCode: TimeInterval = 600
    /// A mailed link that signs in or resets a password.
    public static let link: TimeInterval = 3600
    /// A mailed link that verifies an address.
    public static let verificationLink: TimeInterval = 3 * 86_400
    /// A mailed link that gives an account its former address back.
    public static let undoLink: TimeInterval = 86_400
    /// Proof beside the first factor.
    public static let secondFactor: TimeInterval = 300
    /// A request to a device.
    public static let approval: TimeInterval = 300
    /// A ticket that a device enrols with.
    public static let deviceTicket: TimeInterval = 300
    /// An invitation to enrol a device.
    public static let invitation: TimeInterval = 5 * 86_400
    /// How long an expired flow is remembered, so that its holder learns that it expired.
    static let remembered: TimeInterval = 86_400
}

/// Where an attempt stands, for dialects that tell before they ask for an answer.
public enum FlowStatus: Sendable {
    /// There is no such attempt, or it is another one than was expected.
    case unknown
    /// Its time is over.
    case expired
    /// It led to its one success before.
    case finished
    /// Out of answers.
    case exhausted
    /// It waits for an answer.
    case open(FlowSummary)
}

/// What a dialect may know of an open attempt.
public struct FlowSummary: Sendable {
    /// What the attempt is for.
    public let purpose: FlowPurpose
    /// The user, where one is known by now.
    public let userID: UserID?
    /// The address that it is about: the one to verify, to reset, to change to or to sign in.
    public let email: EmailAddress?
    /// The address that the account is to have; nil where that is not what it is about.
    public let newEmail: EmailAddress?
    /// Until when the attempt can be completed.
    public let expiresAt: Date
    /// Whether the handle is itself the proof, as it was mailed; false where another answer is waited for.
    public let isLink: Bool
    /// The latest request to the user's devices, where there was one.
    public let approval: ApprovalState?
    /// The factor that will have been enrolled when this ticket, or the offer within this sign-in, has been used.
    public let device: FactorID?
    /// How far it has come, where it goes step by step.
    public let journey: JourneySummary?
    /// The application that the attempt belongs to.
    public let clientID: ClientID
    /// What the session that it leads to will be like.
    public let terms: GrantTerms
    /// The protocol in which the attempt began.
    public let dialect: Dialect
}

extension FlowHandle {
    /// Names the attempt for clients that may know of it but not continue it: the beginning of the digest's digest.
    public var publicName: String {
        SHA256.hash(data: digest).data.prefix(12).hex
    }
}

extension FlowPurpose: StoredJSON {}
