import Foundation
import KeychainTypes
import SecretVault
import Testing

@Suite struct VaultTests {
    let box = Sandbox()

    @Test func `What is added is read after another opening`() throws {
        var id: ItemID?
        do {
            let vault = try box.open()
            id = try vault.add(.password("ann", "s3cret"))
        }
        let vault = try box.open()
        let items = try vault.items(ofClass: "genp")
        #expect(items.map(\.id) == [id])
        #expect(items[0].attributes["acct"] == .string("ann"))
        #expect(items[0].access == AccessControl(unconstrained: .whenUnlocked))
        #expect(items[0].created == box.clock.clock.wall())
        #expect(try vault.read(#require(id)).text == "s3cret")
    }

    @Test func `Neither secret nor attributes nor keys of theirs are in the file`() throws {
        let vault = try box.open()
        try vault.add(.password("account-of-ann", "the-secret-itself"))
        let file = String(decoding: try box.bytes(), as: UTF8.self)
        #expect(!file.contains("account-of-ann"))
        #expect(!file.contains("the-secret-itself"))
        #expect(!file.contains("label of"))
    }

    @Test func `A primary key is unique in its class whatever the access control`() throws {
        let vault = try box.open()
        try vault.add(.password("ann", "one"))
        #expect(failure { try vault.add(.password("ann", "two", .devicePasscode)) } == .duplicateItem)
        var other = try NewItem.password("ann", "two")
        other.itemClass = "keys"
        try vault.add(other)
        let batch = [try NewItem.password("bob", "1"), try NewItem.password("bob", "2")]
        #expect(failure { try vault.add(batch) } == .duplicateItem)
        #expect(try vault.items(ofClass: "genp").count == 1, "a batch is added as a whole or not at all")
    }

    @Test func `Updates change what they say and nothing else`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one"))
        box.clock.advance(10)
        try vault.update(id, with: ItemChange(attributes: ["acct": .string("ann"), "icmt": .string("new")]))
        #expect(try vault.read(id).text == "one")
        try vault.update(id, with: ItemChange(secret: LockedBytes(Array("two".utf8))))
        try vault.update(id, with: ItemChange(access: try AccessControl(.afterFirstUnlock, .devicePasscode)))
        try vault.update(id, with: ItemChange(uniqueKey: Array("anna".utf8)))
        let again = try box.open()
        let item = try again.item(id)
        #expect(item.attributes["icmt"] == .string("new"))
        #expect(item.access == (try AccessControl(.afterFirstUnlock, .devicePasscode)))
        #expect(item.modified > item.created)
        #expect(try again.read(id).text == "two")
        #expect(try again.item(ofClass: "genp", uniqueKey: Array("anna".utf8))?.id == id)
        #expect(try again.item(ofClass: "genp", uniqueKey: Array("ann".utf8)) == nil)
    }

    @Test func `An update cannot make two items equal`() throws {
        let vault = try box.open()
        try vault.add(.password("ann", "one"))
        let id = try vault.add(.password("bob", "two"))
        #expect(failure { try vault.update(id, with: ItemChange(uniqueKey: Array("ann".utf8))) } == .duplicateItem)
        #expect(try vault.read(id).text == "two")
    }

    @Test func `Deleting never prompts`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one", .devicePasscode))
        box.asks(0) { try vault.delete([id]) }
        #expect(failure { try vault.read(id) } == .itemNotFound)
        #expect(failure { try vault.delete([id]) } == .itemNotFound)
        #expect(failure { try vault.update(id, with: ItemChange(attributes: [:])) } == .itemNotFound)
    }

    @Test func `A locked vault keeps what is readable after the first unlock`() throws {
        let vault = try box.open()
        let open = try vault.add(.password("a", "after", [], .afterFirstUnlock))
        let shut = try vault.add(.password("b", "when", [], .whenUnlocked))
        let strict = try vault.add(.password("c", "passcode", [], .whenPasscodeSetThisDeviceOnly))
        vault.lock()
        #expect(!vault.isUnlocked)
        #expect(try vault.read(open).text == "after")
        #expect(failure { try vault.read(shut) } == .locked)
        #expect(failure { try vault.read(strict) } == .locked)
        #expect(failure { try vault.add(.password("d", "x")) } == .locked)
        #expect(try vault.items(ofClass: "genp").count == 3)
        try vault.unlock()
        #expect(try vault.read(shut).text == "when")
        #expect(try vault.read(strict).text == "passcode")
    }

    @Test func `Keys for use are lent and never given out`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("key", "bytes of a key", .privateKeyUsage))
        guard case .unsupported = failure({ try vault.read(id) }) else {
            Issue.record("a key for use only was given out")
            return
        }
        #expect(try vault.use(id) { $0.text } == "bytes of a key")
    }

    @Test func `Another process sees and is seen`() throws {
        let (first, second) = (try box.open(), try box.open())
        let id = try first.add(.password("ann", "one"))
        #expect(try second.read(id).text == "one")
        try second.update(id, with: ItemChange(secret: LockedBytes(Array("two".utf8))))
        #expect(try first.read(id).text == "two")
        try second.add(.password("bob", "three"))
        #expect(failure { try first.add(.password("bob", "four")) } == .duplicateItem)
    }

    @Test func `Files are for their owner alone`() throws {
        let vault = try box.open()
        try vault.add(.password("ann", "one"))
        for name in try FileManager.default.contentsOfDirectory(atPath: box.directory) {
            var status = stat()
            #expect(lstat(box.path(name), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        var status = stat()
        #expect(lstat(box.directory, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        chmod(box.directory, 0o755)
        guard case .notAvailable = failure({ try box.open() }) else {
            Issue.record("an open folder was accepted")
            return
        }
    }
}
