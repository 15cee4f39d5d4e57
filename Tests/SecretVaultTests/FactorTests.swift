import Foundation
import KeychainTypes
import SecretVault
import Synchronization
import Testing

@Suite struct FactorTests {
    let box = Sandbox()

    private func open(_ keys: any SecurityKeyFactor..., change: (inout VaultConfiguration) -> Void = { _ in }) throws
        -> Vault
    {
        try box.open {
            $0.factors = [.passcode] + keys.map { .securityKey($0) }
            change(&$0)
        }
    }

    struct Rule: Sendable, CustomTestStringConvertible {
        let constraints: AccessControl.Constraints
        let passcodes: Int
        let touches: Int
        let testDescription: String

        init(_ text: String, _ constraints: AccessControl.Constraints, passcodes: Int, touches: Int) {
            (testDescription, self.constraints, self.passcodes, self.touches) = (text, constraints, passcodes, touches)
        }
    }

    /// What a read asks for where passcode and biometry are there.
    @Test(arguments: [
        Rule("nothing", [], passcodes: 0, touches: 0),
        Rule("userPresence takes biometry first", .userPresence, passcodes: 0, touches: 1),
        Rule("devicePasscode", .devicePasscode, passcodes: 1, touches: 0),
        Rule("biometryAny", .biometryAny, passcodes: 0, touches: 1),
        Rule("biometryCurrentSet", .biometryCurrentSet, passcodes: 0, touches: 1),
        Rule("or", [.biometryAny, .or, .devicePasscode], passcodes: 0, touches: 1),
        Rule("and", [.biometryAny, .and, .devicePasscode], passcodes: 1, touches: 1),
        Rule("and is meant when neither is said", [.biometryCurrentSet, .devicePasscode], passcodes: 1, touches: 1),
    ])
    func `A read asks for what the access control says`(_ rule: Rule) throws {
        let finger = FakeSecurityKey()
        let vault = try open(finger)
        let before = finger.touches
        var id: ItemID?
        box.asks(0) { id = try vault.add(.password("ann", "one", rule.constraints)) }
        #expect(finger.touches == before, "adding asks no user")
        let asked = try box.prompt.count { try #expect(vault.read(#require(id)).text == "one") }
        #expect(asked == rule.passcodes)
        #expect(finger.touches - before == rule.touches)
        // An update asks as a read does.
        let touches = finger.touches
        let updating = try box.prompt.count {
            try vault.update(#require(id), with: ItemChange(secret: LockedBytes([50])))
        }
        #expect(updating == rule.passcodes)
        #expect(finger.touches - touches == rule.touches)
        #expect(try vault.read(#require(id)).text == "2")
    }

    @Test(arguments: [
        AccessControl.Constraints.biometryAny, .biometryCurrentSet, [.biometryAny, .or, .devicePasscode],
        [.biometryCurrentSet, .and, .devicePasscode], .companion, [.companion, .or, .devicePasscode],
    ])
    func `Without the factor nothing weaker is stored`(_ constraints: AccessControl.Constraints) throws {
        let vault = try open()
        guard case .factorUnavailable = failure({ try vault.add(.password("ann", "one", constraints)) }) else {
            Issue.record("an item was stored without its factor")
            return
        }
        #expect(try vault.items(ofClass: "genp").isEmpty)
    }

    @Test func `A factor that was never enrolled is none`() throws {
        let vault = try open(FakeSecurityKey(nil))
        guard case .factorUnavailable = failure({ try vault.add(.password("ann", "one", .biometryAny)) }) else {
            Issue.record("an item was stored without an enrolment")
            return
        }
        let id = try vault.add(.password("bob", "two", .userPresence))
        #expect(try vault.read(id).text == "two", "presence can be shown by the passcode")
    }

    @Test func `User presence falls back to the passcode when the key is not there`() throws {
        let finger = FakeSecurityKey()
        let vault = try open(finger)
        let id = try vault.add(.password("ann", "one", .userPresence))
        finger.state.withLock { $0.isPluggedIn = false }
        box.asks(1) { try #expect(vault.read(id).text == "one") }
        let strict = failure { try vault.add(.password("bob", "two", .biometryAny)) }
        guard case .factorUnavailable = strict else {
            Issue.record("an item was stored for a factor that is not there")
            return
        }
        finger.state.withLock {
            $0.isPluggedIn = true
            $0.refusal = .cancelled
        }
        #expect(failure { try vault.read(id) } == .cancelled, "a refusal is not a missing factor")
    }

    @Test func `A changed enrolment ends items of the current set and no others`() throws {
        let finger = FakeSecurityKey()
        var current: ItemID?
        var any: ItemID?
        do {
            let vault = try open(finger)
            current = try vault.add(.password("current", "one", .biometryCurrentSet))
            any = try vault.add(.password("any", "two", .biometryAny))
            try vault.add(.password("either", "three", [.biometryCurrentSet, .or, .devicePasscode]))
            finger.enrol("second finger")
            #expect(failure { try vault.read(#require(current)) } == .itemNotFound)
            #expect(try vault.items(ofClass: "genp").count == 2)
            guard case .factorUnavailable = failure({ try vault.read(#require(any)) }) else {
                Issue.record("an unknown enrolment opened an item")
                return
            }
        }
        let vault = try open(finger)
        #expect(try vault.read(#require(any)).text == "two", "the passcode passed the key on to the new enrolment")
        #expect(failure { try vault.read(#require(current)) } == .itemNotFound)
        finger.enrol("first finger")
        let again = try open(finger)
        #expect(failure { try again.read(#require(current)) } == .itemNotFound, "it was dropped, and stays so")
        #expect(try again.read(#require(any)).text == "two")
        let id = try again.add(.password("current", "new", .biometryCurrentSet))
        #expect(try again.read(id).text == "new", "its place in the primary key is free")
    }

    @Test func `A process without the factor knows nothing of its enrolment`() throws {
        let finger = FakeSecurityKey()
        let id = try open(finger).add(.password("ann", "one", .biometryCurrentSet))
        let other = try open()
        guard case .factorUnavailable = failure({ try other.read(id) }) else {
            Issue.record("an item was read without its factor")
            return
        }
        try other.add(.password("bob", "two"))
        #expect(try open(finger).read(id).text == "one", "a write of such a process drops nothing")
    }

    @Test func `A key that yields other material opens nothing`() throws {
        let finger = FakeSecurityKey("finger")
        let id = try open(finger).add(.password("ann", "one", .biometryAny))
        let forged = ForgedKey(identity: Array("finger".utf8))
        let vault = try open(forged)
        #expect(failure { try vault.read(id) } == .authenticationFailed(triesLeft: nil))
    }

    @Test func `The companion is a factor of its own`() throws {
        let (finger, watch) = (FakeSecurityKey(), FakeSecurityKey("watch", role: .companion))
        let vault = try open(finger, watch)
        let before = (finger.touches, watch.touches)
        let id = try vault.add(.password("ann", "one", [.companion, .and, .biometryCurrentSet, .devicePasscode]))
        box.asks(1) { try #expect(vault.read(id).text == "one") }
        #expect(finger.touches == before.0 + 1 && watch.touches == before.1 + 1)
    }

    @Test func `Biometry is mapped to the passcode only where that is said and aloud`() throws {
        let mapped = try open { $0.mapsBiometryToPasscode = true }
        let id = try mapped.add(.password("ann", "one", .biometryCurrentSet))
        #expect(box.log.contains("mapsBiometryToPasscode"))
        box.asks(1) { try #expect(mapped.read(id).text == "one") }
        let both = try mapped.add(.password("bob", "two", [.biometryAny, .and, .devicePasscode]))
        let strict = try open()
        for item in [id, both] {
            guard case .factorUnavailable = failure({ try strict.read(item) }) else {
                Issue.record("a process that does not map read a mapped item")
                return
            }
        }
        let enrolled = try open(FakeSecurityKey()) { $0.mapsBiometryToPasscode = true }
        let real = try enrolled.add(.password("cid", "three", .biometryAny))
        box.asks(0) { _ = try enrolled.read(real) }  // with a factor there is nothing to map
    }

    @Test func `A stored credential opens the vault and proves no presence`() throws {
        let vault = try open()
        let free = try vault.add(.password("free", "one"))
        let guarded = try vault.add(.password("guarded", "two", .userPresence))
        let word = AuthenticationContext()
        word.setApplicationPassword(LockedBytes(Array("word".utf8)))
        let own = try vault.add(.password("own", "three", .applicationPassword), context: word)
        let stored = ScriptedPrompt("1234", asksPerson: false)
        let server = try box.open { $0.presence = stored }
        #expect(try server.read(free).text == "one")
        #expect(failure { try server.read(guarded) } == .interactionNotAllowed)
        #expect(failure { try server.read(own) } == .interactionNotAllowed)
        #expect(try server.read(own, context: word).text == "three", "this one asks nobody")
        #expect(stored.requests.count == 1)
    }

    // MARK: Application passwords

    @Test func `An application password is a further input`() throws {
        let vault = try open()
        box.prompt.answer("word")
        let id = try vault.add(.password("ann", "one", .applicationPassword))
        #expect(box.prompt.requests.last?.kind == .applicationPassword(isNew: true))
        #expect(try vault.read(id).text == "one")
        #expect(box.prompt.requests.last?.kind == .applicationPassword(isNew: false))
        box.prompt.answer("other")
        #expect(failure { try vault.read(id) } == .authenticationFailed(triesLeft: 2))
        #expect(vault.lockoutState() == (0, 0), "the passcode's count is another one")
        let context = AuthenticationContext()
        context.setApplicationPassword(LockedBytes(Array("wrong".utf8)))
        box.prompt.answer("word")
        // A wrong one is dropped and asked for; the provider here has one answer only, as after a wrong one.
        #expect(failure { try vault.read(id, context: context) } == .authenticationFailed(triesLeft: 1))
        #expect(!context.hasApplicationPassword)
        #expect(try vault.read(id, context: context).text == "one")
        context.setApplicationPassword(LockedBytes(Array("word".utf8)))
        box.asks(0) { try vault.update(id, with: .init(secret: LockedBytes([50])), context: context) }
        #expect(try vault.read(id, context: context).text == "2")
    }

    @Test func `An application password goes with factors`() throws {
        let vault = try open()
        let context = AuthenticationContext()
        context.setApplicationPassword(LockedBytes(Array("word".utf8)))
        let id = try vault.add(.password("ann", "one", [.devicePasscode, .applicationPassword]), context: context)
        box.asks(1) { try #expect(vault.read(id, context: context).text == "one") }
        context.setApplicationPassword(LockedBytes(Array("wrong".utf8)))
        #expect(failure { try vault.read(id, context: context) } == .authenticationFailed(triesLeft: 2))
    }

    // MARK: Passcode

    @Test func `A new passcode opens everything and the old one nothing`() throws {
        let finger = FakeSecurityKey()
        let vault = try open(finger)
        let items = try [
            AccessControl.Constraints(), .devicePasscode, .userPresence, .biometryAny, .biometryCurrentSet,
            [.biometryCurrentSet, .and, .devicePasscode],
        ].enumerated().map { index, constraints in
            try vault.add(.password("item \(index)", "secret \(index)", constraints, .whenPasscodeSetThisDeviceOnly))
        }
        let other = try open(finger)
        let before = finger.touches
        box.prompt.answer("1234", "new one", "new one")
        try vault.changePasscode()
        #expect(box.prompt.requests.suffix(2).map(\.kind) == [.passcode, .newPasscode])
        #expect(finger.touches == before, "a new passcode needs no other factor")
        #expect(!FileManager.default.fileExists(atPath: box.path("vault.kc.bak")))
        #expect(failure { try other.read(items[0]) } == .locked, "keys of the old passcode open nothing")
        #expect(!other.isUnlocked)
        box.prompt.answer("1234")
        #expect(failure { try open(finger) } == .authenticationFailed(triesLeft: 2))
        box.prompt.answer("new one")
        let again = try open(finger)
        for (index, id) in items.enumerated() {
            #expect(try vault.read(id).text == "secret \(index)")
            #expect(try again.read(id).text == "secret \(index)")
        }
        try other.unlock()
        #expect(try other.read(items[0]).text == "secret 0")
        #expect(failure { try again.add(.password("item 0", "x")) } == .duplicateItem, "hashes of primary keys stay")
        #expect(!box.log.contains("was replaced"))
        finger.enrol("second")
        #expect(try open(finger).read(items[3]).text == "secret 3", "the new passcode passes the key on")
    }

    @Test func `Without a passcode nothing that needs one is left`() throws {
        let vault = try open(FakeSecurityKey())
        let kept = try vault.add(.password("kept", "one", [], .afterFirstUnlock))
        try vault.add(.password("akpu", "two", [], .whenPasscodeSetThisDeviceOnly))
        try vault.add(.password("guarded", "three", .userPresence))
        try vault.removePasscode()
        #expect(!vault.hasPasscode)
        #expect(try vault.items(ofClass: "genp").map(\.id) == [kept])
        #expect(failure { try vault.removePasscode() } == .passcodeNotSet)
        for refused in [AccessControl.Constraints.devicePasscode, .userPresence, .biometryAny] {
            #expect(failure { try vault.add(.password("x", "y", refused)) } == .passcodeNotSet)
        }
        let strict = try NewItem.password("x", "y", [], .whenPasscodeSetThisDeviceOnly)
        #expect(failure { try vault.add(strict) } == .passcodeNotSet)
        let again = try open()
        box.asks(0) { try #expect(open().read(kept).text == "one") }
        #expect(try again.read(kept).text == "one")
        box.prompt.answer("fresh")
        try again.changePasscode()
        #expect(again.hasPasscode)
        try again.add(strict)
        #expect(try open().read(kept).text == "one")
    }

    @Test func `One of two who remove the passcode at once wins and the vault stays whole`() throws {
        let first = try open()
        let id = try first.add(.password("ann", "one"))
        let second = try Vault.open(
            box.configuration {
                $0.presence = .custom { request in
                    // Another process finishes while this prompt is open.
                    if request.kind == .passcode { try? first.removePasscode() }
                    return LockedBytes(Array("1234".utf8))
                }
            })
        #expect(failure { try second.removePasscode() } == .locked)
        #expect(try open().read(id).text == "one")
        try second.unlock()
        #expect(try second.read(id).text == "one")
    }

    @Test func `A vault can be made without a passcode and says so`() throws {
        let vault = try box.open { $0.factors = [] }
        #expect(box.prompt.requests.isEmpty)
        #expect(!vault.hasPasscode)
        #expect(box.log.contains("no passcode"))
        let id = try vault.add(.password("ann", "one"))
        #expect(try box.open().read(id).text == "one")
        try FileManager.default.removeItem(atPath: box.path("device.key"))
        guard case .notAvailable = failure({ try box.open() }) else {
            Issue.record("the vault opened without its key")
            return
        }
    }
}

/// Names the right enrolment and does not have its secret.
private struct ForgedKey: SecurityKeyFactor {
    let identity: [UInt8]
    func enrolment() throws(PresenceError) -> [UInt8]? { identity }
    func keyMaterial(salt: [UInt8], reason: String?) throws(PresenceError) -> LockedBytes {
        LockedBytes([UInt8](repeating: 0, count: 32))
    }
}
