/// A form of a page: fields, choices and buttons, sent by POST.
public struct PageForm: Sendable {
    /// What the browser sends beside what people type.
    public struct HiddenField: Sendable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// One of several: radio buttons with a legend.
    public struct Choices: Sendable {
        public var legend: String
        public var name: String
        public var options: [Option]

        public init(legend: String, name: String, options: [Option]) {
            self.legend = legend
            self.name = name
            self.options = options
        }
    }

    /// A radio button.
    public struct Option: Sendable {
        public var id: String
        public var value: String
        public var label: PageText
        public var hint: String?
        public var isChecked: Bool

        public init(id: String, value: String, label: PageText, hint: String? = nil, isChecked: Bool = false) {
            self.id = id
            self.value = value
            self.label = label
            self.hint = hint
            self.isChecked = isChecked
        }
    }

    /// What a person may choose beside what is typed. Nothing is sent where it is not chosen.
    public struct Checkbox: Sendable {
        /// The name of the form's parameter, and the element's id.
        public var name: String
        public var label: String
        public var hint: String?
        public var isChecked: Bool

        public init(name: String, label: String, hint: String? = nil, isChecked: Bool = false) {
            self.name = name
            self.label = label
            self.hint = hint
            self.isChecked = isChecked
        }
    }

    /// Several that may be chosen beside each other.
    public struct Checkboxes: Sendable {
        public var legend: String
        public var boxes: [Checkbox]

        public init(legend: String, boxes: [Checkbox]) {
            self.legend = legend
            self.boxes = boxes
        }
    }

    /// A part of a long form: what belongs together in it, as a group with a legend, which is a heading and which addresses may name.
    public struct Part: Sendable {
        public var legend: String
        /// The element's id; no field has it.
        public var anchor: String
        /// The names of the form's ``PageForm/fields`` and ``PageForm/checkboxes`` that stand in it.
        public var names: [String]

        public init(_ legend: String, anchor: String, names: [String]) {
            self.legend = legend
            self.anchor = anchor
            self.names = names
        }
    }

    /// A part with what stands in it.
    struct ShownPart: Sendable {
        var legend: String
        var anchor: String
        var fields: [PageField]
        var boxes: [Checkbox]
    }

    /// What sends the form.
    public struct Button: Sendable {
        public var label: String
        /// What the form says where this one sends it.
        public var name: String?
        public var value: String?
        /// Whether it looks less urgent than others.
        public var isSecondary: Bool
        /// Whether it looks like a link: what is seldom wanted, and is no alternative to the buttons beside it.
        public var isQuiet: Bool
        /// Whether it sends the form although fields are empty.
        public var skipsValidation: Bool
        /// Whether it does what cannot be undone.
        public var isDangerous = false

        public init(
            _ label: String, name: String? = nil, value: String? = nil, isSecondary: Bool = false,
            isQuiet: Bool = false, skipsValidation: Bool = false
        ) {
            self.label = label
            self.name = name
            self.value = value
            self.isSecondary = isSecondary
            self.isQuiet = isQuiet
            self.skipsValidation = skipsValidation
        }
    }

    /// A passkey that the form sends: `passkey.js` shows the form, asks the browser, and sends what it answers as `response`. Without the
    /// script the form stays hidden.
    public struct Passkey: Sendable {
        public enum Ceremony: String, Sendable {
            case create
            case get
        }

        let name: String
        /// Where the options come from: a path of this server that takes the form's fields by POST.
        public var options: String
        /// Whether the browser is asked without a dialog as soon as the page is there: passkeys among the suggestions of a field, or one that
        /// is made after another sign-in.
        public var isConditional: Bool
        /// What the page says where the user has cancelled, or has a passkey there already, or the browser fails.
        public var cancelled: String
        public var present: String
        public var failed: String

        public init(
            _ ceremony: Ceremony, options: String, isConditional: Bool = false, cancelled: String, present: String,
            failed: String
        ) {
            name = ceremony.rawValue
            self.options = options
            self.isConditional = isConditional
            self.cancelled = cancelled
            self.present = present
            self.failed = failed
        }
    }

    /// A path of this server.
    public var action: String
    public var passkey: Passkey?
    public var hidden: [HiddenField]
    /// Whose password it is, for password managers alone: people do not see it, and it is not sent.
    public var account: String?
    public var fields: [PageField]
    public var choices: Choices?
    /// Stands above the buttons.
    public var checkbox: Checkbox?
    /// Several of them, with a legend.
    public var checkboxes: Checkboxes?
    /// The groups that fields and checkboxes stand in, in the order of the page. What no part names stands before them, fields, or after them,
    /// checkboxes. A template of an operator's own that knows no parts shows all fields and checkboxes one after another.
    public var parts: [Part] = []
    /// The element's id, by which controls elsewhere on the page belong to it.
    public var id: String?
    public var buttons: [Button]
    /// Whether the buttons are side by side and of one size, as where a person agrees or refuses.
    public var isDecision: Bool

    public init(
        action: String, hidden: [HiddenField] = [], account: String? = nil, fields: [PageField] = [],
        choices: Choices? = nil,
        buttons: [Button], isDecision: Bool = false
    ) {
        self.action = action
        self.hidden = hidden
        self.account = account
        self.fields = fields
        self.choices = choices
        self.buttons = buttons
        self.isDecision = isDecision
    }
}

/// A part of a page's content. One of the members is there.
public struct PageBlock: Sendable {
    var text: PageText?
    var heading: String?
    var section: Section?
    var form: PageForm?
    var links: [Link]?
    var items: [Item]?
    var code: Code?
    var status: Status?
    var notice: PageText?
    var more: More?
    var signal: Signal?
    var facts: [Fact]?
    var standing: Standing?
    var tabs: Tabs?
    var codes: [Code]?
    var table: PageTable?
    var pager: PagePager?
    var search: PageSearch?
    var command: PageCommand?
    var drawing: String?
    var listing: String?

    /// A heading that addresses may name (`#passkeys`).
    struct Section: Sendable {
        var text: String
        var anchor: String
    }

    /// A form that shows when its heading is chosen.
    public struct More: Sendable {
        public var label: String
        public var text: PageText?
        public var form: PageForm
        public var isOpen: Bool

        public init(_ label: String, _ text: PageText? = nil, form: PageForm, isOpen: Bool = false) {
            self.label = label
            self.text = text
            self.form = form
            self.isOpen = isOpen
        }
    }

    /// A link to another page.
    public struct Link: Sendable {
        public var label: PageText
        public var target: String
        public var isButton: Bool
        /// Whether the button looks less urgent than others.
        public var isSecondary: Bool
        /// Whether it leads to another site, which learns nothing of this page.
        public var leavesSite: Bool
        /// The name under which the browser keeps what the link leads to; nil: it is a page.
        public var download: String?

        public init(
            _ label: PageText, to target: String, isButton: Bool = false, isSecondary: Bool = false,
            leavesSite: Bool = false, download: String? = nil
        ) {
            self.label = label
            self.target = target
            self.isButton = isButton
            self.isSecondary = isSecondary
            self.leavesSite = leavesSite
            self.download = download
        }
    }

    /// An entry of a list, with what can be done about it.
    public struct Item: Sendable {
        public var title: PageText
        /// A word or two beside the title: what sets it apart.
        public var mark: Mark?
        public var details: [PageText]
        public var links: [Link]
        public var form: PageForm?

        public init(
            _ title: PageText, mark: Mark? = nil, details: [PageText] = [], links: [Link] = [], form: PageForm? = nil
        ) {
            self.title = title
            self.mark = mark
            self.details = details
            self.links = links
            self.form = form
        }
    }

    /// A word or two that sets something apart. The words say it, its colour only stresses them.
    public struct Mark: Sendable {
        public enum Look: String, Sendable {
            case plain
            case good
            case alarming
        }

        public var text: PageText
        public var look: Look
        /// The class of the look.
        let kind: String

        public init(_ text: PageText, _ look: Look = .plain) {
            self.text = text
            self.look = look
            kind = look.rawValue
        }
    }

    /// Something that is known: what it is, and what is known.
    public struct Fact: Sendable {
        public var label: String
        public var value: PageText
        public var mark: Mark?
        public var link: Link?

        public init(_ label: String, _ value: PageText, mark: Mark? = nil, link: Link? = nil) {
            self.label = label
            self.value = value
            self.mark = mark
            self.link = link
        }
    }

    /// How something stands, in one sentence and a few more words.
    public struct Standing: Sendable {
        public var title: PageText
        public var texts: [PageText]
        public var link: Link?
        let kind: String

        public init(_ look: Mark.Look, _ title: PageText, _ texts: [PageText] = [], link: Link? = nil) {
            self.title = title
            self.texts = texts
            self.link = link
            kind = look.rawValue
        }
    }

    /// Ways to look at one list, of which one is chosen.
    public struct Tabs: Sendable {
        /// What screen readers call them.
        public var label: String
        public var entries: [PageMenu.Entry]

        public init(_ label: String, _ entries: [PageMenu.Entry]) {
            self.label = label
            self.entries = entries
        }
    }

    /// A code to scan, and the same as text.
    public struct Code: Sendable {
        /// An image as SVG, made by this server.
        public var picture: String?
        public var caption: String
        /// Text to compare or to type.
        public var text: String
        /// The text as a screen reader reads it: digit by digit.
        public var spoken: String
        /// Whether there is a text.
        let isTyped: Bool
        public var link: Link?

        public init(picture: String? = nil, caption: String, text: String, link: Link? = nil) {
            self.picture = picture
            self.caption = caption
            self.text = text
            isTyped = !text.isEmpty
            spoken = text.filter { $0 != " " }.map(String.init).joined(separator: " ")
            self.link = link
        }
    }

    /// What the page waits for; `wait.js` asks the path and follows where it says.
    public struct Status: Sendable {
        public var text: String
        public var path: String

        public init(_ text: String, path: String) {
            self.text = text
            self.path = path
        }
    }

    /// What the browser's passkey manager is told of what the server knows (WebAuthn Level 3, section 5.1.10); people see nothing.
    public struct Signal: Sendable {
        /// JSON of `signalUnknownCredential`.
        var unknown: String?
        /// JSON of `signalAllAcceptedCredentials`.
        var accepted: String?
        /// JSON of `signalCurrentUserDetails`.
        var details: String?
    }

    /// A credential that the server does not know: its manager may offer it no more.
    public static func unknownPasskey(_ json: String) -> PageBlock { PageBlock(signal: Signal(unknown: json)) }
    /// All passkeys that the user has. Never a list that may be incomplete: managers hide the others.
    public static func acceptedPasskeys(_ json: String) -> PageBlock { PageBlock(signal: Signal(accepted: json)) }
    /// What the user of the passkeys is called now.
    public static func userOfPasskeys(_ json: String) -> PageBlock { PageBlock(signal: Signal(details: json)) }
    public static func text(_ text: PageText) -> PageBlock { PageBlock(text: text) }
    public static func heading(_ text: String) -> PageBlock { PageBlock(heading: text) }
    /// - Parameter anchor: the element's id.
    public static func heading(_ text: String, anchor: String) -> PageBlock {
        PageBlock(section: Section(text: text, anchor: anchor))
    }
    public static func form(_ form: PageForm) -> PageBlock { PageBlock(form: form) }
    public static func links(_ links: [Link]) -> PageBlock { PageBlock(links: links) }
    public static func items(_ items: [Item]) -> PageBlock { PageBlock(items: items) }
    public static func code(_ code: Code) -> PageBlock { PageBlock(code: code) }
    public static func status(_ status: Status) -> PageBlock { PageBlock(status: status) }
    public static func more(_ more: More) -> PageBlock { PageBlock(more: more) }
    public static func facts(_ facts: [Fact]) -> PageBlock { PageBlock(facts: facts) }
    public static func standing(_ standing: Standing) -> PageBlock { PageBlock(standing: standing) }
    public static func tabs(_ tabs: Tabs) -> PageBlock { PageBlock(tabs: tabs) }
    /// Several codes, to be kept on paper.
    public static func codes(_ codes: [String]) -> PageBlock {
        PageBlock(codes: codes.map { Code(caption: "", text: $0) })
    }
    /// Something that went well, or that is good to know.
    public static func notice(_ text: PageText) -> PageBlock { PageBlock(notice: text) }
}

extension PageForm {
    /// Its parts as templates show them.
    var shownParts: [ShownPart] {
        parts.map { part in
            ShownPart(
                legend: part.legend, anchor: part.anchor,
                fields: part.names.compactMap { name in fields.first { $0.name == name } },
                boxes: part.names.compactMap { name in checkboxes?.boxes.first { $0.name == name } })
        }
    }

    private var namesInParts: Set<String> { Set(parts.flatMap(\.names)) }

    /// The fields that stand in no part.
    var plainFields: [PageField] { fields.filter { !namesInParts.contains($0.name) } }

    /// The checkboxes that stand in no part; nil where there are none.
    var plainCheckboxes: Checkboxes? {
        guard let checkboxes else { return nil }
        let plain = checkboxes.boxes.filter { !namesInParts.contains($0.name) }
        return plain.isEmpty ? nil : Checkboxes(legend: checkboxes.legend, boxes: plain)
    }

    fileprivate mutating func leaveFocus() {
        for index in fields.indices { fields[index].isFirst = false }
    }
}

extension PageBlock {
    /// Has no field take the keyboard when the page opens.
    mutating func leaveFocus() {
        form?.leaveFocus()
        more?.form.leaveFocus()
    }
}
