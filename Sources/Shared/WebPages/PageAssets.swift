import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// The pages' templates, built into the program.
struct Templates: Sendable {
    let action: MustacheTemplate

    init() throws {
        action = try MustacheTemplate(string: String(decoding: PackageResources.action_mustache, as: UTF8.self))
    }
}

/// What pages load.
enum Assets {
    static func styleSheet() -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/css; charset=utf-8", .cacheControl: "public, max-age=3600"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.countersign_css)))
    }
}
