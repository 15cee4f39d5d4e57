import Foundation
import KeychainTypes
import SecretVault
import Synchronization
import Testing

@Suite struct DurabilityTests {
    let box = Sandbox()

    private struct Stop: Error {}

    /// A hook that stops before `step`, once it is armed.
    private final class Trap: Sendable {
        private let step: WriteStep
        private let isArmed = Mutex(false)
        init(_ step: WriteStep) { self.step = step }
        func arm(_ armed: Bool = true) { isArmed.withLock { $0 = armed } }
        var hook: @Sendable (WriteStep) throws -> Void {
            { step in
                if step == self.step && self.isArmed.withLock({ $0 }) { throw Stop() }
                try DurabilityTests.refuseLink(step, if: WriteStep.copying.contains(self.step))
            }
        }
    }

    /// The steps that a write of an item goes through, in order.
    private static let steps: [WriteStep] = [
        .lock, .removeStaleTemporary, .createTemporary, .writeTemporary, .syncTemporary, .removeStaleBackup,
        .linkBackup, .renameBackup, .rename, .syncDirectory, .unlock,
    ]

    private static func refuseLink(_ step: WriteStep, if isRefused: Bool) throws {
        if step == .linkBackup && isRefused { throw POSIXError(.EPERM) }
    }

    @Test func `A write goes through these steps`() throws {
        let seen = Mutex<[WriteStep]>([])
        let recorder = Recorder()
        let vault = try box.open { $0.faults = { recorder.add($0) } }
        recorder.clear()
        try vault.add(.password("ann", "one"))
        #expect(recorder.steps == Self.steps)
        recorder.clear()
        box.prompt.answer("1234", "new", "new")
        try vault.changePasscode()
        seen.withLock { $0 = recorder.steps }
        #expect(seen.withLock { Set($0) } == Set(WriteStep.allCases).subtracting(WriteStep.copying))
    }

    @Test(arguments: steps + WriteStep.copying)
    func `A failing system call leaves the old or the new`(_ step: WriteStep) throws {
        let trap = Trap(step)
        let vault = try box.open { $0.faults = trap.hook }
        let old = try vault.add(.password("ann", "one"))
        trap.arm()
        guard case .io = failure({ try vault.update(old, with: ItemChange(secret: LockedBytes([50]))) }) else {
            Issue.record("the failure was not told")
            return
        }
        let isNew = [.syncDirectory, .unlock].contains(step)
        let expected = isNew ? "2" : "one"
        #expect(try box.open().read(old).text == expected)
        #expect(try vault.read(old).text == expected, "the process that failed goes on with what is there")
        trap.arm(false)
        try vault.add(.password("bob", "two"))
        #expect(try box.open().items(ofClass: "genp").count == 2)
        #expect(!FileManager.default.fileExists(atPath: box.path("vault.kc.new")))
    }

    /// `kill -9` before each system call of a write, in a process of its own.
    @Test(arguments: steps + WriteStep.copying)
    func `A killed write leaves the old or the new`(_ step: WriteStep) async throws {
        let id = try box.open().add(.password("ann", "one"))
        let (root, name) = (box.root, step.rawValue)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root as String, name = name as String, bytes = id.bytes as [UInt8]] in
            let box = Sandbox(root: root)
            let step = WriteStep(rawValue: name)!
            let armed = Recorder()
            let vault = try box.open {
                $0.faults = { now in
                    if now == step && armed.isArmed { kill(getpid(), SIGKILL) }
                    try Self.refuseLink(now, if: WriteStep.copying.contains(step))
                }
            }
            armed.arm()
            try vault.update(ItemID(bytes)!, with: ItemChange(secret: LockedBytes([50])))
        }
        let vault = try box.open()
        let isNew = [.syncDirectory, .unlock].contains(step)
        #expect(try vault.read(id).text == (isNew ? "2" : "one"))
        try vault.update(id, with: ItemChange(secret: LockedBytes([51])))
        #expect(try box.open().read(id).text == "3")
    }

    @Test(arguments: WriteStep.allCases)
    func `A passcode is the old or the new whenever its change is killed`(_ step: WriteStep) async throws {
        let id = try box.open().add(.password("ann", "one", .devicePasscode))
        let (root, name) = (box.root, step.rawValue)
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = root as String, name = name as String] in
            let box = Sandbox(root: root)
            let step = WriteStep(rawValue: name)!
            let armed = Recorder()
            let vault = try box.open {
                $0.faults = { now in
                    if now == step && armed.isArmed { kill(getpid(), SIGKILL) }
                    try Self.refuseLink(now, if: WriteStep.copying.contains(step))
                }
            }
            armed.arm()
            box.prompt.answer("1234", "new", "new")
            try vault.changePasscode()
        }
        let isNew = [.syncDirectory, .removeBackup, .syncRemoval, .unlock].contains(step)
        box.prompt.answer(isNew ? "new" : "1234")
        #expect(try box.open().read(id).text == "one")
    }

    @Test(arguments: [WriteStep.lock, .createTemporary, .writeTemporary, .syncTemporary, .rename, .syncDirectory])
    func `A killed creation leaves nothing or a vault`(_ step: WriteStep) async throws {
        let (root, name) = (box.root, step.rawValue)
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = root as String, name = name as String] in
            let box = Sandbox(root: root)
            let step = WriteStep(rawValue: name)!
            _ = try box.open { $0.faults = { if $0 == step { kill(getpid(), SIGKILL) } } }
        }
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one"))
        #expect(try box.open().read(id).text == "one")
    }

    @Test(arguments: [POSIXErrorCode.EPERM, .EOPNOTSUPP, .ENOSYS, .EMLINK])
    func `Without hard links the backup is a copy`(_ code: POSIXErrorCode) throws {
        let recorder = Recorder()
        let vault = try box.open {
            $0.faults = { step in
                recorder.add(step)
                if step == .linkBackup { throw POSIXError(code) }
            }
        }
        let id = try vault.add(.password("ann", String(repeating: "one", count: 300_000)))
        try vault.add(.password("bob", String(repeating: "two", count: 300_000)))
        let before = try box.bytes()
        #expect(before.count > 1 << 20, "copied in more than one piece")
        recorder.clear()
        try vault.update(id, with: ItemChange(secret: LockedBytes([50])))
        #expect(try box.bytes("vault.kc.bak") == before)
        let copied = recorder.steps.filter { WriteStep.copying.contains($0) }
        #expect(copied == [.createBackupCopy, .writeBackupCopy, .writeBackupCopy, .syncBackupCopy])
        let attributes = try FileManager.default.attributesOfItem(atPath: box.path("vault.kc.bak"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(!FileManager.default.fileExists(atPath: box.path("vault.kc.bak.new")))
        #expect(try Vault.restoreBackup(box.configuration()).read(id).text.hasPrefix("oneone"))
    }

    @Test func `Another failure of the link is told and copies nothing`() throws {
        let recorder = Recorder()
        let vault = try box.open {
            $0.faults = { step in
                recorder.add(step)
                if step == .linkBackup { throw POSIXError(.ENOSPC) }
            }
        }
        let error = failure { try vault.add(.password("ann", "one")) }
        #expect(error == .io(operation: "linkBackup", errno: ENOSPC))
        #expect(!recorder.steps.contains(.createBackupCopy))
        #expect(try vault.items(ofClass: "genp").isEmpty)
    }

    @Test func `An item is there though its folder was not synced`() throws {
        let trap = Trap(.syncDirectory)
        let vault = try box.open { $0.faults = trap.hook }
        trap.arm()
        let error = failure { try vault.add(.password("ann", "one")) }
        #expect(error == .io(operation: "syncDirectory", errno: EIO))
        trap.arm(false)
        #expect(try vault.items(ofClass: "genp").count == 1)
        #expect(try box.open().items(ofClass: "genp").count == 1)
        #expect(failure { try vault.add(.password("ann", "one")) } == .duplicateItem)
    }

    @Test func `The generation before is restored only when asked for`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one"))
        try vault.update(id, with: ItemChange(secret: LockedBytes([50])))
        var bytes = try box.bytes()
        bytes[bytes.count / 2] ^= 1
        try box.write(bytes)
        guard case .corrupted(let text) = failure({ try box.open() }) else {
            Issue.record("a damaged vault was opened")
            return
        }
        #expect(text.contains("restoreBackup"))
        let restored = try Vault.restoreBackup(box.configuration())
        #expect(try restored.read(id).text == "one")
        #expect(try box.open().read(id).text == "one")
        #expect(try box.bytes("vault.kc.damaged") == bytes)
    }

    @Test func `A vault that is gone is not made anew`() throws {
        let vault = try box.open()
        try vault.add(.password("ann", "one"))
        try FileManager.default.removeItem(atPath: box.path("vault.kc"))
        guard case .corrupted = failure({ try box.open() }) else {
            Issue.record("a new vault was made in place of one whose backup is there")
            return
        }
        guard case .notAvailable = failure({ try vault.add(.password("bob", "two")) }) else {
            Issue.record("a vault was written that was taken away")
            return
        }
    }

    @Test(arguments: ["vault.kc", "attempts", "lock", "."])
    func `Symbolic links are refused`(_ name: String) throws {
        _ = try box.open()
        let path = name == "." ? box.directory : box.path(name)
        try FileManager.default.moveItem(atPath: path, toPath: box.root + "/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: box.root + "/elsewhere")
        let vault = failure {
            let vault = try box.open()
            try vault.add(.password("ann", "one"))
        }
        #expect(vault != nil)
    }

    @Test func `A pipe in the vaults place does not block`() throws {
        _ = try box.open()
        try FileManager.default.removeItem(atPath: box.path("vault.kc"))
        #expect(mkfifo(box.path("vault.kc"), 0o600) == 0)
        guard case .notAvailable = failure({ try box.open() }) else {
            Issue.record("a pipe was taken for a vault")
            return
        }
    }

    // MARK: Writers at once

    @Test func `Writers in many threads and openings lose nothing`() async throws {
        let vaults = try (0..<4).map { _ in try box.open() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (writer, vault) in vaults.enumerated() {
                for number in 0..<10 {
                    group.addTask {
                        let id = try vault.add(.password("\(writer)/\(number)", "first"))
                        try vault.update(id, with: ItemChange(secret: LockedBytes(Array("\(writer)/\(number)".utf8))))
                    }
                }
            }
            try await group.waitForAll()
        }
        let vault = try box.open()
        let items = try vault.items(ofClass: "genp")
        #expect(items.count == 40)
        for item in items { #expect(try .string(vault.read(item.id).text) == item.attributes["acct"]) }
    }

    @Test func `One of many who add the same wins`() async throws {
        let vaults = try (0..<4).map { _ in try box.open() }
        let added = await withTaskGroup(of: KeychainError?.self) { group in
            for index in 0..<20 {
                group.addTask { failure { try vaults[index % 4].add(.password("ann", "\(index)")) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(added.count { $0 == nil } == 1)
        #expect(added.count { $0 == .duplicateItem } == 19)
    }

    @Test func `Many who make the vault make one`() async throws {
        let configuration = try box.configuration()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<6 {
                group.addTask { try Vault.open(configuration).add(.password("\(index)", "x")) }
            }
            try await group.waitForAll()
        }
        #expect(try box.open().items(ofClass: "genp").count == 6)
    }
}

final class Recorder: Sendable {
    private let state = Mutex<(steps: [WriteStep], isArmed: Bool)>(([], false))
    var steps: [WriteStep] { state.withLock { $0.steps } }
    var isArmed: Bool { state.withLock { $0.isArmed } }
    func add(_ step: WriteStep) { state.withLock { $0.steps.append(step) } }
    func clear() { state.withLock { $0.steps = [] } }
    func arm() { state.withLock { $0.isArmed = true } }
}
