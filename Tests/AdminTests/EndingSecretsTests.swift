import AdminServer
import DialectTestSupport
import Foundation
import Testing

@testable import CountersignCore

/// Which applications still have a secret of before, and until when.
@Suite("Former secrets that end")
struct EndingSecretsTests {
    private static func rotate(_ id: String, overlap: Int?, _ server: TestServer) async throws {
        var change = RegistrationChange()
        change.hasSecret = true
        change.secretOverlap = overlap
        _ = try await ChangeApplication(id: id, registration: change).perform(
            on: server.realm, as: .commandLine, by: .testAdministrator)
    }

    private static func add(_ id: String, _ server: TestServer) async throws {
        var registration = RegistrationChange()
        registration.kind = "service"
        registration.hasSecret = true
        registration.authMethod = "client_secret_basic"
        _ = try await AddApplication(id: id, registration: registration).perform(
            on: server.realm, as: .commandLine, by: .testAdministrator)
    }

    private static func list(_ days: Int?, _ server: TestServer) async throws -> [String] {
        try await ListEndingSecrets(days: days).perform(
            on: server.realm, as: .commandLine, by: .testAdministrator
        ).applications.map(\.id)
    }

    @Test func `Those that end within the days are named, the soonest first, and none whose time has come`()
        async throws
    {
        try await TestServer.with { server in
            for (id, hours) in [("late", 700), ("soon", 1), ("day", 24), ("second-day", 25)] {
                try await Self.add(id, server)
                try await Self.rotate(id, overlap: hours, server)
            }
            try await Self.add("at-once", server)
            try await Self.rotate("at-once", overlap: nil, server)
            #expect(try await Self.list(nil, server) == ["soon", "day", "second-day", "late"])
            #expect(try await Self.list(365, server) == ["soon", "day", "second-day", "late"])
            // What ends with the day is not within it.
            #expect(try await Self.list(1, server) == ["soon"])
            try await server.advance(3600)
            #expect(try await Self.list(1, server) == ["day"])
            try await Self.rotate("day", overlap: nil, server)
            #expect(try await Self.list(1, server).isEmpty)
            for days in [0, 366, -1] {
                let error = await #expect(throws: AdministrationError.self) { _ = try await Self.list(days, server) }
                #expect(error?.code == .invalid && error?.message == "Name 1 to 365 days.")
            }
        }
    }

    @Test func `One answer names fifty, the soonest`() async throws {
        try await TestServer.with { server in
            for number in 0..<52 {
                let id = "app\(number)"
                try await Self.add(id, server)
                try await Self.rotate(id, overlap: 100 - number, server)
            }
            #expect(try await Self.list(nil, server) == (2..<52).reversed().map { "app\($0)" })
        }
    }

    @Test func `The revision of an application does not change when its document is read again`() throws {
        var registration = ApplicationRegistration(displayName: "Named")
        let before = try registration.revision
        registration.oauth.document = ClientDocument(
            readAt: .distantPast, freshUntil: .distantFuture, changedAt: .distantPast)
        registration.setSecret(Secret("first"))
        #expect(try registration.revision == before, "Nor with its secret.")
        registration.displayName = "Other"
        #expect(try registration.revision != before)
    }
}
