/// Finds what the user probably meant to write, for messages that refuse an unknown name.
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

    /// How many characters have to be put in, left out, replaced, or swapped with their neighbour (optimal string alignment).
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var (before, row) = ([Int](), Array(0...second.count))
        for (index, character) in first.enumerated() {
            var next = [index + 1]
            for column in second.indices {
                var least = min(
                    row[column] + (character == second[column] ? 0 : 1), row[column + 1] + 1, next[column] + 1)
                let isSwapped =
                    index > 0 && column > 0 && character == second[column - 1] && first[index - 1] == second[column]
                if isSwapped { least = min(least, before[column - 1] + 1) }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[second.count]
    }
}
