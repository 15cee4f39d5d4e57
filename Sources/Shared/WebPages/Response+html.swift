import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A page. Pages show what is secret or one's own: they are not kept.
    public static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
