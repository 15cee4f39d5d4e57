import DialectTestSupport
import Foundation
import HTTPTypes

/// SplitMix64: random enough for tests, and the same on every run and machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A request that a ``RequestMutator`` makes others of.
struct SampleRequest: Sendable {
    var method = HTTPRequest.Method.post
    var path: String
    var query: [String] = []
    var headers: HTTPFields = [:]
    var body: Body = .none

    enum Body: Sendable {
        case none
        case json(JSON)
        case bytes([UInt8])

        var bytes: [UInt8]? {
            switch self {
            case .none: nil
            case .json(let value): value.bytes
            case .bytes(let bytes): bytes
            }
        }
    }

    var uri: String { query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))" }
}

/// Makes requests that are almost right.
struct RequestMutator {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let tricky: [String] = [
        "", " ", "\u{0}", "\r\n", "%", "%00", "%zz", "%FF", "%2F", "%3A", "%253A", "..", "//", "/../", ";", ":", "?",
        "#", "&",
        "=", "+", "'", "\"", "\\", "<", "{{x}}", "{}", "[]", "null", "true", "-1", "0", "1e999", "NaN", "\u{FEFF}",
        "\u{202E}", "\u{301}", "ü", "日本", "👩‍👩‍👧", "\u{FFFF}", "\u{10FFFF}", "owner", "Bearer ", "a@example.com",
        "../../etc/passwd",
        "9223372036854775808", "-9223372036854775809", "99999999999999999999999999", "2147483648", "00000000", "123456",
        "identitytoolkit.googleapis.com/", "https://", "javascript:alert(1)", "eyJhbGciOiJub25lIn0.e30.", "__proto__",
    ]

    mutating func mutate(_ request: SampleRequest) -> SampleRequest {
        var request = request
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<10: request.body = mutate(request.body)
            case 10..<13: request.path = mutate(text: request.path)
            case 13..<16: mutateQuery(&request)
            case 16..<19: mutateHeaders(&request.headers)
            default:
                let methods: [HTTPRequest.Method] = [
                    .get, .post, .put, .patch, .delete, .head, .options, .trace, .connect,
                ]
                request.method = pick(methods) ?? .get
            }
        }
        return request
    }

    private mutating func pick<T>(_ elements: [T]) -> T? { elements.randomElement(using: &random) }

    private mutating func odd() -> String {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return String(repeating: pick(Self.tricky) ?? "x", count: Int.random(in: 1...2000, using: &random))
        case 1:
            return String(
                decoding: (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }, as: UTF8.self)
        default: return pick(Self.tricky) ?? ""
        }
    }

    /// Something put in, taken out, doubled or escaped.
    private mutating func mutate(text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        let place = Int.random(in: 0...scalars.count, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return odd()
        case 1: scalars.insert(contentsOf: odd().unicodeScalars, at: place)
        case 2: scalars.removeSubrange(min(place, scalars.count)..<min(place + 3, scalars.count))
        case 3: scalars = Array(scalars[..<place])
        case 4: scalars += scalars[place...]
        case 5 where place < scalars.count:
            let hex = String(scalars[place].value, radix: 16)
            scalars.replaceSubrange(place...place, with: "%\(hex)".unicodeScalars)
        default:
            if place < scalars.count, let other = Unicode.Scalar(scalars[place].value ^ 0x20) { scalars[place] = other }
        }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars)
        return String(result)
    }

    private mutating func mutateQuery(_ request: inout SampleRequest) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: if let index = request.query.indices.randomElement(using: &random) { request.query.remove(at: index) }
        case 1: request.query.append("\(odd())=\(odd())")
        case 2: request.query.shuffle(using: &random)
        default:
            if let index = request.query.indices.randomElement(using: &random) {
                request.query[index] = mutate(text: request.query[index])
            }
        }
    }

    private mutating func mutateHeaders(_ headers: inout HTTPFields) {
        let names = [
            "Content-Type", "Authorization", "Content-Length", "Origin", "X-Firebase-Locale", "X-Goog-Api-Key", "Host",
            "Accept",
            "Access-Control-Request-Method", "Cookie", "X-Client-Version", "Expect", "Forwarded",
        ]
        guard let name = pick(names).flatMap({ HTTPField.Name($0) }) else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: headers[name] = nil
        case 1: headers[name] = odd()
        case 2: headers.append(HTTPField(name: name, value: odd()))
        default: headers[name] = mutate(text: headers[name] ?? "")
        }
    }

    // MARK: Bodies

    private mutating func mutate(_ body: SampleRequest.Body) -> SampleRequest.Body {
        switch body {
        case .none: .bytes(Array(odd().utf8))
        case .json(let value) where Int.random(in: 0..<4, using: &random) > 0: .json(mutate(json: value))
        case .json(let value): .bytes(mutate(bytes: value.bytes))
        case .bytes(let bytes): .bytes(mutate(bytes: bytes))
        }
    }

    private mutating func mutate(bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 0...20, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        case 1: bytes.removeSubrange(place..<end)
        case 2: bytes = Array(bytes[..<place])
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4: bytes.insert(contentsOf: Array(odd().utf8), at: place)
        case 5:
            bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        default: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random) }
        }
        return bytes
    }

    /// The value with something in it exchanged.
    private mutating func mutate(json value: JSON) -> JSON {
        if Int.random(in: 0..<8, using: &random) == 0 { return anyValue() }
        switch value {
        case .object(var members):
            let name = pick(members.keys.sorted())
            switch Int.random(in: 0..<6, using: &random) {
            case 0: if let name { members[name] = nil }
            case 1: members[odd()] = anyValue()
            case 2:
                if let name, let member = members.removeValue(forKey: name) { members[snakeCased(name)] = member }
            default: if let name, let member = members[name] { members[name] = mutate(json: member) }
            }
            return .object(members)
        case .array(var elements):
            if let index = elements.indices.randomElement(using: &random), Bool.random(using: &random) {
                elements[index] = mutate(json: elements[index])
            } else {
                elements.append(anyValue())
            }
            return .array(elements)
        case .string(let text): return .string(mutate(text: text))
        default: return anyValue()
        }
    }

    private mutating func anyValue(depth: Int = 0) -> JSON {
        switch Int.random(in: 0..<(depth > 3 ? 6 : 9), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2:
            let numbers: [Int] = [0, -1, 1, 5, 11, Int.max, Int.min, 4_294_967_296, 253_402_300_800]
            return .integer(pick(numbers) ?? 0)
        case 3:
            let numbers: [Double] = [0.5, -0.5, 1e18, 1e19, 1e300, -1e300, 1e-300]
            return .number(pick(numbers) ?? 0)
        case 4, 5: return .string(odd())
        case 6: return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in anyValue(depth: depth + 1) })
        case 7:
            return (0..<Int.random(in: 1...60, using: &random)).reduce(JSON.array([])) { inner, _ in .array([inner]) }
        default: return .object([odd(): anyValue(depth: depth + 1)])
        }
    }

    private func snakeCased(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }
}
