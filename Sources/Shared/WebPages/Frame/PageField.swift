/// A field of a form with its label, which a template shows with `{{#field}}{{>field}}{{/field}}`.
///
/// A refused field is tied to the page's ``Page/problem`` (WCAG 2.2, success criterion 3.3.1).
public struct PageField: Sendable {
    /// The name of the form's parameter, and the element's id.
    public var name: String
    public var label: String
    /// The type of the HTML `input`.
    public var type: String
    /// What the field has before anything is typed: never a secret. The page shows characters in it that deceive as U+FFFD
    /// (``shown(_:isMultiline:)``), so who makes a field gives the text as it is.
    public var value: String?
    /// A sentence below the label.
    public var hint: String?
    /// The keyboard that a phone shows (HTML, `inputmode`).
    public var inputMode: String?
    /// What browsers and password managers fill in (HTML, `autocomplete`).
    public var autocomplete: String?
    /// The regular expression that the browser checks before it sends the form.
    public var pattern: String?
    /// In UTF-16 code units, as browsers count them.
    public var minimumLength: Int?
    /// In UTF-16 code units, as browsers count them; nil for fields of other types than text.
    public var maximumLength: Int?
    public var isRequired = true
    /// Whether the keyboard goes there first, where no problem is shown.
    public var isFirst = true
    /// Whether the page's problem is about this field.
    public var isInvalid: Bool
    /// Whether it has several lines.
    public var isMultiline = false
    /// What it may be, where it is one of several; nil: anything.
    public var options: [Option]?
    /// What the button says that shows a password while it is typed; nil: there is none.
    public var revealLabel: String?

    public init(
        name: String, label: String, type: String = "text", value: String? = nil, autocomplete: String? = nil,
        maximumLength: Int? = 256, isRequired: Bool = true, isFirst: Bool = true, isInvalid: Bool = false
    ) {
        self.name = name
        self.label = label
        self.type = type
        self.value = value
        self.autocomplete = autocomplete
        self.maximumLength = Self.typesOfText.contains(type) ? maximumLength : nil
        self.isRequired = isRequired
        self.isFirst = isFirst
        self.isInvalid = isInvalid
    }

    /// Types whose values have a length (HTML, section 4.10.5).
    private static let typesOfText: Set<String> = ["text", "search", "url", "tel", "email", "password"]

    /// A value that a field may have.
    public struct Option: Sendable {
        public var value: String
        public var label: String
        public var isChosen: Bool

        public init(_ value: String, _ label: String, isChosen: Bool = false) {
            self.value = value
            self.label = label
            self.isChosen = isChosen
        }
    }

    /// One of several values.
    public static func choice(name: String, label: String, options: [Option], isInvalid: Bool = false) -> PageField {
        var field = PageField(name: name, label: label, isRequired: false, isFirst: false, isInvalid: isInvalid)
        field.options = options
        return field
    }

    /// Several lines, such as JSON.
    public static func lines(
        name: String, label: String, value: String?, maximumLength: Int, isRequired: Bool = true,
        isInvalid: Bool = false
    ) -> PageField {
        var field = PageField(
            name: name, label: label, value: value, autocomplete: "off", maximumLength: maximumLength,
            isRequired: isRequired, isFirst: false, isInvalid: isInvalid)
        field.isMultiline = true
        return field
    }

    /// A file of the user's. A form that has one is sent as `multipart/form-data`.
    public static func file(name: String, label: String) -> PageField {
        PageField(name: name, label: label, type: "file", maximumLength: nil, isRequired: false, isFirst: false)
    }

    /// A text as the field shows it: what takes no room, controls, and what turns the direction of text become U+FFFD. Joiners, letters that
    /// are written from the right, and the lines of a field that has several stay as they are.
    public static func shown(_ text: String, isMultiline: Bool) -> String {
        PageText.inField(text, isMultiline: isMultiline)
    }

    /// What a form says of a text that one of its fields had: the text itself where it came back as it was shown, so that a field that was
    /// left alone changes nothing; else what was typed.
    public static func edited(_ typed: String, from text: String?, isMultiline: Bool = false) -> String {
        guard let text else { return typed }
        func lines(_ text: String) -> String { text.replacing("\r\n", with: "\n").replacing("\r", with: "\n") }
        return lines(typed) == lines(shown(text, isMultiline: isMultiline)) ? text : typed
    }

    /// Whether it is one line of typed text.
    var isLine: Bool { !isMultiline && options == nil }
    /// The keyboard goes to what is wrong first.
    var takesFocus: Bool { isFirst && !isInvalid }
    /// What describes the field: its hint, and the problem.
    var descriptions: String? {
        let ids = (hint == nil ? [] : ["\(name)-hint"]) + (isInvalid ? ["problem"] : [])
        return ids.isEmpty ? nil : ids.joined(separator: " ")
    }

    /// A password that the user chooses.
    public static func newPassword(
        name: String, label: String, advice: String, minimumLength: Int, isInvalid: Bool, revealLabel: String? = nil
    ) -> PageField {
        var field = PageField(
            name: name, label: label, type: "password", autocomplete: "new-password", maximumLength: nil,
            isInvalid: isInvalid)
        field.hint = advice
        field.minimumLength = minimumLength
        field.revealLabel = revealLabel
        return field
    }

    /// Digits that an authenticator app shows, or that a mail brought.
    public static func oneTimeCode(name: String, label: String, isRequired: Bool = true, isInvalid: Bool) -> PageField {
        var field = PageField(
            name: name, label: label, autocomplete: "one-time-code", maximumLength: 16, isRequired: isRequired,
            isInvalid: isInvalid)
        field.inputMode = "numeric"
        field.pattern = "[0-9 ]*"
        return field
    }
}
