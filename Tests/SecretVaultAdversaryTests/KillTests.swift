import BlockingTestSupport
import Foundation
import KeychainTypes
import Synchronization
import Testing

@testable import SecretVault
@testable import vault_tool

/// Spec 2, T5: whenever a writer is killed, the vault is the old one or the new one.
@Suite("A writer that is killed", .onOwnThreads) struct KillTests {
    private static let cases = Write.Operation.allCases.flatMap { operation in
        WriteStep.allCases.map { (operation, $0) }
    }

    /// All operations at all system calls, each in a process that kills itself there.
    @Test func `Leaves the old or the new vault at every system call`() async throws {
        try await onThread {
            var killed: Set<String> = []
            for (operation, step) in Self.cases {
                let ending = try die(operation, step)
                if ending == -SIGKILL { killed.insert(step.rawValue) }
                #expect(ending == -SIGKILL || ending == 0, "\(operation) \(step)")
            }
            #expect(
                killed == Set(WriteStep.allCases.map(\.rawValue)).subtracting(WriteStep.copying.map(\.rawValue)),
                "each step is come to by something")
        }
    }

    private func die(_ operation: Write.Operation, _ step: WriteStep) throws -> Int32 {
        let scratch = try Scratch(inMemory: true)
        let directory = scratch.file("keychain")
        if operation != .create {
            let vault = try Vault.open(Corpus.configuration(directory, finger: false))
            for name in ["plain", "akpu", "presence"] {
                let access = try #require(Corpus.accesses.first { $0.0 == name }).1
                try vault.add(Corpus.item(name, access, version: 1))
            }
        }
        let child = try Child.start([Tool.path, "step", directory, operation.rawValue, step.rawValue])
        let ending = child.ending()
        let isDone = ending == 0

        // The next process opens it and continues to write.
        func open(_ passcode: String) -> Vault? {
            guard
                var configuration = try? Corpus.configuration(
                    directory,
                    presence: CustomPresence(asksPerson: true) { request in
                        if request.triesLeftAfterWrongAnswer != nil || request.kind == .newPasscode {
                            throw PresenceError.cancelled
                        }
                        return LockedBytes(Array(passcode.utf8))
                    }, finger: false)
            else { return nil }
            configuration.clock = hastyClock()
            return try? Vault.open(configuration)
        }
        let what = "\(operation) killed at \(step)"
        if operation == .create {
            // Nothing was there before: it is there or can be made.
            var configuration = try Corpus.configuration(directory, finger: false)
            configuration.clock = hastyClock()
            let vault = try Vault.open(configuration)
            try vault.add(Corpus.item("plain", AccessControl(unconstrained: .whenUnlocked), version: 1))
            return ending
        }
        let vault = try #require(open(Corpus.passcode) ?? open(Write.newPasscode), "\(what): it does not open")
        var names: [String: [UInt8]] = [:]
        for item in try vault.items(ofClass: "genp") {
            guard case .string(let name)? = item.attributes["acct"] else { continue }
            names[name] = try vault.read(item.id).withBytes { Array($0) }
        }
        let old = Dictionary(uniqueKeysWithValues: ["plain", "akpu", "presence"].map { ($0, Corpus.secret($0, 1)) })
        var new = old
        switch operation {
        case .create, .changePasscode: break
        case .add: new["added"] = Corpus.secret("added", 1)
        case .update: new["plain"] = Corpus.secret("plain", 2)
        case .delete: new["plain"] = nil
        case .removePasscode: (new["akpu"], new["presence"]) = (nil, nil)
        }
        #expect(isDone ? names == new : names == old || names == new, "\(what)")
        if operation == .removePasscode { #expect(vault.hasPasscode == (names["akpu"] != nil), "\(what)") }
        if operation == .changePasscode {
            // One of the two passcodes, not both.
            #expect((open(Corpus.passcode) == nil) != (open(Write.newPasscode) == nil), "\(what)")
        }
        try vault.add(Corpus.item("next", AccessControl(unconstrained: .whenUnlocked), version: 1))
        #expect(try vault.items(ofClass: "genp").count == names.count + 1, "\(what)")
        return ending
    }

    /// A hundred kills from outside, at arbitrary instants.
    @Test func `Leaves the old or the new vault at any instant`() async throws {
        try await onThread {
            let scratch = try Scratch()
            let directory = scratch.file("keychain")
            _ = try Vault.open(Corpus.configuration(directory, finger: false))
            var numbers = SeededNumbers(99)
            var (done, kills) = (0, 0)
            while kills < 100 {
                let child = try Child.start([Tool.path, "write", directory, "\(done)"], output: scratch.file("output"))
                // Once it writes, somewhere in the next ten milliseconds.
                let output = { (try? String(contentsOfFile: scratch.file("output"), encoding: .utf8)) ?? "" }
                let end = ContinuousClock.now + .seconds(600)
                while output().isEmpty, ContinuousClock.now < end { usleep(500) }
                usleep(.random(in: 0...10_000, using: &numbers))
                child.kill()
                #expect(child.ending() == -SIGKILL)
                kills += 1
                let said = output().split(separator: "\n").last { $0.hasPrefix("done ") }
                let acknowledged = try #require(said.flatMap { Int($0.dropFirst(5)) })

                let vault = try Vault.open(Corpus.configuration(directory, finger: false))
                var content: [String: String] = [:]
                for item in try vault.items(ofClass: "genp") {
                    guard case .string(let name)? = item.attributes["acct"] else { continue }
                    content[name] = try vault.read(item.id).withBytes { String(decoding: $0, as: UTF8.self) }
                }
                if content == Write.content(after: acknowledged + 1) {
                    done = acknowledged + 1
                } else {
                    done = acknowledged
                    try #require(content == Write.content(after: acknowledged), "after kill \(kills)")
                }
            }
        }
    }
}

@Suite("Processes that write at once") struct SharingTests {
    /// Set by `make endurance`.
    private static let rounds = ProcessInfo.processInfo.environment["ENDURANCE_ROUNDS"].flatMap { Int($0) } ?? 1

    @Test(arguments: [2, 4]) func `Processes that write side by side lose nothing`(processes: Int) async throws {
        try await onThread {
            let scratch = try Scratch()
            let directory = scratch.file("keychain")
            let before = try Vault.open(Corpus.configuration(directory, finger: false))
            let start = before.state.withLock { $0.image.header.generation }
            let count = 30 * Self.rounds
            let children = try (0..<processes).map {
                try Child.start(
                    [Tool.path, "share", directory, "\($0)", "\(count)"], output: scratch.file("output \($0)"))
            }
            var writes = 0
            for (index, child) in children.enumerated() {
                #expect(child.ending(within: 600) == 0)
                let output = try String(contentsOfFile: scratch.file("output \(index)"), encoding: .utf8)
                writes += try #require(Int(output.dropFirst(6).dropLast()), "\(output)")
            }
            let vault = try Vault.open(Corpus.configuration(directory, finger: false))
            var found: [String: String] = [:]
            for item in try vault.items(ofClass: "genp") {
                guard case .string(let name)? = item.attributes["acct"] else { continue }
                found[name] = try vault.read(item.id).withBytes { String(decoding: $0, as: UTF8.self) }
            }
            var expected: [String: String] = [:]
            for process in 0..<processes {
                for number in 0..<count where number % 3 != 0 {
                    expected["\(process) \(number)"] = number % 2 == 0 ? "second" : "first"
                }
            }
            #expect(found == expected)
            #expect(vault.state.withLock { $0.image.header.generation } == start + UInt64(writes))
            // And who was open all the time sees the same.
            #expect(try before.items(ofClass: "genp").count == expected.count)
        }
    }
}
