extension OTPAuthURI {
    /// Reads a URI that was scanned or pasted.
    ///
    /// It is forgiving where issuers are known to be careless, and strict where a guess could make wrong codes:
    /// - Scheme, type and the names of known parameters in any case, white space around the whole.
    /// - `:` or `%3A` between issuer and account, with or without spaces after it. If there is a literal colon, that
    ///   is the separator.
    /// - Characters that should have been percent-encoded and were not. `+` is a plus and never a space.
    /// - A missing issuer, algorithm (SHA-1), number of digits (6) or period (30 s). The `issuer` parameter wins over
    ///   the label.
    /// - Of known parameters that are repeated the first counts; unknown ones are kept as they are in
    ///   ``extraParameters``.
    ///
    /// - Throws: ``ParsingError``, which tells what to fix.
    public init(parsing text: String) throws(ParsingError) {
        let parts = try Parts(text)
        let query = try Query(parts.query)

        let kind: Kind
        switch parts.type {
        case "totp": kind = .totp(period: try query.number("period") ?? 30)
        case "hotp":
            guard let counter: UInt64 = try query.number("counter") else { throw .missingCounter }
            kind = .hotp(counter: counter)
        default:
            // A word only: with a delimiter missing, the secret may be in what follows.
            throw .unknownType(String(parts.type.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }))
        }

        guard let encodedSecret = query["secret"], !encodedSecret.isEmpty else { throw .missingSecret }
        let secret: [UInt8]
        do { secret = try Base32.decode(encodedSecret) } catch { throw .invalidSecret(error) }
        guard !secret.isEmpty else { throw .missingSecret }

        let algorithmName = query["algorithm"] ?? OTPAlgorithm.sha1.rawValue
        guard let algorithm = OTPAlgorithm(name: algorithmName) else { throw .unknownAlgorithm(algorithmName) }

        let label = try Label(parts.label)
        let issuer = query["issuer"].map(Self.trimmed) ?? ""
        let digits: Int = try query.number("digits") ?? 6
        do {
            try self.init(
                kind: kind, issuer: issuer.isEmpty ? label.issuer : issuer, accountName: label.accountName,
                secret: secret, algorithm: algorithm, digits: digits,
                extraParameters: query.parameters(except: kind.reservedNames))
        } catch {
            throw .invalidParameter(error)
        }
    }
}

extension OTPAuthURI {
    /// Why a text is not an `otpauth` URI, and so what to fix in it.
    ///
    /// Of the `secret` parameter it quotes one wrong character at most. What else it quotes is shortened and escaped in
    /// the description.
    public enum ParsingError: Error, Equatable, Sendable, CustomStringConvertible {
        /// The text does not begin with `otpauth://`.
        case notOTPAuth
        /// The part after `otpauth://` is neither `totp` nor `hotp`; its first word is given.
        case unknownType(String)
        /// A `%` without two hexadecimal digits after it, or bytes that are not UTF-8, in the part of this name.
        case invalidPercentEncoding(in: String)
        /// There is no `secret`, or it is empty.
        case missingSecret
        /// The `secret` is not Base32.
        case invalidSecret(Base32.DecodingError)
        /// The `algorithm` is none of SHA-1, SHA-256 and SHA-512.
        case unknownAlgorithm(String)
        /// A parameter that must be a whole number is not one, or is larger than its type.
        case invalidNumber(parameter: String, value: String)
        /// A counter-based URI without `counter`.
        case missingCounter
        /// A part that can be read but not used.
        case invalidParameter(OTPParameterError)

        public var description: String {
            switch self {
            case .notOTPAuth:
                "the text does not begin with otpauth://"
            case .unknownType(let type):
                "otpauth:// must be followed by totp/ or hotp/, not by \(Self.quoted(type))"
            case .invalidPercentEncoding(let part):
                "the \(part) is not percent-encoded UTF-8: write a literal % as %25"
            case .missingSecret:
                "the parameter secret is missing or empty"
            case .invalidSecret(let error):
                "the parameter secret cannot be read: \(error)"
            case .unknownAlgorithm(let name):
                "the algorithm \(Self.quoted(name)) is none of SHA1, SHA256 and SHA512"
            case .invalidNumber(let parameter, let value):
                "the parameter \(parameter) is \(Self.quoted(value)) and must be a whole number"
            case .missingCounter:
                "the parameter counter is missing, which hotp requires"
            case .invalidParameter(let error):
                error.description
            }
        }

        private static func quoted(_ text: String) -> String {
            text.count > 40 ? String(text.prefix(40)).debugDescription + "…" : text.debugDescription
        }
    }
}

/// The URI cut into its parts, still encoded. It is cut as bytes: to `String`, a delimiter that is followed by a
/// combining mark is another character.
private struct Parts {
    let type: String
    let label: ArraySlice<UInt8>
    let query: ArraySlice<UInt8>

    init(_ text: String) throws(OTPAuthURI.ParsingError) {
        let scheme = "otpauth://"
        let trimmed = text.unicodeScalars.drop { $0.properties.isWhitespace }
        guard String(trimmed.prefix(scheme.utf8.count)).lowercased() == scheme else { throw .notOTPAuth }
        var bytes = ArraySlice(String(trimmed).utf8.dropFirst(scheme.utf8.count))
        while let last = bytes.last, last == 0x20 || (0x09...0x0D).contains(last) { bytes.removeLast() }

        let beforeFragment = bytes.prefix { $0 != UInt8(ascii: "#") }
        let hierarchy = beforeFragment.prefix { $0 != UInt8(ascii: "?") }
        let host = hierarchy.prefix { $0 != UInt8(ascii: "/") }
        type = String(decoding: host, as: UTF8.self).lowercased()
        label = hierarchy.dropFirst(host.count + 1)
        query = beforeFragment.dropFirst(hierarchy.count + 1)
    }
}

private struct Label {
    var issuer: String?
    var accountName: String

    /// A literal colon separates, whatever is encoded around it; without one the first encoded colon does.
    init(_ encoded: ArraySlice<UInt8>) throws(OTPAuthURI.ParsingError) {
        if let colon = encoded.firstIndex(of: UInt8(ascii: ":")) {
            issuer = try Self.decode(encoded[..<colon])
            accountName = try Self.decode(encoded[(colon + 1)...])
        } else {
            let whole = try Self.decode(encoded)
            let scalars = whole.unicodeScalars
            guard let colon = scalars.firstIndex(of: ":") else {
                accountName = whole
                return
            }
            issuer = String(scalars[..<colon])
            accountName = String(scalars[scalars.index(after: colon)...])
        }
    }

    private static func decode(_ encoded: ArraySlice<UInt8>) throws(OTPAuthURI.ParsingError) -> String {
        guard let text = PercentEncoding.decode(encoded) else { throw .invalidPercentEncoding(in: "label") }
        return text
    }
}

/// The decoded parameters in their order.
private struct Query {
    private var parameters: [OTPAuthURI.Parameter] = []

    init(_ encoded: ArraySlice<UInt8>) throws(OTPAuthURI.ParsingError) {
        for field in encoded.split(separator: UInt8(ascii: "&")) {
            let encodedName = field.prefix { $0 != UInt8(ascii: "=") }
            guard
                let name = PercentEncoding.decode(encodedName),
                let value = PercentEncoding.decode(field.dropFirst(encodedName.count + 1))
            else { throw .invalidPercentEncoding(in: "query") }
            parameters.append(.init(name: name, value: value))
        }
    }

    /// The first value of a known parameter, whose name is given in lower case.
    subscript(name: String) -> String? {
        parameters.first { $0.name.lowercased() == name }?.value
    }

    func parameters(except names: Set<String>) -> [OTPAuthURI.Parameter] {
        parameters.filter { !names.contains($0.name.lowercased()) }
    }

    /// A parameter of ASCII digits: no sign, no space, nothing that only `Int` would accept.
    func number<Number: FixedWidthInteger>(_ name: String) throws(OTPAuthURI.ParsingError) -> Number? {
        guard let text = self[name] else { return nil }
        guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let number = Number(text) else {
            throw .invalidNumber(parameter: name, value: text)
        }
        return number
    }
}
