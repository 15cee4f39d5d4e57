import Testing

@testable import WebPages

@Suite("Members that templates see")
struct MustacheMembersTests {
    private static let text = PageText("text")
    private static let mark = PageBlock.Mark(text, .good)
    private static let link = PageBlock.Link(text, to: "/to", isButton: true, leavesSite: true, download: "file")
    private static let hidden = PageForm.HiddenField(name: "csrf", value: "token")
    private static let box = PageForm.Checkbox(name: "box", label: "Box", hint: "Hint", isChecked: true)
    private static let option = PageForm.Option(id: "id", value: "value", label: text, hint: "hint", isChecked: true)
    private static let entry = PageMenu.Entry("Entry", to: "/entry", isPresent: true, heading: "Heading")
    private static let code = PageBlock.Code(picture: "<svg></svg>", caption: "Code", text: "1 2", link: link)

    private static func field() -> PageField {
        var field = PageField(name: "field", label: "Label", value: "value", autocomplete: "email")
        field.hint = "hint"
        field.inputMode = "numeric"
        field.pattern = "[0-9]*"
        field.minimumLength = 3
        field.options = [PageField.Option("value", "Label", isChosen: true)]
        field.revealLabel = "Show"
        return field
    }

    private static func form() -> PageForm {
        var form = PageForm(
            action: "/form", hidden: [hidden], account: "ada@example.com", fields: [field()],
            choices: PageForm.Choices(legend: "Legend", name: "choice", options: [option]),
            buttons: [PageForm.Button("Button", name: "decision", value: "allow")], isDecision: true)
        form.passkey = PageForm.Passkey(
            .get, options: "/options", cancelled: "cancelled", present: "present", failed: "failed")
        form.checkbox = box
        form.checkboxes = PageForm.Checkboxes(legend: "Boxes", boxes: [box])
        form.parts = [PageForm.Part("Part", anchor: "part", names: ["field", "box"])]
        form.id = "form"
        return form
    }

    private static func block() -> PageBlock {
        var block = PageBlock(text: text)
        block.heading = "heading"
        block.section = PageBlock.Section(text: "Section", anchor: "s")
        block.form = form()
        block.links = [link]
        block.items = [PageBlock.Item(text, mark: mark, details: [text], links: [link], form: form())]
        block.code = code
        block.status = PageBlock.Status("Wait", path: "/wait")
        block.notice = text
        block.more = PageBlock.More("More", text, form: form())
        block.signal = PageBlock.Signal(unknown: "u", accepted: "a", details: "d")
        block.facts = [PageBlock.Fact("Fact", text, mark: mark, link: link)]
        block.standing = PageBlock.Standing(.good, text, [text], link: link)
        block.tabs = PageBlock.Tabs("Tabs", [entry])
        block.codes = [code]
        let cell = PageTable.Cell(text, to: "/a", marks: [mark])
        block.table = PageTable(
            "Table", columns: ["A", "B"], rows: [[cell, cell]],
            choices: [PageTable.Choice(form: "form", name: "row", label: "Row")])
        block.pager = PagePager("Pages", back: link, forward: link)
        block.search = PageSearch(
            "Search", action: "/search", hidden: [hidden], fields: [field()], button: "Show", id: "id")
        block.command = PageCommand("Command", "countersign user list")
        block.drawing = "<svg></svg>"
        block.listing = "listing"
        return block
    }

    private static func menu() -> PageMenu {
        var menu = PageMenu(label: "Menu", entries: [entry], who: text, signOut: form())
        menu.folding = PageMenu.Folding(opener: "Open", closer: "Close")
        return menu
    }

    /// Goes through a value and all that is in it: what is stored under a name is what templates find by it.
    private func compare(_ value: Any, at path: String, _ types: inout Set<String>) {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle != .optional, let members = value as? any MustacheMembers {
            types.insert(String(reflecting: type(of: value)))
            #expect(members.child(named: "noSuchMember") == nil)
            for child in mirror.children {
                let name = child.label ?? ""
                let stored = Mirror(reflecting: child.value)
                let held: Any? = stored.displayStyle == .optional ? stored.children.first?.value : child.value
                let found = members.child(named: name)
                #expect(held != nil, "\(path).\(name) is not in the sample")
                #expect(found.map { "\($0)" } == held.map { "\($0)" }, "\(path).\(name)")
            }
        }
        for child in mirror.children { compare(child.value, at: "\(path).\(child.label ?? "")", &types) }
    }

    @Test func `Templates find every stored member of what a page shows, by its name`() {
        var types: Set<String> = []
        compare(Self.block(), at: "block", &types)
        compare(Self.menu(), at: "menu", &types)
        // These are made when a template asks for them.
        compare(Self.form().shownParts, at: "parts", &types)
        #expect(types.count == 35, "\(types.sorted())")
    }
}
