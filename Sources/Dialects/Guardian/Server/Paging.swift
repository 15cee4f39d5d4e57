import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP

/// Which part of a list the Management API is asked for, and in which form (Auth0, Management API v2: `page`, `per_page`,
/// `include_totals`, `fields`, `include_fields`).
struct Paging: Sendable {
    let page: Int
    /// 1 to 100.
    let size: Int
    /// Whether the list is inside of an object that says how much there is.
    let includesTotals: Bool
    /// The members of each item to answer, or to leave out; nil answers all.
    private let fields: (names: Set<String>, areIncluded: Bool)?

    /// - Parameter size: `per_page` by another name, where the list has one.
    init(_ call: GuardianCall, size name: String = "per_page") throws(GuardianError) {
        page = try Self.number("page", 0...10_000, else: 0, call)
        size = try Self.number(call.query[name] == nil ? "per_page" : name, 1...100, else: 50, call)
        includesTotals = try Self.flag("include_totals", else: false, call)
        let isIncluding = try Self.flag("include_fields", else: true, call)
        let names = Set(
            (call.query["fields"] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        if names.isEmpty { fields = nil } else { fields = (names, isIncluding) }
    }

    /// How many items come before the page.
    var offset: Int { page * size }

    private static func number(
        _ name: String, _ range: ClosedRange<Int>, else usual: Int, _ call: GuardianCall
    ) throws(GuardianError) -> Int {
        guard let text = call.query[name] else { return usual }
        guard let value = Int(text), range.contains(value) else {
            throw .invalidQuery("\(name) has to be \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    private static func flag(_ name: String, else usual: Bool, _ call: GuardianCall) throws(GuardianError) -> Bool {
        switch call.query[name] {
        case nil: return usual
        case "true": return true
        case "false": return false
        default: throw .invalidQuery("\(name) has to be true or false.")
        }
    }

    /// The page of a list that is there as a whole.
    func response<Item: Encodable>(of items: [Item], named name: String) throws -> Response {
        try response(page: Array(items.dropFirst(offset).prefix(size)), total: items.count, named: name)
    }

    /// A page.
    /// - Parameters:
    ///   - total: how many items there are on all pages.
    ///   - name: what the list is called where totals are included.
    func response<Item: Encodable>(page items: [Item], total: Int, named name: String) throws -> Response {
        let list = JSONValue.array(try items.map { try projected($0) })
        guard includesTotals else { return try .json(list) }
        return try .json(
            JSONValue.object([
                "start": .integer(Int64(offset)), "limit": .integer(Int64(size)),
                "length": .integer(Int64(items.count)),
                "total": .integer(Int64(total)), name: list,
            ]))
    }

    /// The members of an item that were asked for.
    func projected(_ item: some Encodable) throws -> JSONValue {
        let value = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(item))
        guard let fields, case .object(let members) = value else { return value }
        return .object(members.filter { fields.names.contains($0.key) == fields.areIncluded })
    }
}
