import Foundation
import KeychainTypes
import SecretVault
import Testing

/// Times of a vault with 10,000 items. By hand: `MEASURE_VAULT=1 swift test --filter MeasurementTests`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MEASURE_VAULT"] != nil)) struct MeasurementTests {
    @Test func `Ten thousand items are measured`() throws {
        let box = Sandbox()
        let vault = try box.open()
        let items = try (0..<10_000).map { index in
            try NewItem.password("account \(index)", "secret \(index)", index.isMultiple(of: 10) ? .devicePasscode : [])
        }
        var ids: [ItemID] = []
        try measure("add 10,000 in one write") { ids = try vault.add(items) }
        print("file: \(try box.bytes().count >> 10) KiB")
        try measure("read, of 1,000", 1000) { _ = try vault.read(ids[.random(in: 0..<1000) * 10 + 1]) }
        try measure("read with passcode (weak Argon2id), of 50", 50) {
            _ = try vault.read(ids[.random(in: 0..<1000) * 10])
        }
        try measure("look up by primary key, of 1,000", 1000) {
            _ = try vault.item(ofClass: "genp", uniqueKey: Array("account \(Int.random(in: 0..<10_000))".utf8))
        }
        try measure("list all") { _ = try vault.items(ofClass: "genp") }
        try measure("add one more, of 5", 5) { try vault.add(.password(UUID().uuidString, "x")) }
        try measure("update one, of 5", 5) { try vault.update(ids[1], with: ItemChange(secret: LockedBytes([1]))) }
        var other: Vault?
        try measure("open") { other = try box.open() }
        try vault.add(.password("from elsewhere", "x"))
        try measure("read after another process's write") { _ = try other?.read(ids[1]) }
        box.prompt.answer("1234", "new", "new")
        try measure("change the passcode") { try vault.changePasscode() }
        let strong = Sandbox()
        try measure("make a vault, moderate") { _ = try strong.open { $0.keyDerivation = .moderate } }
        try measure("open it") { _ = try strong.open { $0.keyDerivation = .moderate } }
        try measure("open it, interactive") {
            let interactive = Sandbox()
            _ = try interactive.open { $0.keyDerivation = .interactive }
        }
    }

    private func measure(_ what: String, _ times: Int = 1, _ body: () throws -> Void) rethrows {
        let clock = ContinuousClock()
        let time = try clock.measure { for _ in 0..<times { try body() } } / times
        print(
            "\(what): \(time.formatted(.units(allowed: [.seconds, .milliseconds, .microseconds], fractionalPart: .show(length: 1))))"
        )
    }
}
