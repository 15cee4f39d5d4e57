import CPageFiles

/// The templates that are built into the program.
enum MailTemplateFiles {
    /// What the texts are rendered in for the HTML part.
    static let layout = "layout.html.mustache"

    /// By the names of their files: the layout, and `NAME.LANGUAGE.mustache` for each mail.
    static let all: [String: [UInt8]] = {
        let files = (0..<MailTemplateFile.allCount).map { MailTemplateFile(at: $0) }
        return Dictionary(
            uniqueKeysWithValues: files.map {
                (String(cString: $0.name), Array(UnsafeBufferPointer(start: $0.start, count: $0.count)))
            })
    }()
}
