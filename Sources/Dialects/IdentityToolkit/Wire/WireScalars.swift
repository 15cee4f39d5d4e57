/// A 64-bit integer that the protocol writes as a JSON string, for instance `"3600"`.
///
/// It is written as a string and read from a string or a number, since some administrators' libraries send numbers.
/// Text that is no integer is a decoding error. Source: ProtoJSON format.
public struct Int64String: Codable, Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    public var value: Int64

    public init(_ value: Int64) { self.value = value }

    public init(integerLiteral value: Int64) { self.value = value }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            guard let value = Int64(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a 64-bit integer")
            }
            self.value = value
        } else {
            value = try container.decode(Int64.self)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    public var description: String { String(value) }
}

/// A JSON object of which only the presence counts: `{}`. Fields it brings are passed over. Source: ProtoJSON format.
public struct EmptyObject: Codable, Sendable, Equatable {
    private enum CodingKeys: CodingKey {}

    public init() {}

    public init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: CodingKeys.self)
    }
}
