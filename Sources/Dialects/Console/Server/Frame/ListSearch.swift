import WebPages

extension PageBlock {
    /// What a list is searched by: the beginning of a text, and what else its page lets people choose.
    /// - Parameters:
    ///   - hint: what begins with the text.
    ///   - text: what is searched for.
    ///   - path: the list's page.
    static func search(
        _ label: String, hint: String, _ text: String?, at path: String, more: [PageField] = [], _ scene: ConsoleScene
    ) -> PageBlock {
        var field = PageField(
            name: "q", label: label, value: text, autocomplete: "off", maximumLength: 256, isRequired: false,
            isFirst: false)
        field.hint = hint
        return .search(
            PageSearch(label, action: path, fields: [field] + more, button: scene.words.plain("consoleSearch")))
    }

    /// A page of a list of which one look goes through a bounded number of rows: where it ended there, the page says so, whether it shows
    /// rows or none.
    /// - Parameters:
    ///   - none: the key of what it says where there are none.
    ///   - soFar: the key of what it says where there may be more.
    static func found(
        _ table: PageTable, isPartial: Bool, none: String, soFar: String, _ scene: ConsoleScene
    ) -> [PageBlock] {
        let words = scene.words
        let shown = PageBlock.table(table, none: words(isPartial ? soFar : none))
        return isPartial && !table.isEmpty ? [shown, .text(words(soFar))] : [shown]
    }
}
