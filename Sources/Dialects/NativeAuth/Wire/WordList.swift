/// Words of a closed list, as one parameter carries them.
///
/// They are written with a space between them; a comma is read too, since the vendor's documents and its clients disagree.
/// The order is kept and a word is there once. Source: Native authentication API reference (Microsoft Learn).
public struct WordList<Word>: Sendable, Equatable where Word: RawRepresentable<String> & Hashable & Sendable {
    public private(set) var words: [Word] = []
    /// What stands between the separators and is no word of the list.
    public private(set) var unknown: [String] = []

    public init(_ words: [Word] = []) {
        for word in words { append(word) }
    }

    public init(_ text: String) {
        for part in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
            if let word = Word(rawValue: String(part)) { append(word) } else { unknown.append(String(part)) }
        }
    }

    private mutating func append(_ word: Word) {
        if !words.contains(word) { words.append(word) }
    }

    public func contains(_ word: Word) -> Bool { words.contains(word) }

    /// The known words of both.
    public func union(_ other: Self) -> Self {
        var union = Self(words + other.words)
        union.unknown = unknown + other.unknown
        return union
    }

    /// The known words as they are sent.
    public var text: String { words.map(\.rawValue).joined(separator: " ") }
}

/// How a user is authenticated, or what a client supports. Source: Native authentication API reference (Microsoft
/// Learn).
public enum ChallengeType: String, Codable, Hashable, Sendable, CaseIterable {
    /// A code that is sent "out of band", by mail or text message.
    case oob
    case password
    /// Not here: the app must go to a browser. Every client has to accept it.
    case redirect
    /// Only in an answer of ``Endpoint/registerChallenge``: the contact was proven before.
    case preverified
}

/// What a client can do beyond one factor. Source: MSAL for iOS.
public enum Capability: String, Codable, Hashable, Sendable, CaseIterable {
    case mfaRequired = "mfa_required"
    case registrationRequired = "registration_required"
}

/// What a token or a step is asked for with. Source: Native authentication API reference (Microsoft Learn).
public enum GrantType: String, Codable, Hashable, Sendable, CaseIterable {
    case password
    case oob
    /// The code of a second factor; the documents' examples say `oob`.
    case mfaOOB = "mfa_oob"
    case continuationToken = "continuation_token"
    case refreshToken = "refresh_token"
    /// Only at ``Endpoint/signUpContinue``.
    case attributes
}

/// Where a code goes. Source: MSAL for iOS.
public enum ChallengeChannel: String, Codable, Hashable, Sendable, CaseIterable {
    case email, sms
}
