import HTTPTypes
import Hummingbird
import NIOCore
import ServerHTTP

/// What pages load from the server: their style sheet, `GET /assets/countersign.css`.
public struct PageAssets: Sendable {
    /// The path of the style sheet that every page links to.
    public static let styleSheetPath = "/assets/countersign.css"

    public init() {}

    /// Adds the routes; the composition root calls it once.
    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        router.get(RouterPath(Self.styleSheetPath)) { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/css; charset=utf-8", .cacheControl: "public, max-age=3600"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.countersign_css)))
        }
    }
}
