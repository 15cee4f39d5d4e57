import Foundation

extension RememberingTransaction {
    func application(_ id: ClientID) throws -> Application? {
        guard let application = try registeredApplication(id), !application.registration.isDisabled else { return nil }
        guard application.registration.oauth.document != nil else { return application }
        // What documents say counts for as long as their addresses are admitted.
        guard let address = ClientDocumentID(id, takesLoopback: true), try settings().oauth.admits(address) else {
            return nil
        }
        return application
    }

    func registeredApplication(_ id: ClientID) throws -> Application? {
        guard !applications.has(id), knowsNoStandingDocument else {
            return try row(&applications, id) { try $0.application(id) }
        }
        let (application, found) = try base.application(id, beside: Self.standingDocuments)
        keep(standing: found)
        applications[id] = .some(application)
        return application
    }

    func hasApplication(_ id: ClientID) throws -> Bool {
        if let known = applications[id] { return known != nil }
        return try base.hasApplication(id)
    }

    func applications(_ range: ListRange<ClientID>) throws -> [Application] {
        try base.applications(range)
    }

    func applications(beginningWith text: String, _ range: ListRange<ClientID>) throws -> [Application] {
        try base.applications(beginningWith: text, range)
    }

    func insert(_ application: Application) throws -> Bool {
        applications[application.id] = nil
        return try base.insert(application)
    }

    func update(_ application: Application) throws -> Bool {
        applications[application.id] = nil
        return try base.update(application)
    }

    func deleteApplication(_ id: ClientID) throws -> Bool {
        applications[id] = nil
        notes.removed(application: id)
        return try base.deleteApplication(id)
    }

    func applications(secretsEndingAfter start: Date, before end: Date, limit: Int) throws -> [Application] {
        try base.applications(secretsEndingAfter: start, before: end, limit: limit)
    }

    func selfRegistered(_ range: ListRange<RegistrationPlace>) throws -> [Application] {
        try base.selfRegistered(range)
    }

    func countSelfRegistered() throws -> Int { try base.countSelfRegistered() }

    func unusedRegistrations(before instant: Date, limit: Int) throws -> [ClientID] {
        try base.unusedRegistrations(before: instant, limit: limit)
    }

    func keepRegistration(_ id: ClientID) throws { try base.keepRegistration(id) }
    func note(_ use: ApplicationUse) throws { try base.note(use) }
    func applicationUses(of ids: [ClientID]) throws -> [ApplicationUse] { try base.applicationUses(of: ids) }
}
