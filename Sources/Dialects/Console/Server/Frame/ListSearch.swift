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
}
