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
        /// Answers what one flow asked, such as a mailed link.
        case answer
    }

    /// How the user is asked for a second factor of the kind.
    package enum Prompt: Sendable, Equatable {
        /// The user types a code, which the factor makes.
        case code
        /// A code goes to the mailbox that the factor is.
        case mail
        /// The device that the factor is receives a request.
        case device
    }

    package var role: Role
    package var prompt = Prompt.code
    /// Whether an answer could be guessed. Then it is counted before it is judged: against the flow, the source, and what
    /// ``LocatedProof/counter`` names. A wrong one that could not be guessed counts against the source alone, afterwards.
    package var isGuessable = true
    /// What wrong answers cost.
    package var lockout = LockoutPolicy.oneTimeCode
    /// Whether wrong answers are forgotten after idle days. Those in a row of a factor with short codes are not.
    package var forgetsWrongAnswers = false
    /// Factors of the kind that one user may have; 0 where there are no rows.
    package var limitPerUser = 0
    /// Whether a factor is imported and exported with its account as its payload. What has a form of its own in other
    /// systems is moved by its own type.
    package var movesAsIs = false
    /// Whether the realm has it switched on.
    package var isOffered: @Sendable (SecondFactorSettings) -> Bool = { _ in true }
    /// How much it proves, where the answer does not say more or less.
    package var assurance: Assurance
    /// What tokens say of it (`amr`, RFC 8176, section 2). Empty where a protocol has no word for it.
    package var amr: [String] = []
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
