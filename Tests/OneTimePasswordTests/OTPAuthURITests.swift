import OneTimePassword
import Testing

@Suite struct OTPAuthURITests {
    static let secret = Array("Hello!\u{7F}\u{01}12".utf8)
    static let base32 = "JBSWY3DPEF7QCMJS"

    // MARK: Printing

    @Test(
        arguments: [
            ("Example", "alice", "Example:alice", "&issuer=Example"),
            (nil, "alice", "alice", ""),
            ("Example Co", "alice@example.com", "Example%20Co:alice%40example.com", "&issuer=Example%20Co"),
            ("A:B", "c:d", "A%3AB:c%3Ad", "&issuer=A%3AB"),
            (nil, "c:d", ":c%3Ad", ""),
            (nil, ":", ":%3A", ""),
            ("Example", "", "Example:", "&issuer=Example"),
            (nil, "", "", ""),
            ("Größe", "zoë", "Gr%C3%B6%C3%9Fe:zo%C3%AB", "&issuer=Gr%C3%B6%C3%9Fe"),
            ("日本", "太郎", "%E6%97%A5%E6%9C%AC:%E5%A4%AA%E9%83%8E", "&issuer=%E6%97%A5%E6%9C%AC"),
            ("🔑", "👩‍🚀", "%F0%9F%94%91:%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80", "&issuer=%F0%9F%94%91"),
            ("a+b", "x&y=z", "a%2Bb:x%26y%3Dz", "&issuer=a%2Bb"),
            ("50%", "a/b?c#d", "50%25:a%2Fb%3Fc%23d", "&issuer=50%25"),
            ("-._~", "!*'();[]", "-._~:%21%2A%27%28%29%3B%5B%5D", "&issuer=-._~"),
            ("%3A", "%20", "%253A:%2520", "&issuer=%253A"),
            ("\u{301}", "\u{301}x", "%CC%81:%CC%81x", "&issuer=%CC%81"),
        ] as [(String?, String, String, String)])
    func `labels are percent-encoded to the letter, and read back`(
        issuer: String?, account: String, label: String, issuerParameter: String
    ) throws {
        let uri = try OTPAuthURI(kind: .totp(period: 30), issuer: issuer, accountName: account, secret: Self.secret)
        let text = uri.uriString
        #expect(
            text == "otpauth://totp/\(label)?secret=\(Self.base32)\(issuerParameter)&algorithm=SHA1&digits=6&period=30")
        #expect(try OTPAuthURI(parsing: text) == uri)
    }

    @Test
    func `every parameter is printed, the extra ones last and in their order`() throws {
        let hotp = try OTPAuthURI(
            kind: .hotp(counter: .max), accountName: "a", secret: Self.secret, algorithm: .sha512, digits: 10,
            extraParameters: [
                .init(name: "b", value: "2 2"), .init(name: "a", value: "1"), .init(name: "b", value: ""),
                .init(name: "", value: ""), .init(name: "period", value: "x"),
            ])
        #expect(
            hotp.uriString == "otpauth://hotp/a?secret=\(Self.base32)&algorithm=SHA512&digits=10"
                + "&counter=18446744073709551615&b=2%202&a=1&b=&=&period=x")
        #expect(try OTPAuthURI(parsing: hotp.uriString) == hotp)
    }

    @Test
    func `white space around names is dropped, and an empty issuer is none`() throws {
        let uri = try OTPAuthURI(kind: .totp(period: 30), issuer: " \n", accountName: " a b ", secret: [1])
        #expect(uri.issuer == nil)
        #expect(uri.accountName == "a b")
    }

    @Test
    func `what cannot be printed or used is refused`() {
        func make(
            kind: OTPAuthURI.Kind = .totp(period: 30), issuer: String? = nil, accountName: String = "a",
            secret: [UInt8] = [1], digits: Int = 6, extra: (String, String) = ("x", "y")
        ) throws -> OTPAuthURI {
            try OTPAuthURI(
                kind: kind, issuer: issuer, accountName: accountName, secret: secret, digits: digits,
                extraParameters: [.init(name: extra.0, value: extra.1)])
        }
        #expect(throws: OTPParameterError.emptySecret) { try make(secret: []) }
        #expect(throws: OTPParameterError.digitsOutOfRange(11)) { try make(digits: 11) }
        #expect(throws: OTPParameterError.periodOutOfRange(0)) { try make(kind: .totp(period: 0)) }
        #expect(throws: OTPParameterError.controlCharacter(in: "issuer")) { try make(issuer: "a\u{1B}[2Jb") }
        #expect(throws: OTPParameterError.controlCharacter(in: "account name")) { try make(accountName: "a\nb") }
        #expect(throws: OTPParameterError.controlCharacter(in: "extra parameters")) { try make(extra: ("a", "\u{0}")) }
        for name in ["secret", "Secret", "issuer", "algorithm", "digits", "period"] {
            #expect(throws: OTPParameterError.reservedParameter(name)) { try make(extra: (name, "1")) }
        }
        #expect(throws: OTPParameterError.reservedParameter("counter")) {
            try make(kind: .hotp(counter: 0), extra: ("counter", "1"))
        }
    }

    // MARK: Parsing

    @Test(
        arguments: [
            ("Example:alice", "Example", "alice"),
            ("Example%3Aalice", "Example", "alice"),
            ("Example%3aalice", "Example", "alice"),
            ("Example:%20%20alice", "Example", "alice"),
            ("Example%3A%20alice", "Example", "alice"),
            ("Example: alice", "Example", "alice"),
            ("alice", nil, "alice"),
            (":alice", nil, "alice"),
            ("%3Aalice", nil, "alice"),
            ("Example:", "Example", ""),
            ("", nil, ""),
            ("a%3Ab:c", "a:b", "c"),
            ("a:b:c", "a", "b:c"),
            ("a:b%3Ac", "a", "b:c"),
            ("alice@example.com", nil, "alice@example.com"),
            ("a+b%2Bc", nil, "a+b+c"),
            ("Big Corp:jörg", "Big Corp", "jörg"),
            ("Big%20Corp:j%C3%B6rg", "Big Corp", "jörg"),
            ("a/b/", nil, "a/b/"),
            ("%F0%9F%94%91:x", "🔑", "x"),
        ] as [(String, String?, String)])
    func `labels are read as issuers write them`(label: String, issuer: String?, account: String) throws {
        let uri = try OTPAuthURI(parsing: "otpauth://totp/\(label)?secret=\(Self.base32)")
        #expect(uri.issuer == issuer)
        #expect(uri.accountName == account)
        #expect(uri.secret == Self.secret)
        #expect(uri.kind == .totp(period: 30))
        #expect(uri.algorithm == .sha1)
        #expect(uri.digits == 6)
        #expect(uri.extraParameters == [])
    }

    @Test(
        arguments: [
            "otpauth://totp/E:a?secret=\(base32)&issuer=E&algorithm=SHA256&digits=8&period=60",
            "  OTPAuth://TOTP/E:a?SECRET=\(base32)&Issuer=E&Algorithm=sha256&Digits=8&Period=60\n",
            "otpauth://totp/E:a?&&period=60&digits=8&algorithm=HmacSHA256&secret=\(base32)&#frag?secret=AA",
            "otpauth://totp/E:a?secret=jbsw-y3dp-ef7q-cmjs&algorithm=sha-256&digits=08&period=0060",
            "otpauth://totp/X:a?secret=JBSW%20Y3DP EF7QCMJS%3D===&issuer=E&algorithm=SHA256&digits=8&period=60",
            "otpauth://totp/a?secret=\(base32)&issuer=E&secret=AA&issuer=Z&algorithm=SHA256&digits=8&digits=6"
                + "&period=60&period=x&algorithm=MD5",
        ])
    func `careless spellings are understood`(text: String) throws {
        let uri = try OTPAuthURI(
            kind: .totp(period: 60), issuer: "E", accountName: "a", secret: Self.secret, algorithm: .sha256, digits: 8)
        #expect(try OTPAuthURI(parsing: text) == uri)
    }

    @Test
    func `an empty issuer parameter leaves the issuer of the label`() throws {
        #expect(try OTPAuthURI(parsing: "otpauth://totp/E:a?secret=AA&issuer=").issuer == "E")
        #expect(try OTPAuthURI(parsing: "otpauth://totp/a?secret=AA&issuer=%20").issuer == nil)
        #expect(try OTPAuthURI(parsing: "otpauth://totp?secret=AA").accountName == "")
    }

    @Test
    func `a plus in a parameter is a plus`() throws {
        #expect(try OTPAuthURI(parsing: "otpauth://totp/a?secret=AA&issuer=a+b").issuer == "a+b")
    }

    @Test
    func `the parameters of other protocols are kept in their order`() throws {
        let uri = try OTPAuthURI(
            parsing: "otpauth://totp/issuer%20name:myuser%40example.com?secret=\(Self.base32)"
                + "&enrollment_tx_id=aa1%20234&issuer=issuer%20name&id=dev_1234"
                + "&base_url=https%3A%2F%2Fguardian.example.com&algorithm=sha1&digits=6&counter=0&period=30")
        #expect(uri.kind == .totp(period: 30))
        #expect(uri.issuer == "issuer name")
        #expect(uri.accountName == "myuser@example.com")
        #expect(
            uri.extraParameters == [
                .init(name: "enrollment_tx_id", value: "aa1 234"),
                .init(name: "id", value: "dev_1234"),
                .init(name: "base_url", value: "https://guardian.example.com"),
                .init(name: "counter", value: "0"),
            ])
        #expect(try OTPAuthURI(parsing: uri.uriString) == uri)
    }

    @Test
    func `unknown parameters are kept whatever they look like`() throws {
        let uri = try OTPAuthURI(parsing: "otpauth://hotp/a?secret=AA&counter=7&x&y=&z=1=2&=v&x=%26&period=&%C3%BC=1")
        #expect(uri.kind == .hotp(counter: 7))
        #expect(
            uri.extraParameters.map { [$0.name, $0.value] } == [
                ["x", ""], ["y", ""], ["z", "1=2"], ["", "v"], ["x", "&"], ["period", ""], ["ü", "1"],
            ])
        #expect(try OTPAuthURI(parsing: uri.uriString) == uri)
    }

    static let refusals: [(text: String, error: OTPAuthURI.ParsingError, description: String)] = [
        ("", .notOTPAuth, "the text does not begin with otpauth://"),
        ("https://example.com", .notOTPAuth, "the text does not begin with otpauth://"),
        ("otpauth-migration://offline?data=x", .notOTPAuth, "the text does not begin with otpauth://"),
        ("otpauth:totp/a?secret=AA", .notOTPAuth, "the text does not begin with otpauth://"),
        (
            "otpauth://steam/a?secret=AA", .unknownType("steam"),
            #"otpauth:// must be followed by totp/ or hotp/, not by "steam""#
        ),
        (
            "otpauth:///a?secret=AA", .unknownType(""),
            #"otpauth:// must be followed by totp/ or hotp/, not by """#
        ),
        (
            "otpauth://totp&secret=AA", .unknownType("totp"),
            #"otpauth:// must be followed by totp/ or hotp/, not by "totp""#
        ),
        (
            "otpauth://totp/100%?secret=AA", .invalidPercentEncoding(in: "label"),
            "the label is not percent-encoded UTF-8: write a literal % as %25"
        ),
        (
            "otpauth://totp/a%C3?secret=AA", .invalidPercentEncoding(in: "label"),
            "the label is not percent-encoded UTF-8: write a literal % as %25"
        ),
        (
            "otpauth://totp/a?secret=AA&issuer=%+1", .invalidPercentEncoding(in: "query"),
            "the query is not percent-encoded UTF-8: write a literal % as %25"
        ),
        ("otpauth://totp/a", .missingSecret, "the parameter secret is missing or empty"),
        ("otpauth://totp/a?issuer=b", .missingSecret, "the parameter secret is missing or empty"),
        ("otpauth://totp/a?secret=", .missingSecret, "the parameter secret is missing or empty"),
        ("otpauth://totp/a?secret=%20==", .missingSecret, "the parameter secret is missing or empty"),
        ("otpauth://totp/a#?secret=AA", .missingSecret, "the parameter secret is missing or empty"),
        (
            "otpauth://totp/a?secret=A0", .invalidSecret(.invalidCharacter("0", position: 2)),
            "the parameter secret cannot be read: '0' at position 2 is not Base32: "
                + "use the letters A–Z and the digits 2–7"
        ),
        (
            "otpauth://totp/a?secret=AA+AA", .invalidSecret(.invalidCharacter("+", position: 3)),
            "the parameter secret cannot be read: '+' at position 3 is not Base32: "
                + "use the letters A–Z and the digits 2–7"
        ),
        (
            "otpauth://totp/a?secret=AA&algorithm=MD5%0A", .unknownAlgorithm("MD5\n"),
            #"the algorithm "MD5\n" is none of SHA1, SHA256 and SHA512"#
        ),
        (
            "otpauth://totp/a?secret=AA&algorithm=", .unknownAlgorithm(""),
            #"the algorithm "" is none of SHA1, SHA256 and SHA512"#
        ),
        (
            "otpauth://totp/a?secret=AA&digits=six", .invalidNumber(parameter: "digits", value: "six"),
            #"the parameter digits is "six" and must be a whole number"#
        ),
        (
            "otpauth://totp/a?secret=AA&digits=+6", .invalidNumber(parameter: "digits", value: "+6"),
            #"the parameter digits is "+6" and must be a whole number"#
        ),
        (
            "otpauth://totp/a?secret=AA&digits=６", .invalidNumber(parameter: "digits", value: "６"),
            #"the parameter digits is "６" and must be a whole number"#
        ),
        (
            "otpauth://totp/a?secret=AA&digits=", .invalidNumber(parameter: "digits", value: ""),
            #"the parameter digits is "" and must be a whole number"#
        ),
        (
            "otpauth://totp/a?secret=AA&period=99999999999999999999",
            .invalidNumber(parameter: "period", value: "99999999999999999999"),
            #"the parameter period is "99999999999999999999" and must be a whole number"#
        ),
        (
            "otpauth://totp/a?secret=AA&digits=5", .invalidParameter(.digitsOutOfRange(5)),
            "a code of 5 digits is not possible: use 6 to 10"
        ),
        (
            "otpauth://totp/a?secret=AA&period=0", .invalidParameter(.periodOutOfRange(0)),
            "a period of 0 seconds is not possible: use 1 or more"
        ),
        (
            "otpauth://totp/a%1B%5B2Jb?secret=AA", .invalidParameter(.controlCharacter(in: "account name")),
            "the account name contains a control character"
        ),
        ("otpauth://hotp/a?secret=AA", .missingCounter, "the parameter counter is missing, which hotp requires"),
        (
            "otpauth://hotp/a?secret=AA&counter=-1", .invalidNumber(parameter: "counter", value: "-1"),
            #"the parameter counter is "-1" and must be a whole number"#
        ),
    ]

    @Test(arguments: refusals)
    func `what cannot be read is refused with what to fix`(
        text: String, error: OTPAuthURI.ParsingError, description: String
    ) {
        #expect(throws: error) { try OTPAuthURI(parsing: text) }
        #expect(error.description == description)
    }

    @Test
    func `a long value is shortened in the description`() {
        let error = OTPAuthURI.ParsingError.unknownAlgorithm(String(repeating: "x", count: 5_000))
        #expect(error.description.count < 120)
    }

    // MARK: Both

    @Test
    func `random texts do not trap, and what is read is printed so that it reads the same`() throws {
        var random = SeededGenerator(seed: 4226)
        var parsed = 0
        for round in 0..<20_000 {
            var text = random.text(upTo: 24)
            switch round % 3 {
            case 1: text = "otpauth://totp/" + text
            case 2: text = "otpauth://hotp/" + random.text(upTo: 6) + "?secret=AA&counter=1&" + text
            default: break
            }
            _ = try? Base32.decode(text)
            _ = OTPAlgorithm(name: text)
            _ = OneTimeCode(typed: text, digits: 6)
            let uri: OTPAuthURI
            do {
                uri = try OTPAuthURI(parsing: text)
            } catch {
                #expect(!error.description.isEmpty)
                continue
            }
            #expect(try OTPAuthURI(parsing: uri.uriString) == uri)
            parsed += 1
        }
        #expect(parsed > 100, "too few of the texts are URIs for the round trip to be tried")
    }

    @Test
    func `random names are printed so that they read the same`() throws {
        var random = SeededGenerator(seed: 3986)
        for _ in 0..<5_000 {
            guard
                let uri = try? OTPAuthURI(
                    kind: .totp(period: 1), issuer: random.text(upTo: 4), accountName: random.text(upTo: 6),
                    secret: [1],
                    extraParameters: [.init(name: random.text(upTo: 2), value: random.text(upTo: 4))])
            else { continue }
            #expect(try OTPAuthURI(parsing: uri.uriString) == uri)
            #expect(uri.uriString.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }

    @Test
    func `neither print nor dump shows the secret or a ticket`() throws {
        let uri = try OTPAuthURI(
            kind: .totp(period: 30), issuer: "Ex \"1\"", accountName: "al", secret: Self.secret,
            extraParameters: [.init(name: "enrollment_tx_id", value: "TICKET")])
        #expect(
            "\(uri)" == #"OTPAuthURI(totp(period: 30), issuer: "Ex \"1\"", accountName: "al", SHA1, 6 digits, "#
                + #"secret: <secret>, extraParameters: ["enrollment_tx_id"])"#)
        expectRedacted(uri, secret: Self.secret)
        expectRedacted(uri, secret: Array("TICKET".utf8))
    }
}
