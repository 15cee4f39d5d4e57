import Testing

@testable import WebPages

@Suite("Hosts that pages are asked by")
struct PageAddressesTests {
    private static let addresses = PageAddresses(
        published: { ["https://id.example", "http://127.0.0.1:7411", "https://[2001:db8::1]"] }, takesLoopback: false)

    @Test(arguments: [
        ("id.example", true), ("id.example:443", true), ("ID.EXAMPLE", true), ("127.0.0.1:7411", true),
        ("[2001:db8::1]", true), ("[2001:db8::1]:443", true),
        ("id.example:80", false), ("id.example:443:443", false), ("127.0.0.1:7411:80", false), ("127.0.0.1", false),
        ("evil.example", false), ("id.example.evil.example", false), ("id.example@evil.example", false), ("", false),
        ("[2001:db8::1]:80", false), ("localhost:7411", false),
    ])
    func `A host is one of this server's, with its own port at most`(host: String, isOwn: Bool) {
        #expect(Self.addresses.admits(host: host) == isOwn)
    }
}
