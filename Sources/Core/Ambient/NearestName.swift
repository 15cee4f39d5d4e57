/// Finds what somebody probably meant to write, for messages that refuse an unknown name.
public enum NearestName {
    /// The candidate that is most like the name, or nil where none is much like it. Case, hyphens, underscores and dots
    /// do not count.
    public static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let bare = letters(name)
        // Long names are no slips, and comparing takes the product of both lengths.
        guard !bare.isEmpty, bare.count <= 64 else { return nil }
        let nearest = candidates.map { (candidate: $0, distance: distance(bare, letters($0))) }
            .min { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }
        guard let nearest, nearest.distance <= max(1, letters(nearest.candidate).count / 3) else { return nil }
        return nearest.candidate
    }

    private static func letters(_ name: String) -> [Character] {
        name.lowercased().filter { !"-_.".contains($0) }
    }

    /// How many characters have to be put in, left out or replaced (Levenshtein).
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var row = Array(0...second.count)
        for (index, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in second.indices {
                let replaced = diagonal + (character == second[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}
