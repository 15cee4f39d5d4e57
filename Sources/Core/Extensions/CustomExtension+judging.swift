import Foundation

/// What is wrong with an extension that an administrator wants to register.
public struct CustomExtensionFault: Error, Sendable, Equatable {
    /// The vendor's code, where it has one for it.
    public let code: ExtensionFailure.Code?
    /// What is wrong, for the administrator: a sentence in English.
    public let message: String
    /// Whether it is right by itself, and another extension that is there already stands against it.
    public let isByOthers: Bool

    init(_ message: String, _ code: ExtensionFailure.Code? = nil, isByOthers: Bool = false) {
        self.code = code
        self.message = message
        self.isByOthers = isByOthers
    }
}

extension CustomExtension {
    /// The milliseconds that a call may be given.
    public static let timeouts = 200...2000
    /// How many applications, and how many claims, one extension may name.
    public static let longestList = 100

    /// Claims that only the server sets, or that identify a user: no extension puts them into a token.
    public static let reservedClaims: Set<String> = CustomClaims.serverClaims.union([
        "acrs", "appid", "azpacr", "idp", "oid", "tid", "typ", "unique_name", "upn", "uti", "ver",
    ])

    /// The appid of the resource id: the audience of the calls' tokens.
    var audience: String { resourceID.split(separator: "/").last.map(String.init) ?? resourceID }

    /// Judges what an administrator wants to register.
    /// - Throws: ``CustomExtensionFault``.
    func judge() throws(CustomExtensionFault) {
        try judgeCall()
        guard Self.timeouts.contains(timeout) else {
            throw CustomExtensionFault("The time-out is \(Self.timeouts.lowerBound) to \(Self.timeouts.upperBound) ms.")
        }
        guard (0...1).contains(retries) else { throw CustomExtensionFault("A call is repeated at most once.") }
        if event == .otpSend, retries > 0 {
            throw CustomExtensionFault("The outbox repeats calls that send codes: leave retries at 0.")
        }
        if event != .otpSend, fallsBack {
            throw CustomExtensionFault("Only a service that sends codes can fall back to the mail server.")
        }
        guard (displayName ?? "").utf8.count <= 256, clients.count <= Self.longestList,
            claims.count <= Self.longestList
        else { throw CustomExtensionFault("The name has 256 bytes at most, lists have \(Self.longestList) entries.") }
        for client in clients where PlainText(client, bytes: 1...128) == nil {
            throw CustomExtensionFault("\"\(client.prefix(60))\" is no client id.")
        }
        try judgeClaims()
    }

    /// Judges what decides where a call goes and with what. One that is registered is judged by it before each call; a claim that is
    /// reserved since goes into no token (``ProvidedClaims``), and stops no sign-in.
    /// - Throws: ``CustomExtensionFault``.
    func judgeCall() throws(CustomExtensionFault) {
        try Self.judge(resourceID: resourceID, host: Self.host(of: targetURL))
    }

    private func judgeClaims() throws(CustomExtensionFault) {
        if event != .tokenIssuanceStart, !claims.isEmpty {
            throw CustomExtensionFault("Only \(ExtensionEvent.tokenIssuanceStart.rawValue) provides claims.")
        }
        if tokens.isEmpty { throw CustomExtensionFault("Claims go into the ID token, the access token, or both.") }
        var names: Set<String> = []
        for claim in claims {
            let name = claim.jwtClaimType
            guard (1...128).contains(name.utf8.count),
                name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
            else { throw CustomExtensionFault("\"\(name.prefix(60))\" is no name of a claim.") }
            if Self.reservedClaims.contains(name) {
                throw CustomExtensionFault("\(name) is a claim that the server makes itself.")
            }
            guard names.insert(name).inserted else { throw CustomExtensionFault("\(name) is there twice.") }
            guard (claim.id == nil) != (claim.value == nil), claim.id != "",
                (claim.id ?? claim.value ?? "").utf8.count <= 1024
            else {
                throw CustomExtensionFault("\(name) has to be either provided or a constant, of 1024 bytes at most.")
            }
            if claim.value.map(PlainText.hasControls) == true {
                throw CustomExtensionFault("The constant \(name) has control characters.")
            }
        }
    }

    /// The host of a URL that may be called: https, or plain http on this machine (which the caller takes only where it may
    /// call this machine at all). Keys in the query would end up in logs; the call's token is what authenticates it.
    static func host(of url: String) throws(CustomExtensionFault) -> String {
        guard url.utf8.count <= 2048, URLText.isPlain(url), let parts = URLComponents(string: url),
            let host = parts.encodedHost, !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil, URLText.isPlainHost(host), URLText.hasUsablePort(url),
            parts.scheme == "https" || (parts.scheme == "http" && URLText.isLoopback(host))
        else {
            throw CustomExtensionFault(
                "\"\(url.prefix(100))\" cannot be called. \(ExtensionFailure.Code.incorrectTargetUrlFormat.advice)",
                .incorrectTargetUrlFormat)
        }
        return URLText.bareHost(host)
    }

    private static func judge(resourceID: String, host: String) throws(CustomExtensionFault) {
        let parts = resourceID.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard resourceID.utf8.count <= 512, resourceID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), parts.count == 4,
            parts[0] == "api:", parts[1].isEmpty, !parts[2].isEmpty, !parts[3].isEmpty
        else {
            throw CustomExtensionFault(
                "\"\(resourceID.prefix(100))\": \(ExtensionFailure.Code.incorrectResourceIdFormat.advice)",
                .incorrectResourceIdFormat)
        }
        guard URLText.bareHost(parts[2]) == host else {
            throw CustomExtensionFault(
                "\(parts[2]) is not \(host). \(ExtensionFailure.Code.domainNameDoesNotMatch.advice)",
                .domainNameDoesNotMatch)
        }
    }
}
