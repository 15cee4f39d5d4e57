import CountersignCore
import CountersignServer
import Foundation
import IBMMobileFirstPlatformFoundation
import SecurityChecks
import Testing

/// The other samples, client and server. Source: the vendor's samples (SecurityCheckAdapters).
@Suite struct SampleTests {
    // MARK: Users

    @Test func `U2, U5, U14: a user logs in and is known to the resource`() async throws {
        try await RealServer.run { server in
            let app = server.app("userlogin")
            let login = app.handle(
                "UserLogin", .answer(["username": "ada", "password": "no"]),
                .answer(["username": "ada", "password": "ada"]))
            let text = try await app.get("transactions")
            #expect(text.hasPrefix("Transactions for ada:\n"))
            #expect(
                login.all.prefix(2) == [
                    "challenge errorMsg=null,remainingAttempts=3",
                    "challenge errorMsg=Wrong Credentials,remainingAttempts=2",
                ])
            #expect(login.all.last?.contains("displayName") == true)
        }
    }

    @Test func `U7, U10, U11: a remembered user is not asked when the app starts again, until the logout`() async throws
    {
        try await RealServer.run { server in
            let storage = TestStorage()
            let app = server.app("userlogin", storage: storage)
            let login = app.handle("UserLogin", .cancel)
            try await app.manager.login(
                "UserLogin", withCredentials: ["username": "ada", "password": "ada", "rememberMe": true])
            try await server.advance(61)
            _ = try await app.manager.obtainAccessToken(forScope: "UserLogin")
            #expect(login.challenges == 0)
            #expect(login.all.last?.contains("ada") == true)
            try await app.manager.logout("UserLogin")
            let again = await code { _ = try await app.manager.obtainAccessToken(forScope: "UserLogin") }
            #expect(again == .challengeHandlingCancelled)
        }
    }

    @Test func `U12: wrong credentials of a login ask the handler`() async throws {
        try await RealServer.run { server in
            let app = server.app("userlogin")
            let login = app.handle("UserLogin", .answer(["username": "ada", "password": "ada"]))
            try await app.manager.login("UserLogin", withCredentials: ["username": "a%", "password": "b%"])
            #expect(login.all.first == "challenge errorMsg=Wrong Credentials,remainingAttempts=2")
            #expect(try await app.get("balance") == "19938.80")
            #expect(login.challenges == 1)
        }
    }

    // MARK: Step-up

    @Test func `S1, S2, S3: what is dearer asks for more, and first things first`() async throws {
        try await RealServer.run { server in
            let app = server.app("stepup")
            let login = app.handle("StepUpUserLogin", .answer(["username": "john", "password": "john123"]))
            let pin = app.handle("StepUpPinCode", .answer(["pin": "2345"]), .answer(["pin": "1234"]))
            try await app.get("balance")
            #expect(login.challenges == 1 && pin.all.isEmpty)
            let transfer = try app.request("/adapters/ResourceAdapter/transfer", method: "POST")
            #expect(try await transfer.send(withFormParameters: ["amount": 5]).responseText == "")
            #expect(login.challenges == 1)
            // S4: another user's PIN is wrong.
            #expect(pin.challenges == 2)

            let other = server.app("stepup")
            let otherLogin = other.handle("StepUpUserLogin", .answer(["username": "john", "password": "john123"]))
            let otherPin = other.handle("StepUpPinCode", .answer(["pin": "1234"]))
            let second = try other.request("/adapters/ResourceAdapter/transfer", method: "POST")
            _ = try await second.send(withFormParameters: ["amount": 5])
            #expect(otherLogin.challenges == 1 && otherPin.challenges == 1)
        }
    }

    // MARK: Enrolment

    @Test func `E1, E2, E3, E5, E7: a PIN is set after a login, used, and taken back`() async throws {
        try await RealServer.run { server in
            let app = server.app("enrollment")
            let enrolled = app.handle("IsEnrolled")
            app.handle("EnrollmentUserLogin", .answer(["username": "ada", "password": "ada"]))
            let pin = app.handle("EnrollmentPinCode", .answer(["pin": "4321"]))
            let error = await #expect(throws: WLError.self) { try await app.get("balance") }
            #expect(error?.message == "User is not enrolled")
            #expect(enrolled.all == ["failure failure=User is not enrolled"])
            _ = try await app.request("/adapters/Enrollment/setPinCode/4321", method: "POST").send()
            #expect(try await app.get("balance") == "19938.80")
            try await server.advance(31)
            #expect(try await app.get("transactions").hasPrefix("Transactions for ada"))
            #expect(pin.challenges == 1)
            _ = try await app.request("/adapters/Enrollment/unenroll", method: "DELETE").send()
            try await app.manager.logout("IsEnrolled")
            #expect(await code { try await app.get("balance") } == .authorizationFailure)
        }
    }

    // MARK: Registration

    @Test func `G1: a client that the server has removed registers anew and goes on`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            let pin = app.handle("PinCodeAttempts", .answer(["pin": "1234"]))
            try await app.get("balance")
            let id = try #require(try await app.session.registeredID())
            #expect(
                try await server.realm.clients.remove(
                    ClientReference(to: RegisteredClientID(rawValue: id)), by: .commandLine))
            #expect(try await app.get("balance") == "19938.80")
            #expect(try await app.session.registeredID() != id)
            #expect(pin.challenges == 2)
        }
    }

    @Test func `A registration outlives the app, with its name and a newer version`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            try await app.client.setDeviceDisplayName("Ada's laptop")
            let id = try #require(try await app.session.registeredID())
            try await app.client.setDeviceDisplayName("Ada's desk")
            #expect(try await app.session.registeredID() == id)
            let client = try await server.realm.clients.client(RegisteredClientID(rawValue: id))
            #expect(client?.device.displayName == "Ada's desk")
            #expect(client?.application.version == "1.0.0")
        }
    }
}
