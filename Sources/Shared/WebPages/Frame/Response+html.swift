import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A page as `text/html`. Pages show secrets and personal data, so `Cache-Control` is `no-store`.
    ///
    /// The headers that restrict what a page may load and who may frame it come from `SecurityHeadersMiddleware`, for every answer
    /// of this type.
    public static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
