import HTTPTypes
import NIOCore
import ServerHTTP
import Testing

@Suite struct ClientAddressTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7", "192.0.2.7", false),
        ("192.0.2.7:50000", "192.0.2.7", "192.0.2.7", false),
        ("127.0.0.1", "127.0.0.1", "127.0.0.1", true),
        ("0.0.0.0", "0.0.0.0", "0.0.0.0", false),
        ("255.255.255.255", "255.255.255.255", "255.255.255.255", false),
        ("1.10.99.100", "1.10.99.100", "1.10.99.100", false),
        ("200.109.9.90:1", "200.109.9.90", "200.109.9.90", false),
        ("127.8.9.10", "127.8.9.10", "127.8.9.10", true),
        ("128.0.0.1", "128.0.0.1", "128.0.0.1", false),
        ("::1", "::1", "::/64", true),
        ("[::1]:8080", "::1", "::/64", true),
        ("::", "::", "::/64", false),
        ("2001:DB8:0:0:0:0:0:7", "2001:db8::7", "2001:db8::/64", false),
        ("[2001:db8::7]", "2001:db8::7", "2001:db8::/64", false),
        ("[2001:db8::7]:443", "2001:db8::7", "2001:db8::/64", false),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", false),
        ("2001:db8:1:2:ffff:4:5:6", "2001:db8:1:2:ffff:4:5:6", "2001:db8:1:2::/64", false),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3", "1:0:0:2::/64", false),
        ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7", "1:0:2:3::/64", false),
        ("fe80::1%eth0", "fe80::1", "fe80::/64", false),
        ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.7", false),
        ("::ffff:127.0.0.1", "127.0.0.1", "127.0.0.1", true),
    ])
    func `An address is read and counted`(text: String, expected: String, limitKey: String, isLoopback: Bool) throws {
        let address = try #require(ClientAddress(text))
        #expect(address.text == expected)
        #expect(address.limitKey == limitKey)
        #expect(address.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "01.2.3.4", "1.2.3.04", "1..2.3", ".1.2.3", "1.2.3.", "1.2.3.4 ", " 1.2.3.4", "256.1.1.1", "1.2.3.4294967297",
        "1.2.3.+4",
        "1.2.3.4,5", "1.2.3.٤", "", "unknown", "_hidden", "localhost", "192.0.2", "192.0.2.256", "192.0.2.7.8",
        "192.0.2.7\u{0}", "[", "[]",
        "]",
        "[::1", "[::1]x", ":::", "1:2:3:4:5:6:7:8:9", "%", ":", "::1 ", String(repeating: "1", count: 10_000),
    ])
    func `What is no address is none`(text: String) {
        #expect(ClientAddress(text) == nil)
    }

    @Test func `Connections of other kinds are unknown`() throws {
        #expect(ClientAddress(nil) == .unknown)
        #expect(ClientAddress(try SocketAddress(unixDomainSocketPath: "/tmp/socket")) == .unknown)
        #expect(ClientAddress(try SocketAddress(ipAddress: "::ffff:192.0.2.7", port: 1)).text == "192.0.2.7")
    }
}

@Suite struct RequestSourceTests {
    private static let connection = "10.0.0.1"

    @Test(
        arguments: [
            ([], "10.0.0.1"),
            ([("X-Forwarded-For", "192.0.2.7")], "192.0.2.7"),
            ([("X-Forwarded-For", "198.51.100.1, 192.0.2.7")], "192.0.2.7"),
            ([("x-forwarded-for", "198.51.100.1"), ("X-Forwarded-For", "198.51.100.2,192.0.2.7 ")], "192.0.2.7"),
            ([("X-Forwarded-For", "[2001:db8::7]:443")], "2001:db8::7"),
            ([("X-Forwarded-For", "192.0.2.7,")], "10.0.0.1"),
            ([("X-Forwarded-For", "192.0.2.7, unknown")], "10.0.0.1"),
            ([("Forwarded", "for=192.0.2.7")], "10.0.0.1"),
            ([("X-Forwarded-For", "192.0.2.7"), ("Forwarded", "for=192.0.2.7")], "192.0.2.7"),
            ([("X-Forwarded-For", "192.0.2.7"), ("Forwarded", "for=198.51.100.1")], "192.0.2.7"),
            ([("X-Forwarded-For", "192.0.2.7"), ("Forwarded", "for=127.0.0.1;x")], "192.0.2.7"),
            ([("X-Forwarded-For", "x"), ("Forwarded", "y")], "10.0.0.1"),
        ] as [([(String, String)], String)])
    func `A trusted proxy is believed in its last word`(fields: [(String, String)], expected: String) throws {
        let headers = try Self.headers(fields)
        let connection = try SocketAddress(ipAddress: Self.connection, port: 1)
        #expect(RequestSource(trustsProxy: true).address(headers: headers, connection: connection).text == expected)
        #expect(RequestSource(trustsProxy: false).address(headers: headers, connection: connection).text == "10.0.0.1")
    }

    @Test(
        arguments: [
            ([("Forwarded", "for=192.0.2.7")], "192.0.2.7"),
            ([("Forwarded", #"for=198.51.100.1, proto=https; For="[2001:db8::7]:443";by=x"#)], "2001:db8::7"),
            ([("Forwarded", "for=_hidden")], "10.0.0.1"),
            // The host is the client's. To Swift the Greek question mark is a semicolon.
            ([("Forwarded", "host=a\u{37E}for=198.51.100.1;for=192.0.2.7")], "192.0.2.7"),
            ([("Forwarded", "proto=https")], "10.0.0.1"),
            ([("X-Forwarded-For", "198.51.100.1")], "10.0.0.1"),
            ([("X-Forwarded-For", "198.51.100.1"), ("Forwarded", "for=192.0.2.7")], "192.0.2.7"),
        ] as [([(String, String)], String)])
    func `The header that is configured counts alone`(fields: [(String, String)], expected: String) throws {
        let source = RequestSource(trustsProxy: true, header: .forwarded)
        let connection = try SocketAddress(ipAddress: Self.connection, port: 1)
        #expect(source.address(headers: try Self.headers(fields), connection: connection).text == expected)
    }

    @Test func `Who is no trusted proxy counts as who it is`() throws {
        let source = RequestSource(trustsProxy: true) { $0.text == "10.0.0.1" }
        let headers = try Self.headers([("X-Forwarded-For", "192.0.2.7")])
        for (connection, expected) in [("10.0.0.1", "192.0.2.7"), ("10.0.0.2", "10.0.0.2")] {
            let address = try SocketAddress(ipAddress: connection, port: 1)
            #expect(source.address(headers: headers, connection: address).text == expected)
        }
    }

    @Test func `Behind a proxy no client is local`() throws {
        let connection = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        for fields in [
            [], [("X-Forwarded-For", "127.0.0.1")], [("X-Forwarded-For", "nonsense")], [("Forwarded", "for=127.0.0.1")],
        ] {
            let headers = try Self.headers(fields)
            for source in [RequestSource(trustsProxy: true), RequestSource(trustsProxy: true) { _ in false }] {
                let address = source.address(headers: headers, connection: connection)
                #expect(address.text == "127.0.0.1" && !address.isLoopback)
            }
            #expect(RequestSource(trustsProxy: false).address(headers: headers, connection: connection).isLoopback)
        }
    }

    private static func headers(_ fields: [(String, String)]) throws -> HTTPFields {
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return headers
    }
}
