import CountersignCore
import HTTPTypes
import Hummingbird
import NIOCore
import ServerHTTP

extension IdentityToolkit {
    /// Seconds that others may keep the keys. A rotated key is fetched at once all the same, as its `kid` is new to them.
    private static let keysMaxAge = 300

    /// The public keys where verifiers of the vendor's look for them, whatever the host: as X.509 certificates by key
    /// id, for ID tokens and session cookies alike, and as a JWKS (Firebase documentation, "Verify ID Tokens").
    func addPublicKeyRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        let certificates = [
            "v1/publicKeys", "identitytoolkit/v3/relyingparty/publicKeys",
            "robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
        ]
        for path in certificates {
            router.get(RouterPath(path)) { [realm] _, _ in
                try Response.json(
                    try await realm.keyring.certificates(for: [.identityToolkit]),
                    headers: [.cacheControl: "public, max-age=\(Self.keysMaxAge)"])
            }
        }
        router.get("service_accounts/v1/jwk/securetoken@system.gserviceaccount.com") { [realm] _, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "application/json; charset=UTF-8",
                    .cacheControl: "public, max-age=\(Self.keysMaxAge)",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try await realm.keyring.jwks(for: [.identityToolkit])))
            )
        }
    }
}
