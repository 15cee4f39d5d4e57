import Foundation

/// The forms of a page, as a browser without scripts would fill them in.
package struct PageForm: Sendable {
    /// Where it is sent.
    package var action: String
    /// What is sent where nothing is typed, without buttons.
    package var values: [String: String] = [:]
    /// Names of everything in it, buttons included.
    package var names: Set<String> = []

    /// All forms of a page that post.
    package static func all(of html: String) -> [PageForm] {
        html.matches(of: /<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/).map { match in
            var form = PageForm(action: plain(match.1))
            for input in match.2.matches(of: /<(input|button)([^>]*)>/) {
                var attributes: [String: String] = [:]
                for attribute in input.2.matches(of: /([a-z-]+)(?:="([^"]*)")?/) {
                    attributes[String(attribute.1)] = plain(attribute.2 ?? "")
                }
                guard let name = attributes["name"] else { continue }
                form.names.insert(name)
                let isChosen = ["radio", "checkbox"].contains(attributes["type"])
                if input.1 == "input", !isChosen || attributes["checked"] != nil {
                    form.values[name] = attributes["value"] ?? ""
                }
            }
            return form
        }
    }

    /// The body of a request with the form, with what was typed.
    package func body(_ typed: [String: String]) -> String {
        values.merging(typed) { $1 }.map { name, value in
            "\(Self.escaped(name))=\(Self.escaped(value))"
        }.joined(separator: "&")
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    private static func plain(_ text: some StringProtocol) -> String {
        var text = String(text)
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
            text = text.replacing(entity, with: character)
        }
        return text
    }
}
