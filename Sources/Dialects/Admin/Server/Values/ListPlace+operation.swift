import CountersignCore

extension ListPlace {
    /// What an answer gives as `next`.
    /// - Parameter key: of the last row; nil where the list ends.
    static func text<List: AdministrationOperation>(_ key: String?, in list: List.Type) -> String? {
        key.map { ListPlace(after: $0, in: list.name).text }
    }

    /// The key of the row after which the page begins; nil for the first page.
    /// - Throws: ``unknown``.
    static func key<List: AdministrationOperation>(_ text: String?, in list: List.Type) throws -> String? {
        guard let text else { return nil }
        guard let place = ListPlace(text, in: list.name) else { throw unknown }
        return place.key
    }

    /// How every list refuses what it did not give.
    static var unknown: AdministrationError {
        AdministrationError(.invalid, "This is no place in the list: give what a page of it gave as next or previous.")
    }
}
