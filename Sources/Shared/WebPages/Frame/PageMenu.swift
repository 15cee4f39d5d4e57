/// Where a signed-in user can go from a page: the menu of the account, or of another group of pages.
///
/// It stands beside the page's content where there is room, and above it otherwise. A link before it leads to the content, so that a
/// keyboard need not pass it on every page (WCAG 2.2, success criterion 2.4.1).
public struct PageMenu: Sendable {
    /// A page of the group.
    public struct Entry: Sendable {
        public var label: String
        public var target: String
        /// Whether the page that is shown is this one, or belongs to it.
        public var isPresent: Bool
        /// What this entry and those after it have in common; nil: nothing new.
        public var heading: String?

        public init(_ label: String, to target: String, isPresent: Bool = false, heading: String? = nil) {
            self.label = label
            self.target = target
            self.isPresent = isPresent
            self.heading = heading
        }
    }

    /// What a long menu is folded to on narrow screens: links that open and close it, without a script.
    public struct Folding: Sendable {
        var opener: String
        var closer: String

        public init(opener: String, closer: String) {
            self.opener = opener
            self.closer = closer
        }
    }

    /// What screen readers call the menu.
    public var label: String
    public var entries: [Entry]
    /// Nil: the menu is open on every screen.
    public var folding: Folding?
    /// Who is signed in.
    public var who: PageText?
    /// The form that signs out.
    public var signOut: PageForm?

    public init(label: String, entries: [Entry], who: PageText? = nil, signOut: PageForm? = nil) {
        self.label = label
        self.entries = entries
        self.who = who
        self.signOut = signOut
    }
}
