import CountersignCore
import SecurityChecks

/// The kinds of events that there are, as those who look through the log name them.
enum EventKinds {
    static let all = (AuditEvent.Kind.ofCore + AuditEvent.Kind.ofSecurityChecks).map(\.rawValue)
    /// What several kinds begin with: `sign-in`.
    static let families = Set(all.compactMap { $0.split(separator: ".").first.map(String.init) }).sorted()

    /// - Throws: ``AdministrationError`` of code `invalid` for a word that is no kind, and that no kind begins with.
    static func require(_ word: String) throws {
        if all.contains(word) || families.contains(word) { return }
        let text = word.prefix(60)
        if let nearest = NearestName.of(word, among: families + all) {
            throw AdministrationError(.invalid, "\"\(text)\" is no kind of event. Did you mean \(nearest)?")
        }
        throw AdministrationError(
            .invalid, "\"\(text)\" is no kind of event. Kinds begin with \(families.joined(separator: ", ")).")
    }
}
