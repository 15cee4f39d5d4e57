extension Applications {
    /// A page of the applications whose id begins with a text, or whose name does (without regard to case, as names of users).
    ///
    /// Names are in the registrations: a page can be short, or empty, and go on (docs/decisions/0571).
    /// - Parameter text: one with no letters finds nothing.
    public func search(
        _ text: String, _ range: ListRange<FoundPlace<ClientID>>
    ) async throws -> ListPage<Application, FoundPlace<ClientID>> {
        try await realm.store.read { transaction in
            try range.found(
                text, key: { (application: Application) in application.id },
                words: { [$0.registration.displayName] },
                beginning: { try transaction.applications(beginningWith: $0, $1) },
                all: { try transaction.applications($0) })
        }
    }
}
