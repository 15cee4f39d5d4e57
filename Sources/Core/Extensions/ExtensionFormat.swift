import Foundation

/// How calls to extensions are written and their answers read: one protocol's JSON.
///
/// The core decides which service is called, with what and how often, refuses answers that are too large or too deep,
/// and judges what an answer may change. A format only spells: it has no way to grant anything.
public protocol ExtensionFormat: Sendable {
    /// The client id that calls say they come from. No application may have it.
    var caller: String { get }

    /// The body of a call.
    func body(of question: ExtensionQuestion) -> JSONValue

    /// The claims of a call's token beside its audience, its times and its own id.
    func tokenClaims(of question: ExtensionQuestion, tokenID: String) -> [String: JSONValue]

    /// The one action of an answer.
    /// - Throws: ``ExtensionFailure`` for anything but exactly one action that this event has.
    func action(in answer: JSONValue, to event: ExtensionEvent) throws(ExtensionFailure) -> ExtensionAction
}

/// What an extension is asked, in which attempt.
public struct ExtensionQuestion: Sendable {
    /// What it is about, beside the attempt.
    public enum Subject: Sendable {
        /// Which claims this user's tokens get.
        case claims(User)
        /// To send this code. The purpose is `signIn`, `signUp` or `passwordReset`.
        case code(Secret<String>, address: String, purpose: String)
        /// Whether this sign-up goes on.
        case signUp(SignUpInformation)
    }

    /// The extension that is asked.
    public let listener: CustomExtension
    /// What names the realm to its extensions.
    public let tenant: Tenant
    /// The attempt in which it is asked.
    public let occasion: ExtensionOccasion
    /// Names the request, a UUID.
    public let correlationID: String
    /// What it is asked.
    public let subject: Subject
    /// Where clients reach this server, without a slash at the end.
    public let publicURL: String

    /// A question to one extension.
    public init(
        listener: CustomExtension, tenant: Tenant, occasion: ExtensionOccasion, correlationID: String,
        subject: Subject, publicURL: String
    ) {
        self.listener = listener
        self.tenant = tenant
        self.occasion = occasion
        self.correlationID = correlationID
        self.subject = subject
        self.publicURL = publicURL
    }
}

/// What an answer tells the server to do.
public struct ExtensionAction: Sendable, Equatable {
    /// What the server is to do.
    public enum Effect: Sendable, Equatable {
        /// To go on as if no extension had been asked.
        case proceed
        /// To put claims into tokens: an object by the extension's own names.
        case provideClaims(JSONValue?)
        /// To show a sign-up's form with values: an object by attributes.
        case prefill(JSONValue?)
        /// To make the account with other values: an object by attributes.
        case change(JSONValue?)
        /// To ask again: an object of messages by attributes, and a title and a text for the whole form.
        case reject(attributes: JSONValue?, words: [String])
        /// To end the sign-up, with a title and a text.
        case block(words: [String])
    }

    /// What the server is to do; the core judges whether the event allows it.
    public let effect: Effect
    /// The protocol's name for the action, for the administrator who checks an extension.
    public let name: String

    /// The action of an answer.
    public init(_ effect: Effect, name: String) {
        self.effect = effect
        self.name = name
    }
}

/// For realms that call no extension.
public struct NoExtensionFormat: ExtensionFormat {
    public let caller = ""

    /// A format that writes nothing and reads no answer.
    public init() {}

    public func body(of question: ExtensionQuestion) -> JSONValue { .object([:]) }

    public func tokenClaims(of question: ExtensionQuestion, tokenID: String) -> [String: JSONValue] { [:] }

    public func action(
        in answer: JSONValue, to event: ExtensionEvent
    ) throws(ExtensionFailure) -> ExtensionAction {
        throw ExtensionFailure(.unexpectedError, "this process reads no answers of extensions")
    }
}
