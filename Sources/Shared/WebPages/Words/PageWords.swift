/// A catalogue of words: what a group of pages says, in one language.
///
/// A catalogue is a struct whose properties are the keys: a text, or a function where the text contains a value. The compiler checks
/// that it is complete: a language that lacks a key makes no value, and a catalogue that lacks a language does not conform. To
/// add a language is to add a case to ``PageLanguage`` and a requirement here, and then a value to each catalogue.
public protocol PageWords: Sendable {
    static var english: Self { get }
    static var german: Self { get }
    static var japanese: Self { get }
}

extension PageWords {
    /// The words in that language.
    public static func of(_ language: PageLanguage) -> Self {
        switch language {
        case .english: english
        case .german: german
        case .japanese: japanese
        }
    }
}
