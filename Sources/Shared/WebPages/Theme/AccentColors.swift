import Foundation

/// The colour of an application on its pages of a sign-in, in light and dark, as text of it can be read there.
///
/// Its style sheet is made of its path alone and stands behind that of the theme: pages have no style of their own (docs/decisions/0375).
struct AccentColors: Equatable {
    let light: ThemeColors.Color
    let dark: ThemeColors.Color

    /// What text of the colour stands on.
    struct Grounds: Sendable {
        let light: [ThemeColors.Color]
        let dark: [ThemeColors.Color]

        /// - Parameter styleSheet: of the theme. A ground that it writes in another notation than `#rrggbb` is taken for ours.
        init(ofTheme styleSheet: String) {
            let (ours, theme) = (ThemeColors.schemes(ofTheme: ""), ThemeColors.schemes(ofTheme: styleSheet))
            func grounds(_ values: [String: Substring], _ ours: [String: Substring]) -> [ThemeColors.Color] {
                ["paper", "card"].compactMap { name in
                    values[name].flatMap { ThemeColors.Color($0) } ?? ours[name].flatMap { ThemeColors.Color($0) }
                }
            }
            light = grounds(theme.light, ours.light)
            dark = grounds(theme.dark, ours.dark)
        }
    }

    /// - Parameter accent: `#rrggbb`.
    init?(_ accent: String, on grounds: Grounds) {
        guard let color = ThemeColors.Color(accent[...]) else { return nil }
        light = color.readable(on: grounds.light)
        dark = color.readable(on: grounds.dark)
    }

    /// - Parameter name: of a file, as ``fileName`` makes it.
    init?(fileName name: String) {
        guard let match = name.wholeMatch(of: /([0-9a-f]{6})-([0-9a-f]{6})\.css/),
            let light = ThemeColors.Color("#" + match.1), let dark = ThemeColors.Color("#" + match.2)
        else { return nil }
        self.light = light
        self.dark = dark
    }

    var fileName: String { "\(light.digits)-\(dark.digits).css" }

    var styleSheet: String {
        """
        :root { \(Self.declarations(of: light)) }
        @media (prefers-color-scheme: dark) { :root { \(Self.declarations(of: dark)) } }

        """
    }

    /// The text on a button is black or white, whichever can be read better: one of them always can.
    private static func declarations(of color: ThemeColors.Color) -> String {
        let isDark = color.contrast(with: .white) >= color.contrast(with: .black)
        return "--accent: #\(color.digits); --on-accent: #\(isDark ? "fff" : "000");"
    }
}
