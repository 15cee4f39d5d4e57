/// The words that providers show for a request. What comes from a caller is made harmless: no control character can
/// steer the terminal, no mark can turn the direction of the text, no line break can add a line that looks like ours.
struct PresenceText {
    /// What is asked and for which program, one line each.
    let lines: [String]
    /// The short label before the input.
    let prompt: String
    /// The label for the second time, where something new is set.
    let promptAgain: String?
    /// What was wrong with the answer before.
    let complaint: String?
    /// The fewest characters of a new passcode; 1 where anything goes.
    let minimumLength: Int

    init(_ request: PresenceRequest, minimumLength: Int) {
        let application = Self.harmless(request.application, limit: 64)
        let isNew: Bool
        switch request.kind {
        case .unlock:
            (prompt, isNew) = ("Passcode", false)
            lines = ["Open the keychain of \"\(application)\"."] + Self.reason(request)
            self.minimumLength = 1
        case .passcode:
            (prompt, isNew) = ("Passcode", false)
            lines = ["\"\(application)\" asks for the passcode of its keychain."] + Self.reason(request)
            self.minimumLength = 1
        case .newPasscode:
            (prompt, isNew) = ("New passcode", true)
            lines =
                ["Choose a passcode for the keychain of \"\(application)\": at least \(minimumLength) characters."]
                + Self.reason(request)
            self.minimumLength = max(minimumLength, 1)
        case .applicationPassword(let isNewPassword):
            (prompt, isNew) = (isNewPassword ? "New application password" : "Application password", isNewPassword)
            lines = ["\"\(application)\" asks for the password of one of its items."] + Self.reason(request)
            self.minimumLength = 1
        }
        promptAgain = isNew ? "Once more" : nil
        complaint = request.triesLeftAfterWrongAnswer.map {
            switch $0 {
            case ..<1: "That was wrong. Another wrong answer has to be waited out."
            case 1: "That was wrong. One more try before a longer wait."
            default: "That was wrong. \($0) more tries before a longer wait."
            }
        }
    }

    static let mismatch = "The two are not the same. Type them anew."

    var tooShort: String { "Too short: at least \(minimumLength) characters." }

    static let tooLong = "Too long: at most \(PresenceLimits.credentialBytes) bytes."

    /// Whether `passcode` has enough characters: those that UTF-8 begins, so that an accented letter counts once.
    func isLongEnough(_ passcode: UnsafeRawBufferPointer) -> Bool {
        var characters = 0
        for byte in passcode where byte & 0xC0 != 0x80 { characters += 1 }
        return characters >= minimumLength
    }

    private static func reason(_ request: PresenceRequest) -> [String] {
        guard let reason = request.reason.map({ harmless($0, limit: 200) }), !reason.isEmpty else { return [] }
        return ["Reason given: \"\(reason)\""]
    }

    /// `text` on one line, without what steers a terminal or turns the reading direction, cut to `limit` scalars.
    ///
    /// Joiners stay, since scripts need them to be spelt right. Other invisible characters go: they can only deceive.
    static func harmless(_ text: String, limit: Int) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard result.count < limit else {
                result.append("…")
                break
            }
            if scalar.properties.isWhitespace {
                if result.last != " " { result.append(" ") }
                continue
            }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: continue
            case .format where scalar != "\u{200C}" && scalar != "\u{200D}": continue
            default: break
            }
            if scalar.properties.isBidiControl { continue }
            result.append(scalar)
        }
        while result.last == " " { result.removeLast() }
        return String(result)
    }
}

/// What all providers hold to.
enum PresenceLimits {
    /// The longest credential in bytes. More is refused, never cut.
    static let credentialBytes = 1024
}
