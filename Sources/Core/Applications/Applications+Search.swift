import Foundation

/// Where an application stands in what was found: those that are found by their id come first, then those that are found by their name, each
/// of them ordered by id.
public enum FoundApplicationPlace: Sendable, Equatable {
    /// Among those whose id begins with the text.
    case id(ClientID)
    /// Among all applications, which are looked through for names.
    case name(ClientID)
}

extension Applications {
    /// Applications that one look goes through at most: names have no index.
    public static let mostLookedThrough = 1000

    /// A page of the applications whose id begins with a text, or whose name does (without regard to case, as names of users).
    ///
    /// Ids are found by their index. Names are in the registrations, so that a look goes through ``mostLookedThrough`` of them at most and
    /// a page can be short, or empty, and go on (docs/decisions/0571).
    /// - Parameter text: one with no letters finds nothing.
    public func search(
        _ text: String, _ range: ListRange<FoundApplicationPlace>
    ) async throws -> ListPage<Application, FoundApplicationPlace> {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let (id, name) = (PlainText.key(text), UserNameKey.key(of: text))
        guard !id.isEmpty else { return ListPage(rows: [], previous: nil, next: nil) }
        return try await realm.store.read { transaction in
            try range.page(most: Self.mostLookedThrough, key: \.place) {
                try transaction.applications(whoseIDBeginsWith: id, $0)
            } show: { (found: LookedAt) -> Application? in
                let application = found.application
                let isByID = application.id.rawValue.utf8.starts(with: id.utf8)
                switch found.place {
                case .id: return isByID ? application : nil
                case .name:
                    guard !isByID, !name.isEmpty else { return nil }
                    let own = UserNameKey.key(of: application.registration.displayName)
                    return own.utf8.starts(with: name.utf8) ? application : nil
                }
            }
        }
    }
}

/// A row of the list that is looked through.
private struct LookedAt: Sendable {
    let place: FoundApplicationPlace
    let application: Application
}

extension StoreTransaction {
    /// A part of the list that is looked through: the applications whose id begins with the text, and behind them all of them.
    fileprivate func applications(
        whoseIDBeginsWith text: String, _ part: ListRange<FoundApplicationPlace>
    ) throws -> [LookedAt] {
        var found: [LookedAt] = []
        for isByID in part.isBackwards ? [false, true] : [true, false] where found.count < part.limit {
            let key: ClientID?
            switch part.key {
            case .id(let id)? where isByID: key = id
            case .name(let id)? where !isByID: key = id
            // This half of the list lies behind the place.
            case .id? where part.isBackwards: continue
            case .name? where !part.isBackwards: continue
            case .id?, .name?, nil: key = nil
            }
            let range = ListRange(key, isBackwards: part.isBackwards, limit: part.limit - found.count)
            let rows = try isByID ? applications(beginningWith: text, range) : applications(range)
            found += rows.map { LookedAt(place: isByID ? .id($0.id) : .name($0.id), application: $0) }
        }
        return found
    }
}
