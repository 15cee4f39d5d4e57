import CoreTestSupport
import CountersignCore
import Testing

@testable import AdminServer

@Suite("Changes of a user who is changed meanwhile")
struct UserChangesMeanwhileTests {
    /// The code of the refusal, where the user is changed otherwise between the look and the write; nil where nothing was refused.
    private static func code(
        _ change: SetUser, on test: TestRealm, _ store: InterposingStore,
        meanwhile: @escaping @Sendable (inout User) -> Void
    ) async throws -> AdministrationError.Code? {
        let id = UserID(rawValue: change.user)
        store.beforeNextWrite { transaction in
            guard var user = try transaction.user(id) else { return }
            meanwhile(&user)
            _ = try transaction.update(user)
        }
        do {
            _ = try await change.perform(on: test.realm, as: .commandLine, by: test.client)
            return nil
        } catch let error as AdministrationError {
            #expect(store.isDone)
            return error.code
        }
    }

    @Test(arguments: TestStore.available)
    func `What is said of an address is said of the one that was looked at`(store: TestStore) async throws {
        let interposed = InterposingStore(try await store.open())
        let test = try TestRealm.make(keptIn: interposed)
        for number in 0..<2 {
            let user = try await test.addUser(EmailAddress(kept: "ada\(number)@example.org"), verified: false)
            let other = EmailAddress(kept: "other\(number)@example.org")
            let change = SetUser(
                user: user.id.rawValue, email: number == 0 ? nil : user.email?.canonical, emailVerified: true)
            let code = try await Self.code(change, on: test, interposed) { $0.email = other }
            #expect(code == .conflict)
            let after = try await test.user(user.id)
            #expect(after.email == other && !after.profile.emailVerified)
            let name = SetUser(user: user.id.rawValue, displayName: "Ada")
            let nameCode = try await Self.code(name, on: test, interposed) { $0.email = nil }
            #expect(nameCode == nil)
        }
    }

    @Test func `Attributes are counted as they are when they are written`() async throws {
        let interposed = InterposingStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: interposed)
        let user = try await test.addUser()
        let change = SetUser(user: user.id.rawValue, attributes: ["own": .bool(true)])
        let code = try await Self.code(change, on: test, interposed) { user in
            for number in 0..<SetUser.mostAttributes { user.profile.attributes["a\(number)"] = .bool(true) }
        }
        #expect(code == .invalid)
    }
}
