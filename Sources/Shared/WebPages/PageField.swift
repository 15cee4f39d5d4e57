/// A text field of a form with its label, which a template shows with `{{#field}}{{>field}}{{/field}}`.
///
/// A refused field is tied to the page's ``Page/problem`` (WCAG 2.2, success criterion 3.3.1).
public struct PageField: Sendable {
    /// The name of the form's parameter, and the element's id.
    public var name: String
    public var label: String
    /// The type of the HTML `input`.
    public var type: String
    /// The keyboard that a phone shows (HTML, `inputmode`).
    public var inputMode: String?
    /// What browsers and password managers fill in (HTML, `autocomplete`).
    public var autocomplete: String?
    /// The regular expression that the browser checks before it sends the form.
    public var pattern: String?
    /// In UTF-16 code units, as browsers count them.
    public var minimumLength: Int?
    /// In UTF-16 code units, as browsers count them.
    public var maximumLength: Int?
    /// Whether the page's problem is about this field.
    public var isInvalid: Bool

    /// A password that the user chooses.
    public static func newPassword(
        name: String, label: String, minimumLength: Int, isInvalid: Bool
    ) -> PageField {
        PageField(
            name: name, label: label, type: "password", autocomplete: "new-password", minimumLength: minimumLength,
            isInvalid: isInvalid)
    }

    /// Digits that an authenticator app shows.
    public static func oneTimeCode(name: String, label: String, isInvalid: Bool) -> PageField {
        PageField(
            name: name, label: label, type: "text", inputMode: "numeric", autocomplete: "one-time-code",
            pattern: "[0-9 ]*", maximumLength: 16, isInvalid: isInvalid)
    }
}
