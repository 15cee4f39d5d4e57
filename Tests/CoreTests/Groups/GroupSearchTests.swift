import Foundation
import Testing

@testable import CountersignCore

@Suite("Search of groups")
struct GroupSearchTests {
    @Test
    func `Groups are found by name, then by name or summary in any case, both ways and beyond the bound of a look`()
        async throws
    {
        let test = try await TestRealm.make()
        let groups = test.realm.groups
        let rows: [(name: String, summary: String)] = [
            ("eng", "Who builds it"), ("a", "\u{FF25}NGineers"), ("eng/core", ""), ("ENG", ""), ("zz", "engaged"),
            ("b", "The engineers"), ("c", ""),
        ]
        try await test.realm.store.write { transaction in
            for row in rows {
                _ = try transaction.insert(
                    UserGroup(name: GroupName(rawValue: row.name), summary: row.summary, createdAt: test.now))
            }
        }
        func search(
            _ text: String, from place: FoundPlace<GroupName>? = nil, back isBackwards: Bool = false, limit: Int = 9
        ) async throws -> (names: [String], page: ListPage<UserGroup, FoundPlace<GroupName>>) {
            let page = try await groups.search(text, ListRange(place, isBackwards: isBackwards, limit: limit))
            return (page.rows.map(\.name.rawValue), page)
        }
        #expect(try await search(" eng").names == ["eng", "eng/core", "ENG", "a", "zz"])
        #expect(try await search("Eng").names == ["ENG", "a", "eng", "eng/core", "zz"])
        #expect(try await search("who").names == ["eng"])
        #expect(try await search("%").names == [])
        let second = try await search("eng", from: .key(GroupName(rawValue: "eng/core")), limit: 2)
        #expect(second.names == ["ENG", "a"] && second.page.next == .row(.words(GroupName(rawValue: "a"))))
        guard case .row(let before)? = second.page.previous else {
            Issue.record("no previous page: \(second)")
            return
        }
        let back = try await search("eng", from: before, back: true, limit: 2)
        #expect(back.names == ["eng", "eng/core"] && back.page.previous == nil)

        try await test.realm.store.write { transaction in
            for number in 0..<ListSearch.mostLookedThrough {
                _ = try transaction.insert(
                    UserGroup(name: GroupName(rawValue: "m\(10_000 + number)"), summary: "", createdAt: test.now))
            }
        }
        let bound = try await search("eng")
        #expect(bound.names == ["eng", "eng/core", "ENG", "a"], "One is behind the bound.")
        guard case .row(let place)? = bound.page.next else {
            Issue.record("no next page: \(bound)")
            return
        }
        let rest = try await search("eng", from: place)
        #expect(rest.names == ["zz"] && rest.page.next == nil && rest.page.previous != nil)
    }
}
