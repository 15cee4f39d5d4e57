import Foundation

/// What a client gives: a response to what is open, or what an attempt asks for beside proofs. Only
/// ``Authenticator/answer(_:to:by:)`` looks inside.
///
/// The folder of each means of proof adds its own (`Answer.password(_:)`).
public struct Answer: Sendable {
    enum Content: Sendable {
        /// To the means of proof of that kind, of that factor where one is named.
        case proof(FactorKind, ProofForm, factor: FactorID?)
        /// A typed code: of that factor, or for whatever is open.
        case code(Secret<String>, factor: FactorID?)
        case enrolmentCode(Secret<String>, name: String)
        /// The response that brings the factor which is being enrolled.
        case registration(FactorKind, ProofForm, name: String)
        case device(DeviceRegistration)
        case newPassword
        /// A factor of the kind in place of a new password, which the attempt has enrolled before it is over.
        case enrolling(FactorKind)
        case attributes([String: JSONValue])
        case confirmation
        case claim(EmailAddress?)
    }

    let content: Content
    /// What the account's password is to be after this answer.
    var newPassword: Secret<String>?

    /// A typed code: of the factor that is named, or for whatever is open. Without factor it is the code that was mailed, the
    /// first code of the authenticator that is being enrolled, or one of the second factors: the one that was asked for, or
    /// those used last, ``Authenticator/comparedFactors`` at most.
    public static func code(_ code: Secret<String>, factor: FactorID? = nil) -> Answer {
        Answer(content: .code(code, factor: factor))
    }

    /// The code that proves that a factor being enrolled works; the name is what the user calls the factor.
    public static func enrolmentCode(_ code: Secret<String>, name: String) -> Answer {
        Answer(content: .enrolmentCode(code, name: name))
    }

    /// The response that brings a factor of the kind, as the client sent it; the name is what the user calls the factor.
    public static func registration(of kind: FactorKind, response: JSONValue, name: String) -> Answer {
        Answer(content: .registration(kind, .wire(response), name: name))
    }

    /// A device that enrols itself; its ticket is the proof.
    public static func device(_ registration: DeviceRegistration) -> Answer { Answer(content: .device(registration)) }

    /// The password that an account is to have, of a user who signs up or has lost the old one.
    public static func newPassword(_ password: Secret<String>) -> Answer {
        Answer(content: .newPassword, newPassword: password)
    }

    /// A factor that a response brings (`ResponseEnrolledProof`) instead of the password that a sign-up asks for. The account is made with
    /// its proven address alone, and the factor is enrolled before the session begins (``JourneyStage/registration``).
    public static func enrolling(_ kind: FactorKind) -> Answer { Answer(content: .enrolling(kind)) }

    /// What the application asks of a user who signs up, of the types that it asked for.
    public static func attributes(_ attributes: [String: JSONValue]) -> Answer {
        Answer(content: .attributes(attributes))
    }

    /// The mailbox which was proven before is to be registered.
    public static let confirmation = Answer(content: .confirmation)

    /// Nothing is missing, and the session is wanted; of this address, where the client says one.
    public static func claim(_ email: EmailAddress?) -> Answer { Answer(content: .claim(email)) }

    /// A response to a means of proof that the protocol knows only the name of, as its client sent it.
    public static func proof(of kind: FactorKind, response: JSONValue, factor: FactorID? = nil) -> Answer {
        Answer(content: .proof(kind, .wire(response), factor: factor))
    }

    /// For the folders of means of proof.
    package static func proof(_ kind: FactorKind, _ response: any Sendable, factor: FactorID? = nil) -> Answer {
        Answer(content: .proof(kind, .typed(response), factor: factor))
    }
}

/// What an answer is given to.
public enum AnswerTarget: Sendable {
    /// An attempt that begins with this answer; it is kept only if it takes more than one.
    case opening(FlowOpening)
    /// An attempt in progress.
    case flow(FlowHandle, FlowExpectation)
}

/// How an attempt begins.
public struct FlowOpening: Sendable {
    /// Who signs in, as far as the request says it.
    public var subject: ClaimedSubject
    /// What the session and its grant are to be like.
    public var terms: GrantTerms
    /// Seconds that the attempt may take.
    public var lifetime: TimeInterval
    /// Whether a user who needs a second factor and has none may enrol one in the middle of this attempt, instead of
    /// being refused.
    public var canEnrol = false

    /// The claimed identifier.
    public enum ClaimedSubject: Sendable {
        /// The user of this address, whether there is one or not.
        case email(EmailAddress)
        /// The answer itself says who (a custom token).
        case answer
    }

    /// An attempt that may take that many seconds, in which no factor can be enrolled.
    public init(subject: ClaimedSubject, terms: GrantTerms, lifetime: TimeInterval = FlowLifetime.standard) {
        self.subject = subject
        self.terms = terms
        self.lifetime = lifetime
    }
}

/// What came of an answer. A refusal is a value: the count of attempts has to survive it. Indirect, since it is handed on and what fits is
/// large.
public indirect enum Verdict: Sendable {
    /// Right, and all that the attempt is for is done.
    case accomplished(Accomplishment)
    /// Right, and not enough.
    case more(Continuation)
    /// Right, and the attempt goes on under its handle.
    case advanced(JourneyStep)
    /// Not right, or not judged; the refusal says which.
    case refused(Refusal)
}

/// What an attempt led to.
public enum Accomplishment: Sendable {
    /// A session that began, or went on.
    case signedIn(SignedIn)
    /// A factor that is the user's now, and a session proven with it.
    case enrolled(FactorRecord, SignedIn)
    /// The user has proven to read the account's mail.
    case emailVerified(User)
    /// The account has the new password.
    case passwordReset(User)
    /// The account has the new address, or its former one again.
    case emailChanged(User)
    /// An account whose removal was asked for stays.
    case accountKept(User)
    /// A device said yes or no; the attempt that waits for it knows.
    case decided(ApprovalDecision)
    /// The sign-in is complete and waits to be fetched. The code replaces the recovery code that was used, if one was.
    case proven(ApprovalDecision, recoveryCode: Secret<String>?)
    /// A device that is the user's now.
    case deviceEnrolled(DeviceEnrolment)
    /// An app that only makes codes was enrolled by an invitation.
    case codesEnrolled(CodesEnrolment)
}

/// A session that began, or went on, just now, and what the application that asked got of it.
public struct SignedIn: Sendable {
    /// The user as of the sign-in.
    public let user: User
    /// The session, with the proofs of this attempt.
    public var session: Session
    /// What the application got of the session.
    public var grant: Grant
    /// The refresh token of the grant. Whether the application gets it is the dialect's to say.
    public let refreshToken: Secret<String>
    /// Whether the account was made by this very sign-in.
    public var isNewUser = false
    /// The recovery code that replaces the one that was used just now.
    public var recoveryCode: Secret<String>?

    /// What tokens of the grant say.
    public var evidence: SessionEvidence { SessionEvidence(session, grant) }
}

/// An attempt that needs another proof.
public struct Continuation: Sendable {
    /// The handle that the next answer goes to.
    public let handle: FlowHandle
    /// The user whose first proof was right.
    public let user: User
    /// The factors that may give it, in the order of enrolment.
    public let factors: [FactorRecord]
    /// Until when the attempt can be completed.
    public let expiresAt: Date
}

/// Why an answer was not taken.
public struct Refusal: Error, Sendable, Equatable {
    /// Why an answer was not taken. The words are stable: the log and figures have them.
    public enum Reason: String, Sendable, Codable {
        /// The password, code or signature is not right, or the address has no account.
        case wrongAnswer
        /// The address has no account; disclosed only where the application reveals that.
        case unknownUser
        /// A code that was used before, or an older one.
        case replayed
        /// No attempt has this handle, or it is another one than was expected.
        case unknownFlow
        /// The attempt's time is over.
        case flowExpired
        /// The flow led to its one success before.
        case flowFinished
        /// Too many answers in one flow.
        case flowExhausted
        /// Too many wrong answers for this authenticator; wait.
        case lockedOut
        /// Too many wrong answers for this authenticator; an administrator has to reset it.
        case authenticatorDisabled
        /// Too many answers from this source; wait.
        case sourceLimited
        /// The attempt was mailed a code a moment ago.
        case mailedLately
        /// The account is disabled, or waits for its removal.
        case userDisabled
        /// There is no such user.
        case userNotFound
        /// No such factor, or not this user's.
        case unknownFactor
        /// The factor is known, but switched off.
        case factorNotOffered
        /// This kind of answer has no place in this flow.
        case unexpectedAnswer
        /// The application asks for a second factor and the user has none.
        case secondFactorRequired
        /// The new password is not good enough.
        case weakPassword
        /// Another user took the address meanwhile.
        case addressTaken
        /// The account or the factor kept changing while the answer was judged.
        case busy
        /// A credential of the developer's own back end that is malformed.
        case malformedCredential
        /// A credential for another audience, or with an unknown signer.
        case foreignCredential
        /// A credential of the developer's own back end without a user.
        case missingIdentifier
        /// Claims of the developer's that are no object.
        case malformedClaims
        /// A claim of the developer's by a name that tokens have a meaning for: ``Refusal/claim``.
        case reservedClaim
        /// More claims than a token should carry.
        case claimsTooLarge
        /// The realm's settings do not let users sign up.
        case signUpClosed
        /// The user has as many factors of the kind as one may have.
        case factorLimitReached
        /// A device's answer: signed with another algorithm than its key's.
        case wrongAlgorithm
        /// A device's answer: not signed by its key.
        case wrongSignature
        /// A device's answer: to another request.
        case wrongChallenge
        /// A device's answer: made for another server.
        case wrongAudience
        /// A device's answer: too old, or from the future.
        case answerExpired
        /// A device's answer: the number is not the one on the screen.
        case wrongNumber
        /// No device has answered yet.
        case approvalPending
        /// A device said no.
        case approvalRejected
        /// The mailed code is too old; another can be asked for.
        case codeExpired
        /// The account has no password that could be replaced.
        case noPassword
        /// The mailbox cannot be a second factor, as it is the first.
        case unsuitableContact
        /// The user who asks has to sign in again first.
        case signInTooOld
        /// The authenticator cannot make what is asked for, or is none of those that are admitted.
        case unsuitableAuthenticator
    }

    /// Why the answer was not taken.
    public let reason: Reason
    /// When it is worth trying again.
    public var retryAt: Date?
    /// What is wrong with the new password.
    public var passwordFault: PasswordPolicy.Fault?
    /// Which claim cannot be the developer's.
    public var claim: String?
    /// When the account goes, where its owner asked for that and nothing else refuses the right answer.
    public internal(set) var removalDueAt: Date?
    /// Which check failed: for the log alone.
    var fault: String?
    /// What a means of proof of a module above the core says of a wrong answer.
    package var remark: Remark?

    package struct Remark: Sendable, Equatable {
        /// For the client; nil where nothing is said.
        package var message: String?
        /// Whether later replies repeat it.
        package var isRepeated: Bool
        /// Whether the answer could not be judged.
        package var isFault: Bool

        package init(_ message: String? = nil, isRepeated: Bool = false, isFault: Bool = false) {
            self.message = message
            self.isRepeated = isRepeated
            self.isFault = isFault
        }
    }

    init(_ reason: Reason, fault: String) {
        self.init(reason)
        self.fault = fault
    }

    package init(_ reason: Reason, _ remark: Remark) {
        self.init(reason)
        self.remark = remark
    }

    /// A refusal for this reason.
    public init(
        _ reason: Reason, retryAt: Date? = nil, passwordFault: PasswordPolicy.Fault? = nil, claim: String? = nil
    ) {
        self.reason = reason
        self.retryAt = retryAt
        self.passwordFault = passwordFault
        self.claim = claim
    }
}
