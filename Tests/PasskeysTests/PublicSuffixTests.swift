import Foundation
import Testing

@testable import Passkeys

/// Names below which anyone may register one (https://publicsuffix.org/list/).
@Suite("Public suffixes")
struct PublicSuffixTests {
    private static let list = PublicSuffixList(
        Array(
            """
            // A comment, which is no rule: example.org
            com
            uk
            co.uk   // and what follows a rule
            *.ck
            !www.ck
            *.sch.uk
            公司.cn
            cn
            bücher.example

            github.io
            """.utf8))

    @Test(arguments: [
        ("com", "com"), ("example.com", "com"), ("a.b.example.com", "com"), ("co.uk", "co.uk"),
        ("login.co.uk", "co.uk"),
        ("uk", "uk"), ("example.uk", "uk"), ("github.io", "github.io"), ("me.github.io", "github.io"),
        ("a.ck", "a.ck"), ("b.a.ck", "a.ck"), ("www.ck", "ck"), ("a.www.ck", "ck"), ("x.sch.uk", "x.sch.uk"),
        ("y.x.sch.uk", "x.sch.uk"), ("xn--55qx5d.cn", "xn--55qx5d.cn"), ("shop.xn--55qx5d.cn", "xn--55qx5d.cn"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("example.org", nil), ("org", nil), ("localhost", nil),
        ("comment", nil), ("", nil), (".", nil), ("xn--", nil), ("xn--99999999999", nil), ("ck", nil),
    ])
    func `The longest rule decides, and an exception before it`(domain: String, suffix: String?) {
        #expect(Self.list.suffix(of: domain) == suffix)
        #expect(Self.list.contains(domain) == (suffix == domain))
    }

    @Test(arguments: [
        ("xn--bcher-kva", "bücher"), ("xn--55qx5d", "公司"), ("xn--p1ai", "рф"), ("xn--wgbh1c", "مصر"),
        ("xn--e1afmkfd", "пример"), ("xn--mgbaam7a8h", "امارات"), ("xn--fiqs8s", "中国"),
        ("xn--vermgensberatung-pwb", "vermögensberatung"),
        ("example", nil), ("xn--99999999999", nil), ("xn--\u{7F}", nil),
    ])
    func `A-labels are read as RFC 3492 writes them`(label: String, text: String?) {
        #expect(Punycode.decodingALabel(label) == text)
    }

    @Test
    func `The list of this machine has what everyone knows`() throws {
        #if os(Linux)
            let path = "/usr/share/publicsuffix/public_suffix_list.dat"
            let data = try #require(FileManager.default.contents(atPath: path), "make deps installs publicsuffix")
            let list = PublicSuffixList(Array(data))
            for suffix in ["com", "co.uk", "github.io", "xn--p1ai", "s3.amazonaws.com"] {
                #expect(list.contains(suffix), "\(suffix)")
            }
            for name in ["example.com", "login.example.co.uk", "www.ck", "localhost"] {
                #expect(!list.contains(name), "\(name)")
            }
        #endif
    }
}
