import CountersignCore
import WebPages

/// How the pages look, and what they call the service: `theme.directory` and `serviceName`.
public struct PageConfiguration: Sendable, Equatable {
    /// What the pages call the service: 1 to 60 characters on one line.
    public var name = PageSite.defaultName
    /// The operator's theme; nil for ours.
    public var theme: PageTheme?

    /// The standard name, without a theme.
    public init() {}

    /// What the operator should know of the theme.
    var warnings: [String] { theme?.warnings ?? [] }
}

extension ServerConfiguration {
    private static let longestName = 60

    static func pages(_ sources: inout ConfigurationSources) -> PageConfiguration {
        var pages = PageConfiguration()
        if let name = sources.text(.serviceName) {
            if PlainText.isLine(name.value, longest: longestName) {
                pages.name = name.value
            } else {
                sources.report(
                    name.place, "the name is empty, long or of several lines",
                    "write 1 to \(longestName) characters on one line")
            }
        }
        guard let directory = sources.text(.themeDirectory) else { return pages }
        do {
            pages.theme = try PageTheme(directory: directory.value)
        } catch let wrong as PageTheme.Faults {
            for fault in wrong.faults {
                sources.report(directory.place, fault, "docs/pages.md says what a theme is made of")
            }
        } catch {
            sources.report(
                directory.place, "\(directory.value) cannot be read", "name a directory that this user may read")
        }
        return pages
    }
}
