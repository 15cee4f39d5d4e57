import CountersignCore
import HTTPTypes
import Hummingbird
import NIOCore
import ServerHTTP
import WebPages

/// `/assets/logos/NAME.png`: the picture of an application. Its name is of its content, so that browsers keep it for as long as they like
/// (RFC 8246).
struct ApplicationLogo: Sendable {
    let realm: Realm

    static func path(_ name: String) -> String { PageAddresses.logo(name) }

    func show(_ context: CountersignRequestContext) async throws -> Response {
        let parts = context.parameters.get("file")?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, parts[1] == "png", let png = try await realm.applications.logo(String(parts[0]))
        else { throw HTTPError(.notFound) }
        return Response(
            status: .ok,
            headers: [
                .contentType: "image/png", .cacheControl: "public, max-age=31536000, immutable",
                .contentSecurityPolicy: "default-src 'none'; sandbox",
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: png)))
    }
}
