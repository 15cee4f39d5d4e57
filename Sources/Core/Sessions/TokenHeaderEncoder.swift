import Foundation
import JWTKit

/// Writes tokens as JWTKit does, but without the members of the header that are null: JWTKit writes `typ: JWT` where
/// none is asked for, and null where null is.
private struct TokenHeaderEncoder: JWTJSONEncoder {
    private let encoder: any JWTJSONEncoder = .defaultForJWT

    func encode<T: Encodable>(_ value: T) throws -> Data {
        guard let header = value as? JWTHeader else { return try encoder.encode(value) }
        return try encoder.encode(JWTHeader(fields: header.fields.filter { $0.value != .null }))
    }
}

extension DefaultJWTSerializer {
    /// With it, `header.typ = nil` leaves the type out.
    static var leavingOutWhatIsNull: DefaultJWTSerializer { DefaultJWTSerializer(jsonEncoder: TokenHeaderEncoder()) }
}
