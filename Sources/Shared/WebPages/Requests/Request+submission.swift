import Hummingbird
import ServerHTTP

extension Request {
    /// The fields of a form that a page sent; nil where the body is no such form.
    /// - Throws: `CancellationError`.
    public func submission<Fields: Decodable>(as type: Fields.Type) async throws -> Fields? {
        do {
            return try await decodeBody(as: type, accepting: .form)
        } catch is RequestBodyFault {
            return nil
        }
    }
}
