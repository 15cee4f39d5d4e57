import Foundation

/// What a method may look up to find what a response is compared with. It reads, in the transaction that charges.
package struct ProofLookup {
    let transaction: any StoreTransaction
    let sealer: Sealer
    package let now: Date
    package let settings: RealmSettings
    /// The user that the attempt is about; nil where none is known yet.
    package let user: User?
    /// The address that is claimed.
    package let email: EmailAddress?
    /// The factor that the answer names, where it names one that exists.
    package let factor: FactorRecord?
    /// The flow that is answered; nil where the attempt begins with this answer.
    package let flow: OpenFlow?

    package func user(_ id: UserID) throws -> User? { try transaction.user(id) }
    package func user(email: EmailAddress) throws -> User? { try transaction.user(email: email) }
    package func factor(_ id: FactorID) throws -> FactorRecord? { try transaction.factor(id) }

    /// The factors of the attempt's user. Also looked for where there is none, so that both cost the same.
    package func factors() throws -> [FactorRecord] { try factors(of: user?.id ?? .placeholder) }
    package func factors(of id: UserID) throws -> [FactorRecord] { try transaction.factors(of: id) }

    /// A keyed digest of what could be guessed, for the name of a counter.
    package func digest(_ text: String, for context: String) throws -> Data {
        try sealer.digest(text, for: context, in: transaction)
    }
}

/// What a method may know of the flow that is answered.
package struct OpenFlow: Sendable {
    let digest: Data
    let body: FlowBody
    package let userID: UserID?

    package var purpose: FlowPurpose { body.purpose }
    /// What was proven so far.
    package var proven: [Proof] { body.proven }

    init(_ record: FlowRecord, _ body: FlowBody) {
        digest = record.digest
        userID = record.userID
        self.body = body
    }
}

/// What ``ProofMethod/locate(_:_:in:)`` found.
package enum ProofLocation: Sendable {
    case found(LocatedProof)
    /// There is nothing to compare with, and the client may know why.
    case refused(Refusal)
}

/// What a response is compared with, and what it counts against.
package struct LocatedProof: Sendable {
    /// The user whose answer it would be; nil where there is none, which is judged all the same, at the same cost.
    @OneReference package var user: User?
    /// The row whose payload is judged. An answer counts only against the revision that it was judged by.
    @OneReference package var factor: FactorRecord?
    package var counter: Counter
    /// False where the row only has to be there still.
    package var comparesRevision = true
    /// Whether the session that it leads to is of the application in which the answer is given, and not of the one that began.
    package var adoptsClient = false

    /// What wrong answers are counted against, beside the flow and the source.
    package enum Counter: Sendable, Equatable {
        case nothing
        case factor
        /// By a name of the method's own, beginning with a word for it.
        case named(String)
    }

    package init(user: User?, factor: FactorRecord?, counter: Counter = .factor) {
        self.user = user
        self.factor = factor
        self.counter = counter
    }
}
