import Foundation
import Testing

@testable import CountersignCore

@Suite("Applications")
struct ApplicationTests {
    @Test
    func `An application gets an id of 39 characters, or the one that was asked for, if it is free`() async throws {
        let test = try await TestRealm.make()
        let made = try #require(await test.realm.applications.add(ApplicationRegistration(), by: test.client))
        #expect(made.id.rawValue.count == 39)
        let id = ClientID(rawValue: "dev-app")
        #expect(try await test.realm.applications.add(id: id, .init(displayName: "One"), by: test.client) != nil)
        #expect(try await test.realm.applications.add(id: id, .init(displayName: "Two"), by: test.client) == nil)
        #expect(try await test.realm.applications.application(id)?.registration.displayName == "One")
        #expect(try await test.realm.applications.applications().count == 2)
    }

    @Test
    func `A change is kept and logged, also many at once; a removed application is gone`() async throws {
        let test = try await TestRealm.make()
        let id = ClientID(rawValue: "app")
        _ = try await test.realm.applications.add(id: id, ApplicationRegistration(), by: test.client)
        _ = try await race(10, meetingBefore: 1) { index in
            try await test.realm.applications.change(id, by: test.client) { $0.scopes.append("\(index)") }
        }
        #expect(try await test.realm.applications.application(id)?.registration.scopes.count == 10)
        #expect(try await test.events(.applicationChanged).count == 11)
        #expect(try await test.realm.applications.remove(id, by: test.client))
        #expect(try await !test.realm.applications.remove(id, by: test.client))
        #expect(try await test.realm.applications.change(id, by: test.client) { _ in } == nil)
        #expect(try await test.events(.applicationRemoved).count == 1)
    }

    @Test
    func `A client secret is kept as a digest; a public client has none, and no secret is right`() throws {
        var registration = ApplicationRegistration()
        #expect(!registration.hasSecret(Secret("")))
        registration.setSecret(Secret("s3cret"))
        #expect(registration.hasSecret(Secret("s3cret")))
        for wrong in ["", "s3cre", "s3cret ", "S3cret"] { #expect(!registration.hasSecret(Secret(wrong))) }
        #expect(try !String(decoding: JSONEncoder().encode(registration), as: UTF8.self).contains("s3cret"))
        registration.setSecret(nil)
        #expect(!registration.hasSecret(Secret("s3cret")))
    }
}
