/// Codes that come by mail.
enum Mails {
    /// From `initiate` to the tokens: each connection waits for its mail, which the server hands to a mail server beside it.
    @Sendable static func signIn(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(.mailed)
        let mailboxes = try await bench.mailSink().mailboxes
        let people = try subject.people.take(bench.options.people(perSecond: 1000))
        return try await bench.measure(subject) { _ in SigningInByMail(people: people, mailboxes: mailboxes) }
            .quantities
    }
}
