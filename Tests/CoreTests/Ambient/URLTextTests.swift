import CountersignCore
import Testing

@Suite struct URLTextTests {
    @Test(arguments: [
        ("example.com", true), ("Example.COM", true), ("a-b.c1", true), ("127.0.0.1", true), ("[::1]", true),
        ("[fe80::1%25eth0]", false), ("::1", false), ("a:1", false), ("a_b", false), ("a b", false),
        ("é.example", false), ("\u{212A}.example", false), ("[\u{212A}::1]", false),
    ])
    func `A plain host is of ASCII as it is written, whatever its lower case is`(host: String, isPlain: Bool) {
        #expect(URLText.isPlainHost(host) == isPlain)
    }
}
