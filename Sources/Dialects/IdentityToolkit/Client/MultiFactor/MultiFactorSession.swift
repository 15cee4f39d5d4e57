import Foundation

/// A handle to an enrolment or a sign-in that goes on with a second factor. Source: Firebase API reference for Swift,
/// `MultiFactorSession`.
public final class MultiFactorSession: NSObject, Sendable {
    enum Purpose: Sendable {
        case enrollment(User)
        case signIn(pendingCredential: String)
    }

    let purpose: Purpose

    init(_ purpose: Purpose) { self.purpose = purpose }
}

/// The answer to the question for a second factor. Made by ``TOTPMultiFactorGenerator``.
open class MultiFactorAssertion: NSObject, @unchecked Sendable {
    // Proof: everything stored, here and in the module's subclass, is immutable and Sendable, and only the module can
    // call the initializer that a subclass needs.

    /// For instance ``TOTPMultiFactorID``.
    public let factorID: String

    init(factorID: String) { self.factorID = factorID }
}

/// A code from an authenticator, together with what it answers.
public final class TOTPMultiFactorAssertion: MultiFactorAssertion, @unchecked Sendable {
    // Proof: see MultiFactorAssertion; what is added is immutable and Sendable.
    enum Question: Sendable {
        case enrollment(TOTPSecret)
        case signIn(enrollmentID: String)
    }

    let question: Question
    let oneTimePassword: String

    init(_ question: Question, oneTimePassword: String) {
        self.question = question
        self.oneTimePassword = oneTimePassword
        super.init(factorID: TOTPMultiFactorID)
    }
}
