import CountersignCore
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServerHTTP

/// What verifiers of our tokens need: the public keys, where the metadata of OAuth's dialect says. Beside them what passkeys need.
struct WellKnownRoutes: Sendable {
    let realm: Realm

    /// Seconds that others may keep the keys. A rotated key is fetched at once all the same, as its `kid` is new to them.
    static let keysMaxAge = 300

    /// Whose tokens are verified with this JWKS where ``TokenSettings/publishedKeys`` says `used`: those of the dialects that
    /// have no other.
    static let readers: [Dialect] = [.guardian, .securityChecks, .oauth]

    private static let keysPath = "/.well-known/jwks.json"

    /// The keys while they are known to be the present ones.
    static func keys(of realm: Realm) -> ReadyAnswers.Source {
        ReadyAnswers.Source(keysPath) { realm.keyring.presentJWKS(for: readers) }
    }

    func add(to router: some RouterMethods<CountersignRequestContext>) {
        router.get(RouterPath(Self.keysPath)) { [realm] request, _ in
            let keys = try await realm.keyring.jwks(for: Self.readers)
            return Response.cached(keys, as: "application/jwk-set+json", seconds: Self.keysMaxAge, for: request)
        }
        addPasskeyDocuments(to: router)
    }
}

extension Response {
    /// Bytes that caches may keep, with a tag by which a cache asks whether they have changed (RFC 9110, section 13.1.2): 304
    /// where they have not.
    static func cached(_ bytes: Data, as type: String, seconds: Int, for request: Request) -> Response {
        let tag = "\"\(Array(SHA256.hash(data: bytes).prefix(12)).base64URL)\""
        var headers: HTTPFields = [
            .contentType: type, .cacheControl: "public, max-age=\(seconds)", .eTag: tag,
        ]
        let known = (request.headers[.ifNoneMatch] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        if known.contains(where: { [tag, "W/\(tag)", "*"].contains($0) }) {
            headers[.contentType] = nil
            var response = Response(status: .notModified, headers: headers)
            // It would be the length of what is not sent.
            response.headers[.contentLength] = nil
            return response
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
