import Crypto
import Foundation
import KeychainTypes
import Testing

@testable import SecretVault

@Suite struct FormatTests {
    @Test func `Metadata come back as they were`() throws {
        let metadata = ItemMetadata(
            created: Date(timeIntervalSinceReferenceDate: 0.1 + 0.2), modified: .distantFuture,
            attributes: [
                "acct": .string("ännchen"), "gena": .data(Data([0, 255, 0])), "type": .number(.min),
                "cdat": .date(Date(timeIntervalSinceReferenceDate: 1e-9)), "empt": .string(""), "ß": .data(Data()),
            ])
        #expect(try ItemMetadata(decoding: metadata.encoded()) == metadata)
    }

    @Test func `Equal metadata have one encoding`() throws {
        let keys = (0..<50).map { "key\($0)" }
        let one = Dictionary(uniqueKeysWithValues: keys.map { ($0, AttributeValue.string($0)) })
        let other = Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, AttributeValue.string($0)) })
        func encode(_ attributes: ItemAttributes) throws -> [UInt8] {
            try ItemMetadata(created: .distantPast, modified: .distantPast, attributes: attributes).encoded()
        }
        #expect(try encode(one) == encode(other))
    }

    @Test func `What is too long is refused before it is written`() throws {
        func encode(_ attributes: ItemAttributes) -> KeychainError? {
            failure {
                try ItemMetadata(created: .distantPast, modified: .distantPast, attributes: attributes).encoded()
            }
        }
        let long = String(repeating: "x", count: ItemMetadata.valueLimit + 1)
        for attributes: ItemAttributes in [
            ["a": .string(long)], [long: .number(1)], ["": .number(1)],
            Dictionary(uniqueKeysWithValues: (0...256).map { ("\($0)", .number(0)) }),
        ] {
            guard case .parameter = encode(attributes) else {
                Issue.record("too much was accepted")
                return
            }
        }
        let box = Sandbox()
        let vault = try box.open()
        var item = try NewItem.password("ann", "one")
        item.secret = LockedBytes([UInt8](repeating: 1, count: VaultFormat.secretLimit + 1))
        guard case .parameter = failure({ try vault.add(item) }) else {
            Issue.record("a secret that cannot be read back was accepted")
            return
        }
        item.secret = LockedBytes([UInt8](repeating: 1, count: VaultFormat.secretLimit))
        let id = try vault.add(item)
        #expect(try box.open().read(id).count == VaultFormat.secretLimit)
        item.uniqueKey = [1]
        item.secret = LockedBytes([])
        let empty = try vault.add(item)
        #expect(try box.open().read(empty).count == 0)
    }

    /// Shortenings and flipped bytes of a file with all kinds of entries: an error or a value, never a crash.
    @Test func `Any bytes are taken apart or refused`() throws {
        let bytes = try GoldenVault.bytes()
        let costs = KeyDerivation.acceptedInTests
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(failure { try VaultImage(decoding: Array(bytes[..<count]), costs: costs) } != nil)
        }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= UInt8(1 << (index % 8))
            _ = try? VaultImage(decoding: changed, costs: costs)
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let noise = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? VaultImage(decoding: Array("GKC1".utf8) + [0, 1] + noise, costs: costs)
            _ = try? ItemMetadata(decoding: noise)
            _ = try? StoredHardwareKey(decoding: LockedBytes(noise))
            _ = try? ClassKeys(decoding: LockedBytes(noise))
        }
    }

    @Test func `Lengths that promise too much allocate nothing`() {
        var writer = ByteWriter()
        writer.raw(VaultFormat.magic)
        writer.integer(VaultFormat.version)
        writer.integer(UInt32.max)
        writer.raw([UInt8](repeating: 0, count: 64))
        #expect(failure { try VaultImage(decoding: writer.bytes, costs: KeyDerivation.accepted) } != nil)
    }

    @Test func `Sizes are looked at before the file is read`() throws {
        let (header, count) = (200, 3)
        var writer = ByteWriter()
        writer.raw(VaultFormat.magic)
        writer.integer(VaultFormat.version)
        writer.string([UInt8](repeating: 0, count: header), UInt32.self)
        writer.integer(UInt32(count))
        let bytes = writer.bytes
        func check(_ size: Int, _ bytes: [UInt8]) -> KeychainError? {
            var read = 0
            defer { #expect(read <= 14) }
            return failure {
                try VaultFormat.checkSize(size) { offset, count throws(KeychainError) in
                    read += count
                    return Array(bytes[offset..<offset + count])
                }
            }
        }
        let fixed = bytes.count + VaultFormat.tagSize
        let largest = fixed + count * (4 + VaultFormat.recordLimit)
        #expect(check(fixed + 4 * count, bytes) == nil)
        #expect(check(largest, bytes) == nil)
        for size in [0, 9, 45, 46, fixed - 1, fixed + 4 * count - 1, largest + 1, VaultFormat.fileLimit + 65, .max] {
            guard case .corrupted = check(size, bytes) else {
                Issue.record("\(size) bytes were believed")
                continue
            }
        }
        for index in 0..<4 {
            var other = bytes
            other[index] ^= 1
            #expect(check(largest, other) == .corrupted("the file is no vault"))
        }
        var other = bytes
        other[6] = 255
        #expect(check(largest, other) == .corrupted("the header is longer than this version writes"))
    }

    @Test func `A file of holes is not read`() throws {
        let box = Sandbox()
        let vault = try box.open()
        #expect(truncate(box.path("vault.kc"), VaultFormat.fileLimit) == 0)
        for error in [failure { try box.open() }, failure { try vault.add(.password("ann", "one")) }] {
            guard case .corrupted(let text) = error else {
                Issue.record("not refused: \(String(describing: error))")
                continue
            }
            #expect(text.contains("larger than its 0 items can be"))
        }
    }

    /// What a vault was made with, and by what it is opened.
    @Test func `Headers cost at most what is configured or moderate`() throws {
        let costly = try KeyDerivation(operations: 4, memory: 512 << 20)
        let slow = try KeyDerivation(operations: 16, memory: 64 << 20)
        let presets = [KeyDerivation.moderate, .interactive]
        for configured in presets + [costly, slow, .weakForTests] {
            let bounds = configured.boundsForReading
            for made in presets + [configured, try KeyDerivation(operations: 12, memory: 64 << 20)] {
                #expect(bounds.allowsInHeader(made), "\(made) by \(configured)")
            }
            #expect(bounds.contains(costly), "an item's password: only the vault's own writers get there")
        }
        for configured in presets {
            #expect(!configured.boundsForReading.allowsInHeader(costly))
            #expect(!configured.boundsForReading.allowsInHeader(slow))
        }
        #expect(!slow.boundsForReading.allowsInHeader(costly))
        #expect(costly.boundsForReading.allowsInHeader(slow))
    }

    struct Cost: Sendable {
        let operations: UInt32
        let memory: UInt64
        let isAccepted: Bool
    }

    @Test(arguments: [
        Cost(operations: 2, memory: 19 << 20, isAccepted: true),
        Cost(operations: 16, memory: 1 << 30, isAccepted: true),
        Cost(operations: 1, memory: 64 << 20, isAccepted: false),
        Cost(operations: 2, memory: (19 << 20) - 1024, isAccepted: false),
        Cost(operations: 17, memory: 64 << 20, isAccepted: false),
        Cost(operations: 3, memory: (1 << 30) + 1024, isAccepted: false),
        Cost(operations: .max, memory: .max, isAccepted: false),
        Cost(operations: 0, memory: 0, isAccepted: false),
    ])
    func `Stored costs are bounded`(_ cost: Cost) throws {
        var header = try VaultImage(decoding: GoldenVault.bytes(), costs: KeyDerivation.acceptedInTests).header
        header.slots[0].cost = .stored(operations: cost.operations, memory: cost.memory)
        let error = failure { try VaultHeader(decoding: header.encoded(), costs: KeyDerivation.accepted) }
        #expect((error == nil) == cost.isAccepted)
        #expect(
            (failure { try KeyDerivation(operations: cost.operations, memory: cost.memory) } == nil) == cost.isAccepted)
    }

    @Test func `A cheap vault opens only where tests say so`() throws {
        let box = Sandbox()
        _ = try box.open()
        guard case .corrupted = failure({ try box.open { $0.keyDerivation = .interactive } }) else {
            Issue.record("a vault that costs nothing to guess was opened")
            return
        }
    }

    @Test func `Another version is named`() throws {
        let box = Sandbox()
        _ = try box.open()
        var bytes = try box.bytes()
        bytes[5] = 2
        try box.write(bytes)
        guard case .unsupported(let text) = failure({ try box.open() }) else {
            Issue.record("a vault of another version was opened")
            return
        }
        #expect(text.contains("version 2"))
    }

    // MARK: Golden file

    @Test func `A vault of version 1 stays readable`() throws {
        let box = Sandbox()
        try FileManager.default.createDirectory(atPath: box.directory, withIntermediateDirectories: true)
        chmod(box.directory, 0o700)
        try box.write(GoldenVault.bytes())
        _ = failure { try box.open() }  // The count of wrong answers is not there: wait.
        box.clock.advance(4)
        let finger = FakeSecurityKey("golden finger")
        box.prompt.answer(GoldenVault.passcode)
        let vault = try box.open { $0.factors = [.passcode, .securityKey(finger)] }
        let context = AuthenticationContext()
        context.setApplicationPassword(LockedBytes(Array("word".utf8)))
        let items = try vault.items(ofClass: "genp")
        #expect(items.map { $0.attributes["acct"] } == GoldenVault.items.map { .string($0.account) })
        for (item, golden) in zip(items, GoldenVault.items) {
            #expect(item.access == (try AccessControl(golden.accessibility, golden.constraints)))
            #expect(item.created == Date(timeIntervalSince1970: 1_800_000_000))
            #expect(try vault.use(item.id, context: context) { $0.text } == "secret of \(golden.account)")
        }
    }

    /// A second reader, by the document alone and with other primitives: swift-crypto's.
    @Test func `Another implementation reads it`() throws {
        let bytes = try GoldenVault.bytes()
        let vault = try DocumentedReader(bytes, passcode: GoldenVault.passcode)
        #expect(vault.isAuthentic)
        #expect(
            vault.secrets == [
                "plain": "secret of plain", "after": "secret of after", "akpu": "secret of akpu",
                "passcode": "secret of passcode",
            ])
    }

    /// Prints a new golden file; run by hand when there is a version 2.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["PRINT_GOLDEN_VAULT"] != nil))
    func `Print a golden vault`() throws {
        print(Data(try GoldenVault.make()).base64EncodedString())
    }
}

enum GoldenVault {
    static let passcode = "correct horse"

    static let items: [(account: String, constraints: AccessControl.Constraints, accessibility: Accessibility)] = [
        ("plain", [], .whenUnlocked), ("after", [], .afterFirstUnlockThisDeviceOnly),
        ("akpu", [], .whenPasscodeSetThisDeviceOnly), ("passcode", .devicePasscode, .whenUnlockedThisDeviceOnly),
        ("present", .userPresence, .whenUnlocked), ("current", .biometryCurrentSet, .whenPasscodeSetThisDeviceOnly),
        ("both", [.biometryAny, .and, .devicePasscode], .afterFirstUnlock),
        ("either", [.biometryAny, .or, .devicePasscode], .whenUnlocked),
        ("word", .applicationPassword, .whenUnlocked), ("key", [.privateKeyUsage, .userPresence], .whenUnlocked),
    ]

    static func make() throws -> [UInt8] {
        let box = Sandbox()
        let finger = FakeSecurityKey("golden finger")
        box.prompt.answer(passcode)
        let vault = try box.open { $0.factors = [.passcode, .securityKey(finger)] }
        let context = AuthenticationContext()
        context.setApplicationPassword(LockedBytes(Array("word".utf8)))
        for item in items {
            let new = try NewItem.password(
                item.account, "secret of \(item.account)", item.constraints, item.accessibility)
            try vault.add(new, context: context)
        }
        return try box.bytes()
    }

    static func bytes() throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: base64, options: .ignoreUnknownCharacters)))
    }
}

/// Follows docs/vault-format.md with swift-crypto and nothing of the vault's but Argon2id.
private struct DocumentedReader {
    var isAuthentic = false
    var secrets: [String: String] = [:]

    private struct Cursor {
        let bytes: [UInt8]
        var at = 0
        mutating func take(_ count: Int) -> [UInt8] {
            defer { at += count }
            return Array(bytes[at..<at + count])
        }
        mutating func number(_ size: Int) -> Int { take(size).reduce(0) { $0 << 8 | Int($1) } }
        mutating func string(_ size: Int) -> [UInt8] { take(number(size)) }
    }

    init(_ file: [UInt8], passcode: String) throws {
        var cursor = Cursor(bytes: file)
        try #require(cursor.take(4) == Array("GKC1".utf8) && cursor.number(2) == 1)
        var header = Cursor(bytes: cursor.string(4))
        let vaultID = header.take(16)
        _ = header.take(8)
        try #require(header.number(1) == 1)
        let start = header.at
        let slotID = header.take(16)
        try #require(header.number(1) == 1)
        let (operations, memory) = (header.number(4), header.number(8))
        let salt = header.take(16)
        _ = header.string(1)
        _ = header.string(2)
        let slotPrefix = Array(header.bytes[start..<header.at])
        let sealedKeys = header.string(2)

        let stretched = try Argon2id.derive(
            LockedBytes(Array(passcode.utf8)), salt: salt,
            .stored(operations: UInt32(operations), memory: UInt64(memory)))
        let slotKey = Self.hkdf([stretched.withBytes { Array($0) }], salt: vaultID + slotID, "gkc/v1/slot")
        var keys = Cursor(
            bytes: try Self.open(sealedKeys, [slotKey], "gkc/v1/slot/class-keys", vaultID + slotPrefix))
        var classKeys: [Int: [UInt8]] = [:]
        for _ in 0..<keys.number(1) { classKeys[keys.number(1)] = keys.take(32) }

        // Factor keys: the passcode's.
        for _ in 0..<header.number(1) { _ = header.take(16 + 1 + 32 + 32) }
        var factors: [[UInt8]: (privateKey: [UInt8], publicKey: [UInt8])] = [:]
        for _ in 0..<header.number(1) {
            let start = header.at
            let id = header.take(16)
            _ = header.take(1 + 16)
            let publicKey = header.take(32)
            let prefix = Array(header.bytes[start..<header.at])
            for _ in 0..<header.number(1) {
                let (kind, by, sealed) = (header.number(1), header.take(16), header.string(2))
                guard kind == 1, by == slotID, id == prefix.prefix(16) + [] else { continue }
                let privateKey = try Self.open(sealed, [slotKey], "gkc/v1/slot/factor-key", vaultID + prefix)
                factors[id] = (privateKey, publicKey)
            }
        }

        let firstClassKey = try #require(classKeys[1])
        let tagKey = Self.hkdf([firstClassKey], salt: vaultID, "gkc/v1/file-tag")
        let tag = HMAC<SHA256>.authenticationCode(
            for: file.dropLast(32), using: SymmetricKey(data: tagKey))
        isAuthentic = Array(tag) == Array(file.suffix(32))
        let metadataKey = Self.hkdf([firstClassKey], salt: vaultID, "gkc/v1/metadata")

        for _ in 0..<cursor.number(4) {
            var record = Cursor(bytes: cursor.string(4))
            _ = record.take(16)
            _ = record.string(1)
            _ = record.take(32)
            let accessibility = String(decoding: record.string(1), as: UTF8.self)
            _ = record.take(8 + 1 + 1)
            let binding = Array(record.bytes[..<record.at])
            let sealedMetadata = record.string(4)
            let passwordStart = record.at
            if record.number(1) == 1 { _ = record.take(4 + 8 + 16) }
            let password = Array(record.bytes[passwordStart..<record.at])
            var itemKey: [UInt8]?
            for _ in 0..<record.number(1) {
                let start = record.at
                let recipients = (0..<record.number(1)).map { _ in record.take(16) }
                let ephemeral = recipients.isEmpty ? [] : record.take(32)
                let prefix = Array(record.bytes[start..<record.at])
                let sealed = record.string(2)
                // Items of one recipient or none, without a password: enough to show that the document is complete.
                guard password == [0], recipients.count <= 1, recipients.allSatisfy({ factors[$0] != nil }) else {
                    continue
                }
                let number = try #require(["akpu": 5, "aku": 4, "ak": 4, "cku": 3, "ck": 3][accessibility])
                let classKey = try #require(classKeys[number])
                let context = vaultID + binding + password + prefix
                var key = try Self.open(sealed, [classKey], "gkc/v1/item/class", context)
                if let factor = recipients.first.flatMap({ factors[$0] }) {
                    let shared = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: factor.privateKey)
                        .sharedSecretFromKeyAgreement(with: .init(rawRepresentation: ephemeral))
                    key = try Self.open(
                        key, [shared.withUnsafeBytes { Array($0) }], "gkc/v1/item/factors", context + factor.publicKey)
                }
                itemKey = key
            }
            let sealedSecret = record.string(4)
            guard let itemKey, binding.last == 1 else { continue }
            var metadata = Cursor(
                bytes: try Self.gcm(
                    sealedMetadata, metadataKey, Array("gkc/v1/item/metadata".utf8) + [0] + vaultID + binding))
            _ = metadata.take(8 + 8)
            try #require(metadata.number(2) == 2)
            try #require(metadata.string(1) == Array("acct".utf8) && metadata.number(1) == 1)
            let account = String(decoding: metadata.string(4), as: UTF8.self)
            guard ["plain", "after", "akpu", "passcode"].contains(account) else { continue }
            let secret = try Self.gcm(sealedSecret, itemKey, Array("gkc/v1/item/secret".utf8) + [0] + vaultID + binding)
            secrets[account] = String(decoding: secret, as: UTF8.self)
        }
    }

    private static func hkdf(_ inputs: [[UInt8]], salt: [UInt8], _ info: String) -> [UInt8] {
        hkdf(inputs, salt: salt, Array(info.utf8), 32)
    }

    private static func hkdf(_ inputs: [[UInt8]], salt: [UInt8], _ info: [UInt8], _ count: Int) -> [UInt8] {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: inputs.flatMap { $0 }), salt: salt, info: info, outputByteCount: count
        ).withUnsafeBytes { Array($0) }
    }

    private static func open(_ sealed: [UInt8], _ inputs: [[UInt8]], _ label: String, _ context: [UInt8]) throws
        -> [UInt8]
    {
        let material = hkdf(inputs, salt: [], Array(label.utf8) + [0] + context, 64)
        try #require(Array(sealed[..<32]) == Array(material[32...]))
        return try gcm(Array(sealed[32...]), Array(material[..<32]), context)
    }

    private static func gcm(_ sealed: [UInt8], _ key: [UInt8], _ context: [UInt8]) throws -> [UInt8] {
        Array(try AES.GCM.open(.init(combined: sealed), using: SymmetricKey(data: key), authenticating: context))
    }
}
