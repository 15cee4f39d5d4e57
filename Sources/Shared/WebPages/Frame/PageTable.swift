/// A list as a table: one row for each thing, what it is called first. Narrow screens show each row as a list of its own.
public struct PageTable: Sendable {
    /// What a row says under one column.
    public struct Cell: Sendable {
        public var text: PageText
        /// A path of this server.
        public var target: String?
        public var marks: [PageBlock.Mark]

        public init(_ text: PageText, to target: String? = nil, marks: [PageBlock.Mark] = []) {
            self.text = text
            self.target = target
            self.marks = marks
        }
    }

    /// A cell with the label of its column.
    struct LabelledCell: Sendable {
        var label: String
        var text: PageText
        var target: String?
        var marks: [PageBlock.Mark]
    }

    struct Row: Sendable {
        var head: LabelledCell
        var cells: [LabelledCell]
        var choice: Choice?
    }

    /// A box that ticks the row, in the form of that id.
    public struct Choice: Sendable {
        public var form: String
        public var name: String
        public var label: String

        public init(form: String, name: String, label: String) {
            self.form = form
            self.name = name
            self.label = label
        }
    }

    /// What screen readers call it.
    var caption: String
    var columns: [String]
    var rows: [Row]
    var hasChoices: Bool

    /// Whether there is no row to show.
    public var isEmpty: Bool { rows.isEmpty }

    /// - Parameters:
    ///   - columns: the labels; the first is of what a row is called.
    ///   - rows: as many cells in each as there are columns; of others, those that have no column are left out.
    ///   - choices: nil, or one for each row.
    public init(_ caption: String, columns: [String], rows: [[Cell]], choices: [Choice]? = nil) {
        self.caption = caption
        self.columns = columns
        hasChoices = choices != nil
        self.rows = rows.enumerated().compactMap { index, cells in
            let labelled = zip(columns, cells).map { label, cell in
                LabelledCell(label: label, text: cell.text, target: cell.target, marks: cell.marks)
            }
            guard let head = labelled.first else { return nil }
            let choice = choices.flatMap { index < $0.count ? $0[index] : nil }
            return Row(head: head, cells: Array(labelled.dropFirst()), choice: choice)
        }
    }
}

/// Links to the neighbours of a page of a list.
public struct PagePager: Sendable {
    /// What screen readers call them.
    var label: String
    var back: PageBlock.Link?
    var forward: PageBlock.Link?

    public init(_ label: String, back: PageBlock.Link?, forward: PageBlock.Link?) {
        self.label = label
        self.back = back
        self.forward = forward
    }
}

/// A form that looks for something and changes nothing: it is sent by GET, or by POST where it can say more than an address holds.
public struct PageSearch: Sendable {
    /// Read by the template.
    var method: String
    var action: String
    var label: String
    var hidden: [PageForm.HiddenField]
    var fields: [PageField]
    var button: String
    /// The element's id, where boxes elsewhere on the page belong to it; it then leads on with what is ticked, and searches nothing.
    var id: String?

    /// - Parameters:
    ///   - label: what screen readers call it.
    ///   - action: a path of this server.
    ///   - isPosted: whether it is sent by POST; then `hidden` shows that it is of this page.
    public init(
        _ label: String, action: String, hidden: [PageForm.HiddenField] = [], fields: [PageField], button: String,
        id: String? = nil, isPosted: Bool = false
    ) {
        method = isPosted ? "post" : "get"
        self.id = id
        self.label = label
        self.action = action
        self.hidden = hidden
        self.fields = fields
        self.button = button
    }
}

/// A command that does what the page does.
public struct PageCommand: Sendable {
    var label: String
    var text: String

    /// - Parameter text: as it is typed into a shell.
    public init(_ label: String, _ text: String) {
        self.label = label
        self.text = text
    }
}

extension PageBlock {
    public static func table(_ table: PageTable) -> PageBlock { PageBlock(table: table) }
    /// A list that may have nothing: then a sentence says so, and no table without rows is shown.
    public static func table(_ table: PageTable, none: PageText) -> PageBlock {
        table.isEmpty ? .text(none) : .table(table)
    }
    public static func pager(_ pager: PagePager) -> PageBlock { PageBlock(pager: pager) }
    public static func search(_ search: PageSearch) -> PageBlock { PageBlock(search: search) }
    public static func command(_ command: PageCommand) -> PageBlock { PageBlock(command: command) }
    /// A drawing that this server made.
    /// - Parameter svg: an element `svg` whose texts are escaped, with neither script nor style.
    public static func drawing(svg: String) -> PageBlock { PageBlock(drawing: svg) }
    /// Text with its lines, such as JSON.
    public static func listing(_ text: String) -> PageBlock { PageBlock(listing: PageText.shown(text)) }
}

extension PageText {
    /// A longer text with lines, of which what could deceive is replaced; 20,000 characters at most.
    static func shown(_ text: String) -> String {
        String(text.prefix(20_000)).split(separator: "\n", omittingEmptySubsequences: false).map { line in
            stride(from: 0, to: max(line.count, 1), by: longestChosenText).map { start in
                harmless(String(line.dropFirst(start).prefix(longestChosenText)))
            }.joined()
        }.joined(separator: "\n")
    }
}
