import Foundation
import GuardianReferencePage
import Testing

@testable import Guardian

/// The page's code, compiled with one import, against the real server. Source: Auth0, "Guardian for iOS SDK".
@Suite struct ReferencePageTests {
    private func enrolled(_ server: RealServer, _ key: any SigningKey) async throws -> EnrolledDevice {
        let uri = try await server.enrollmentURI(for: server.addUser())
        let verificationKey = try key.verificationKey()
        return try await withCheckedThrowingContinuation { continuation in
            enroll(
                domain: server.domain, enrollmentUri: uri, apnsToken: String(repeating: "A0", count: 32),
                signingKey: key, verificationKey: verificationKey
            ) { device, error in
                continuation.resume(with: device.map { .success($0) } ?? .failure(error ?? CancellationError()))
            }
        }
    }

    /// What APNs delivers, out of the developer's inbox.
    private func payload(_ server: RealServer, for device: EnrolledDevice) async throws -> [AnyHashable: Any] {
        let inbox = try await server.send("GET", "dev/inbox.json", authorization: "none").json
        let push = inbox["messages"]?.arrayValue?.last { $0["to"]?.stringValue == device.id }
        return try #require(push?["payload"]?.foundation as? [String: Any], "\(inbox)")
    }

    @Test func `A device enrols, allows, rejects with a reason that the log has, and unenrols`() async throws {
        try await RealServer.run { server in
            let enrolledDevice = try await enrolled(server, keyInMemory())
            let recoveryCode = try #require(enrolledDevice.recoveryCode)
            #expect(enrolledDevice.id.hasPrefix("dev_") && recoveryCode.count == 24)
            let device = device(
                signingKey: enrolledDevice.signingKey, localIdentifier: enrolledDevice.localIdentifier)

            let first = try await server.signIn()
            let asked = try #require(received(notificationPayload: await payload(server, for: enrolledDevice)))
            #expect(asked.enrollmentId == enrolledDevice.id && asked.domain == server.domain)
            let allowed = await withCheckedContinuation { continuation in
                allow(domain: server.domain, device: device, notification: asked) { continuation.resume(returning: $0) }
            }
            #expect(allowed == nil, "\(String(describing: allowed))")
            #expect(try await first.outcome()["id_token"]?.stringValue != nil)

            for hacked in [false, true] {
                let next = try await server.signIn()
                let asked = try #require(received(notificationPayload: await payload(server, for: enrolledDevice)))
                let rejected = await withCheckedContinuation { continuation in
                    reject(domain: server.domain, device: device, notification: asked, hacked: hacked) {
                        continuation.resume(returning: $0)
                    }
                }
                #expect(rejected == nil, "\(String(describing: rejected))")
                #expect(try await next.outcome()["error"]?.stringValue == "invalid_grant")
            }
            let log = try await server.management("GET", "logs?q=type:gd_auth_rejected")
            #expect(log[0]?["details"]?["reason"]?.stringValue == "hacked")
            #expect(log[1]?["details"]?["reason"] == nil && log[1]?["type"]?.stringValue == "gd_auth_rejected")

            let removed = await withCheckedContinuation { continuation in
                unenroll(
                    domain: server.domain, userEnrollmentId: enrolledDevice.id,
                    enrollmentDeviceToken: enrolledDevice.deviceToken
                ) { continuation.resume(returning: $0) }
            }
            #expect(removed == nil, "\(String(describing: removed))")
            // No second factor is left to ask.
            let signedIn = try await server.oauth([
                "grant_type": .string("password"), "username": .string(RealServer.email),
                "password": .string("analytical engine"), "scope": .string("openid"),
            ])
            #expect(signedIn["id_token"]?.stringValue != nil)
        }
    }

    @Test func `The code that a user typed gives the codes of the prompt`() throws {
        let generator = try generator(enrollmentCode: "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ")
        #expect(generator.stringCode(time: 59) == "287082")
    }

    @Test func `The placeholders of the page fail and do not crash`() async throws {
        let key = try DataP256PrivateKey.new()
        for domain in ["{yourTenantDomain}", "<tenant>.<region>.auth0.com", "http://", "not a host", "https://"] {
            let error = await failure {
                try await Guardian.enroll(
                    forDomain: domain, usingTicket: "t", notificationToken: "", signingKey: key,
                    verificationKey: key.verificationKey()
                ).start()
            }
            #expect((error as? GuardianError)?.code == "a0.guardian.internal.invalid.base_url", "\(domain)")
        }
    }
}
