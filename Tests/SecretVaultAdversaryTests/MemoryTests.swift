import BlockingTestSupport
import Foundation
import KeychainTypes
import Testing

@testable import SecretVault
@testable import vault_tool

/// Spec 2, T3: what a locked process still has in its memory, seen from outside.
@Suite("The memory of a locked process", .onOwnThreads) struct MemoryTests {
    struct Finding: Hashable, CustomStringConvertible {
        let what: String
        let place: String
        var description: String { "\(what) in \(place)" }
    }

    @Test func `Holds neither passcode nor secrets nor their keys`() async throws {
        try await onThread {
            let scratch = try Scratch(inMemory: true)
            let directory = scratch.file("keychain")
            let vault = try Vault.open(Corpus.configuration(directory, finger: false))
            let names = ["plain", "device", "after", "akpu", "passcode", "presence", "signing", "key"]
            // Not the corpus' secrets: their text is in the tool, too.
            func secret(_ name: String) -> [UInt8] {
                Array("\(name): \(scratch.path.reversed().map(String.init).joined())".utf8)
            }
            for name in names {
                var item = Corpus.item(name, Corpus.accesses.first { $0.0 == name }!.1, version: 1)
                item.secret = LockedBytes(secret(name))
                try vault.add(item)
            }
            let passcode = "the parent's passcode \(UUID().uuidString)"
            // Changed to one that is nowhere in the tool.
            let change = CustomPresence { request in
                LockedBytes(Array((request.kind == .newPasscode ? passcode : Corpus.passcode).utf8))
            }
            try Vault.open(Corpus.configuration(directory, presence: change, finger: false)).changePasscode()

            var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
            try #require(pipe(&input) == 0 && pipe(&output) == 0)
            for descriptor in input + output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            let child = try Child.start([Tool.path, "image", directory], input: input[0], outputDescriptor: output[1])
            close(input[0])
            close(output[1])
            defer { close(output[0]) }
            _ = passcode.withCString { write(input[1], $0, strlen($0)) }
            close(input[1])
            let lines = read(output[0], until: "locked\n")
            try #require(lines.last == "locked", "\(lines)")

            var gone: [String: [UInt8]] = ["the passcode": Array(passcode.utf8)]
            for name in names { gone["the secret of \(name)"] = secret(name) }
            var kept: [String: [UInt8]] = [:]
            for line in lines.dropLast() {
                let words = line.split(separator: " ")
                let key = stride(from: 0, to: 64, by: 2).map { UInt8(words[2].dropFirst($0).prefix(2), radix: 16)! }
                if words[0] == "gone" { gone["the key \(words[1])"] = key } else { kept["the key \(words[1])"] = key }
            }
            #expect(gone.count == names.count + 3)
            #expect(kept.count == 5)
            let findings = try search(child.process, gone: gone, kept: kept)
            // What is readable after the first unlock stays so, and its keys lie in locked memory and nowhere else.
            #expect(findings.kept.count == 5, "the search finds what is there")
            #expect(findings.gone.isEmpty, "\(findings.gone)")
            #expect(findings.keptElsewhere.isEmpty, "\(findings.keptElsewhere)")
            child.kill()
            child.ending()
        }
    }

    private func read(_ descriptor: Int32, until end: String?) -> [String] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while end.map({ !bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }) ?? true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Looks through all memory of the process, the pages included that a core dump leaves out.
    private func search(
        _ process: pid_t, gone: [String: [UInt8]], kept: [String: [UInt8]]
    ) throws -> (gone: Set<Finding>, kept: Set<String>, keptElsewhere: Set<Finding>) {
        var result: (gone: Set<Finding>, kept: Set<String>, keptElsewhere: Set<Finding>) = ([], [], [])
        let memory = open("/proc/\(process)/mem", O_RDONLY)
        try #require(memory >= 0)
        defer { close(memory) }
        var region: (start: UInt64, end: UInt64, name: String)?
        // Foundation reads such a file by its size, which is zero.
        let map = open("/proc/\(process)/smaps", O_RDONLY)
        try #require(map >= 0)
        let lines = read(map, until: nil)
        close(map)
        for line in lines {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            let range = words[0].split(separator: "-")
            if range.count == 2, let start = UInt64(range[0], radix: 16), let end = UInt64(range[1], radix: 16) {
                region = words[1].hasPrefix("r") ? (start, end, words.dropFirst(5).joined(separator: " ")) : nil
                continue
            }
            guard words[0] == "VmFlags:", let found = region else { continue }
            let isLeftOut = words.contains("dd")
            let bytes = contents(memory, found.start, found.end)
            let place = "\(found.name.isEmpty ? "anonymous" : found.name)\(isLeftOut ? " (locked)" : "")"
            for (what, needle) in gone where contains(bytes, needle) {
                result.gone.insert(Finding(what: what, place: place))
            }
            for (what, needle) in kept where contains(bytes, needle) {
                result.kept.insert(what)
                if !isLeftOut { result.keptElsewhere.insert(Finding(what: what, place: place)) }
            }
        }
        return result
    }

    private func contents(_ memory: Int32, _ start: UInt64, _ end: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var place = start
        while place < end {
            let count = pread(memory, &buffer, min(buffer.count, Int(end - place)), off_t(place))
            guard count > 0 else { break }
            bytes += buffer[..<count]
            place += UInt64(count)
        }
        return bytes
    }

    /// Looks for the needle's first byte that is not zero, which most of memory is.
    private func contains(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
        guard let anchor = needle.firstIndex(where: { $0 != 0 }), bytes.count >= needle.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            var place = anchor
            let end = bytes.count - needle.count + anchor + 1
            while place < end, let hit = memchr(bytes.start + place, Int32(needle[anchor]), end - place) {
                let found = bytes.start.distance(to: UnsafeRawPointer(hit))
                if memcmp(bytes.start + found - anchor, needle, needle.count) == 0 { return true }
                place = found + 1
            }
            return false
        }
    }
}
