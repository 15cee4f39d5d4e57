import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import Testing

/// Sends a zero byte to every door: in handles, and after the names of what there is. Where text ended there, `alice\0` would be `alice`.
@Suite("Zero bytes at every door")
struct ZeroByteTests {
    @Test
    func `A handle with a zero byte is one that there is none of`() async throws {
        try await Scene.with { scene in
            let kind = try #require(HandleKind.all.first { $0.own.contains("/v2/accounts/mfaSignIn:finalize") })
            let handle = try await kind.make(scene)
            for endpoint in HandleEndpoint.all {
                for text in ["\0", "\(handle.text)\0", "\(handle.text)\0x", "\0\(handle.text)"] {
                    let reply = try await endpoint.send(scene, handle.with(text))
                    #expect((300..<500).contains(reply.status), "\(endpoint.name): \(reply.status) \(reply.text)")
                }
            }
            #expect(try await handle.finish())
        }
    }

    /// A door that takes the name of something that exists, and how to ask with a name.
    struct NameDoor: Sendable {
        let name: String
        var removes = false
        /// The status that says that the request is malformed, where it is told apart from an unknown name.
        var malformed: Int?
        /// What comes after the right name is percent-encoded already.
        let send: @Sendable (Scene, _ suffix: String) async throws -> Reply

        init(
            _ name: String, removes: Bool = false, malformed: Int? = nil,
            _ send: @escaping @Sendable (Scene, String) async throws -> Reply
        ) {
            self.name = name
            self.removes = removes
            self.malformed = malformed
            self.send = send
        }
    }

    private static func plain(_ suffix: String) -> String { suffix.removingPercentEncoding ?? suffix }

    static let nameDoors = [
        NameDoor("a user of the Management API") { scene, suffix in
            try await scene.server.management(.get, "users/auth0%7C\(scene.ada.id)\(suffix)")
        },
        NameDoor("a user to delete", removes: true) { scene, suffix in
            try await scene.server.management(.delete, "users/auth0%7C\(scene.ada.id)\(suffix)")
        },
        NameDoor("a user to invite") { scene, suffix in
            try await scene.server.management(
                .post, "guardian/enrollments/ticket", ["user_id": .string("auth0|\(scene.ada.id)\(plain(suffix))")])
        },
        NameDoor("an enrollment") { scene, suffix in
            try await scene.server.management(.get, "guardian/enrollments/\(scene.phone.id)\(suffix)")
        },
        NameDoor("an enrollment to delete", removes: true) { scene, suffix in
            try await scene.server.management(.delete, "guardian/enrollments/\(scene.phone.id)\(suffix)")
        },
        NameDoor("a device that changes") { scene, suffix in
            try await scene.json(
                "/api/device-accounts/\(scene.phone.id)\(suffix)", ["name": "Mine"],
                scene.bearer(scene.phone.token), method: .patch)
        },
        NameDoor("a device that leaves", removes: true) { scene, suffix in
            try await scene.server.send(
                .delete, "/api/device-accounts/\(scene.phone.id)\(suffix)",
                headers: scene.bearer(scene.phone.token))
        },
        NameDoor("an application at /oauth/token", malformed: 400) { scene, suffix in
            try await scene.oauth(
                of: scene.application.id + plain(suffix),
                ["grant_type": "password", "username": "ada@example.org", "password": "analytical engine"])
        },
        NameDoor("an application of native authentication") { scene, suffix in
            try await scene.native(
                .initiate, of: scene.application.id + plain(suffix),
                ["username": "ada@example.org", "challenge_type": NativeClient.everything])
        },
        NameDoor("a factor of Identity Toolkit to remove", removes: true) { scene, suffix in
            try await scene.json(
                "/v2/accounts/mfaEnrollment:withdraw?key=\(scene.application.id)",
                [
                    "idToken": .string(scene.idTokens.ada),
                    "mfaEnrollmentId": .string(scene.totpID + plain(suffix)),
                ])
        },
        NameDoor("a registered client") { scene, suffix in
            var mobile = scene.mobile
            mobile.id += plain(suffix)
            return try await mobile.preauthorize("accessRestricted")
        },
        NameDoor("a user of the administration") { scene, suffix in
            try await scene.json(
                "/admin/v1/users:show", ["user": .string(scene.ada.id.rawValue + plain(suffix))],
                scene.server.administrator)
        },
        NameDoor("an application of the administration") { scene, suffix in
            try await scene.json(
                "/admin/v1/applications:show", ["id": .string(scene.application.id + plain(suffix))],
                scene.server.administrator)
        },
    ]

    @Test
    func `A name with a zero byte after it names nothing, and nothing happens to what has the name`() async throws {
        try await Scene.with { scene in
            for door in Self.nameDoors {
                let unknown = try await door.send(scene, "-none")
                #expect(unknown.status < 500, "\(door.name): \(unknown.text)")
                for suffix in ["%00", "%00x"] {
                    let reply = try await door.send(scene, suffix)
                    let expected = door.malformed ?? unknown.status
                    #expect(reply.status == expected, "\(door.name): \(reply.status) \(reply.text)")
                }
            }
            let ada = try #require(try await scene.server.realm.accounts.userAndFactors(scene.ada.id))
            #expect(ada.factors.contains { $0.id.rawValue == scene.totpID })
            let device = try #require(ada.factors.first { $0.id.rawValue == scene.phone.id })
            #expect(device.name != "Mine")
            // The doors do open: without the zero byte they answer something else.
            for door in Self.nameDoors where !door.removes {
                let unknown = try await door.send(scene, "-none")
                let reply = try await door.send(scene, "")
                #expect(reply.status != unknown.status || reply.told != unknown.told, "\(door.name): \(reply.text)")
            }
        }
    }
}
