/// What a means of proof declares of itself. The engine asks these and no name.
package struct ProofTraits: Sendable {
    /// What a right answer of the kind is good for.
    package enum Role: Sendable, Equatable {
        /// Begins a sign-in.
        case first
        /// Is given beside a first proof; a user who has enrolled one is asked for it.
        case second
        /// Stands in for a second factor and is none: a user who has nothing else is not asked for it.
        case standIn
        /// Is given as a second factor only where one is required and the user has no stronger one.
        case lesserSecond
        /// Begins a sign-in, and is one of the second factors wherever one is asked for. It does not cause the asking: protocols
        /// whose messages cannot carry it would lock its owner out.
        case firstOrSecond
        /// Answers what one flow asked, such as a mailed link.
        case answer

        /// Whether it opens the account by itself.
        var isFirst: Bool { self == .first || self == .firstOrSecond }
        /// Whether it may be given beside a first proof.
        var isGivenAsSecond: Bool { self == .second || self == .standIn || self == .firstOrSecond }
        /// Whether a session without it may not change the user's ways to sign in.
        var guardsFactors: Bool { self == .second || self == .firstOrSecond }
    }

    /// How the user is asked for a second factor of the kind.
    package enum Prompt: Sendable, Equatable {
        /// The user types a code, which the factor makes.
        case code
        /// A code goes to the mailbox that the factor is.
        case mail
        /// The device that the factor is receives a request.
        case device
        /// The client responds to a challenge (``ProofMethod/challenge(_:)``); the user types nothing.
        case response
    }

    package var role: Role
    package var prompt = Prompt.code
    /// Whether an answer could be guessed. Then it is counted before it is judged: against the flow, the source, and what
    /// ``LocatedProof/counter`` names. A wrong one that could not be guessed counts against the source alone, afterwards.
    package var isGuessable = true
    /// Whether a challenge takes one answer, right or wrong: it is taken before the answer is judged.
    package var takesChallenge = false
    /// Whether judging takes much longer than a transaction, so that it is never done within one (``ProofMethod/judgeAtOnce(_:against:by:)``).
    package var isJudgedSlowly = false
    /// What wrong answers cost.
    package var lockout = LockoutPolicy.oneTimeCode
    /// Whether wrong answers are forgotten after idle days. Those in a row of a factor with short codes are not.
    package var forgetsWrongAnswers = false
    /// Factors of the kind that one user may have; 0 where there are no rows.
    package var limitPerUser = 0
    /// Whether a factor is imported and exported with its account as its payload. What has a form of its own in other
    /// systems is moved by its own type.
    package var movesAsIs = false
    /// What a user is told who has one more of the kind.
    var addedNotice = AccountNotice.Kind.factorAdded
    /// Whether the realm has it switched on.
    package var isOffered: @Sendable (SecondFactorSettings) -> Bool = { _ in true }
    /// How much it proves, where the answer does not say more or less.
    package var assurance: Assurance
    /// What tokens say of it (`amr`, RFC 8176, section 2). Empty where a protocol has no word for it.
    package var amr: [String] = []
    /// The same of an answer by a key that is known to be in hardware (``Assurance/hardware``); nil where that makes no difference.
    package var amrInHardware: [String]?
    /// What evidence and log call it where that is another kind: a mailed code and a mailed link both prove a mailbox.
    package var evidence: FactorKind?
    /// Whether the log of a refused answer says the kind.
    package var isNamedInLog = true
    /// Whether it may be the first answer of an attempt, which then begins with it.
    package var opensSignIn = false
    /// Whether ``ProofMethod/locate(_:_:in:)`` may find another user than the flow's: the response says who it is.
    package var namesUser = false
    /// Whether a ticket can enrol it: it comes with its secret or brings its key.
    package var isEnrolledByTicket = false

    package init(role: Role, assurance: Assurance) {
        self.role = role
        self.assurance = assurance
    }
}
