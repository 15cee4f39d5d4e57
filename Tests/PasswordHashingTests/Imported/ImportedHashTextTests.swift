import Foundation
import Testing

@testable import PasswordHashing

/// The form that is kept: read back exactly, never taken for a PHC string, and strict.
@Suite struct ImportedHashTextTests {
    @Test(arguments: ImportedVector.all)
    func `A text is read back as what it was`(vector: ImportedVector) throws {
        let imported = try vector.imported()
        let read = try #require(ImportedPasswordHash(text: imported.text))
        #expect(read == imported)
        #expect(read.algorithm == vector.algorithm)
        #expect(read.text == imported.text)
        #expect(PHCString(imported.text) == nil)
        #expect(imported.text.split(separator: "$", omittingEmptySubsequences: false).count == 7)
    }

    /// They are kept in databases: a change here makes those unreadable.
    @Test(arguments: [
        "$cs-import$v=1$SCRYPT$signerKey=AQIDBAUGBwg,saltSeparator=Bw,rounds=8,memoryCost=14$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$STANDARD_SCRYPT$cpuMemCost=1024,parallelization=16,blockSize=8,dkLen=8$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$PBKDF2_SHA256$rounds=100000$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$PBKDF_SHA1$saltSeparator=Bw,rounds=1$$CAcGBQQDAgE",
        "$cs-import$v=1$HMAC_SHA512$signerKey=AQ,passwordHashOrder=PASSWORD_AND_SALT$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$HMAC_SHA256$signerKey=AQ,passwordHashOrder=SALT_AND_PASSWORD$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$HMAC_SHA1$signerKey=AQ,passwordHashOrder=PASSWORD_AND_SALT$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$HMAC_MD5$signerKey=AQ,passwordHashOrder=PASSWORD_AND_SALT$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$SHA512$rounds=1,passwordHashOrder=SALT_AND_PASSWORD$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$SHA256$saltSeparator=Bw,rounds=1,passwordHashOrder=PASSWORD_AND_SALT$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$SHA1$rounds=1,passwordHashOrder=SALT_AND_PASSWORD$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$MD5$rounds=0,passwordHashOrder=SALT_AND_PASSWORD$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$ARGON2$hashLengthBytes=8,hashType=ARGON2_D,parallelism=1,iterations=2,memoryCostKib=64,"
            + "version=VERSION_10$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$ARGON2$saltSeparator=Bw,hashLengthBytes=8,hashType=ARGON2_ID,parallelism=1,iterations=2,"
            + "memoryCostKib=64,version=VERSION_13,associatedData=AQ$c2FsdA$CAcGBQQDAgE",
    ])
    func `The form stays readable`(text: String) throws {
        #expect(try #require(ImportedPasswordHash(text: text)).text == text)
    }

    @Test(.enabled(if: ImportedPasswordHash.Algorithm.bcrypt.isSupported))
    func `The form of bcrypt stays readable`() throws {
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        let text = "$cs-import$v=1$BCRYPT$$$" + Data(hash.utf8).base64EncodedString()
        #expect(try #require(ImportedPasswordHash(text: text)).hash == Array(hash.utf8))
    }

    static let good = "$cs-import$v=1$SHA256$rounds=1,passwordHashOrder=SALT_AND_PASSWORD$c2FsdA$CAcGBQQDAgE"

    @Test(arguments: [
        "", "$", "$cs-import$", "$cs-import$v=1$", "$cs-import$v=1$$$$", "$cs-import$v=1$SHA256$$$",
        "$cs-import$v=1$ARGON2$hashLengthBytes=8$c2FsdA$CAcGBQQDAgE",
        "$cs-import$v=1$STANDARD_SCRYPT$cpuMemCost=1048576,parallelization=1,blockSize=8,dkLen=8$c2FsdA$CAcGBQQDAgE",
        // PHC strings, and bcrypt as it is written elsewhere.
        "$argon2id$v=19$m=8,t=1,p=1$Y291bnRlcnNpZ24tc2FsdA$soZREnhcFL/N+PzZc+pQoR+KqYIHeouatT0fuGQeOC4",
        "$2b$12$GhvMmNVjRW29ulnudl.LbuAnUtN/LRfe1JsBm1Xu6LE3059z5Tr8m",
        "$scrypt$ln=4,r=8,p=1$c2FsdA$CAcGBQQDAgE",
    ])
    func `Anything else is unreadable`(text: String) {
        #expect(ImportedPasswordHash(text: text) == nil)
    }

    @Test(arguments: ["$", "=", " ", "\n", "\u{0}", "\u{301}", ",", good])
    func `Nothing may follow`(text: String) {
        #expect(ImportedPasswordHash(text: Self.good + text) == nil)
        #expect(ImportedPasswordHash(text: text + Self.good) == nil)
    }

    struct Change: Sendable {
        let part: String
        let other: String

        init(_ part: String, _ other: String) {
            self.part = part
            self.other = other
        }
    }

    static let changes: [Change] = [
        Change("v=1", "v=2"),
        Change("v=1", "v=01"),
        Change("cs-import", "CS-import"),
        Change("SHA256", "sha256"),
        Change("SHA256", "SHA384"),
        Change("rounds=1,", ""),
        Change("rounds=1", "rounds=0"),
        Change("rounds=1", "rounds=01"),
        Change("rounds=1", "rounds=+1"),
        Change("rounds=1", "rounds=-1"),
        Change("rounds=1", "rounds=8193"),
        Change("rounds=1", "rounds=99999999999999999999"),
        Change("rounds=1", "rounds="),
        Change("rounds=1", "rounds"),
        Change("rounds=1", "rounds=1,rounds=1"),
        Change("rounds=1", "memoryCost=1,rounds=1"),
        Change("rounds=1", "rounds=1,other=1"),
        Change("rounds=1", "saltSeparator=,rounds=1"),
        Change("rounds=1", "signerKey=AQ,rounds=1"),
        Change("rounds=1", "rounds=\u{0661}"),
        Change("SALT_AND_PASSWORD", "UNSPECIFIED_ORDER"),
        Change(",passwordHashOrder=SALT_AND_PASSWORD", ""),
        Change("c2FsdA", "c2FsdA=="),
        Change("c2FsdA", "c2FsdB"),
        Change("c2FsdA", "c2Fsd"),
        Change("c2FsdA", "c2Fs-A"),
        Change("CAcGBQQDAgE", ""),
        Change("CAcGBQQDAgE", String(repeating: "A", count: 9000)),
    ]

    @Test(arguments: changes)
    func `One part written otherwise is unreadable`(change: Change) {
        #expect(Self.good.contains(change.part))
        #expect(ImportedPasswordHash(text: Self.good.replacingOccurrences(of: change.part, with: change.other)) == nil)
    }

    @Test func `Ten thousand mangled texts are refused or read exactly`() throws {
        var random = SeededGenerator(seed: 7)
        let texts = try ImportedVector.all.map { try Array($0.imported().text.utf8) }
        let alphabet = Array("$=,0123456789+/ABCabc_-.\u{0}\u{e9}".utf8)
        var read = 0
        for _ in 0..<10_000 {
            var text = random.one(of: texts)
            for _ in 0...random.below(4) where !text.isEmpty {
                let place = random.below(text.count)
                switch random.below(6) {
                case 0: text[place] = random.one(of: alphabet)
                case 1: text.remove(at: place)
                case 2: text.insert(random.one(of: alphabet), at: place)
                case 3: text.removeSubrange(place...)
                case 4: text.insert(contentsOf: text[place...].prefix(random.below(40)), at: place)
                default: text.replaceSubrange(place..., with: random.one(of: texts).suffix(random.below(60)))
                }
            }
            let mangled = String(decoding: text, as: UTF8.self)
            guard let imported = ImportedPasswordHash(text: mangled) else { continue }
            read += 1
            #expect(Array(imported.text.utf8) == Array(mangled.utf8))
        }
        // Other digits in a salt or hash are another hash: some must be readable, or the test reaches nothing.
        #expect(read > 100)
        #expect(read < 9000)
    }

    @Test func `The protocols words are read`() {
        let words = [
            "HMAC_SHA256", "HMAC_SHA1", "HMAC_MD5", "SCRYPT", "PBKDF_SHA1", "MD5", "HMAC_SHA512", "SHA1", "BCRYPT",
            "PBKDF2_SHA256", "SHA256", "SHA512", "STANDARD_SCRYPT", "ARGON2",
        ]
        #expect(Set(words.compactMap(ImportedPasswordHash.Algorithm.init)).count == 14)
        #expect(ImportedPasswordHash.Algorithm.allCases.count == 14)
        for word in ["", "scrypt", "SHA384", "BCRYPT ", "HMAC"] {
            #expect(ImportedPasswordHash.Algorithm(rawValue: word) == nil)
        }
    }

    @Test func `It is codable as its text`() throws {
        let imported = try #require(ImportedVector.hmac.first).imported()
        let data = try JSONEncoder().encode([imported])
        #expect(try JSONDecoder().decode([String].self, from: data) == [imported.text])
        #expect(try JSONDecoder().decode([ImportedPasswordHash].self, from: data) == [imported])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ImportedPasswordHash].self, from: Data(#"["$cs-import$v=1$"]"#.utf8))
        }
    }

    @Test func `Printing shows neither hash nor key`() throws {
        let imported = try #require(ImportedVector.hmac.first).imported()
        var dumped = ""
        dump(imported, to: &dumped)
        for printed in ["\(imported)", String(reflecting: imported), dumped] {
            #expect(printed.trimmingCharacters(in: .whitespacesAndNewlines).hasSuffix("<imported HMAC_MD5 hash>"))
        }
    }
}
