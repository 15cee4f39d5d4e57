/// A request's target in the absolute form, as it is sent to proxies: `http://host/path`. A server takes it as well, and its host in the place
/// of the one in the header `Host` (RFC 9112, section 3.2.2).
struct AbsoluteTarget {
    /// The host with its port.
    let authority: Substring
    /// The same target in the origin form: path and query.
    let origin: Substring

    /// Nil where the target is of another form, of another scheme, or has no host. It is read by bytes: a sign that is put upon a slash
    /// leaves it a slash.
    init?(_ target: String) {
        let bytes = target.utf8
        guard
            let scheme = ["http://", "https://"].first(where: {
                Substring(bytes.prefix($0.utf8.count)).lowercased() == $0
            })
        else { return nil }
        let start = bytes.index(bytes.startIndex, offsetBy: scheme.utf8.count)
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        authority = Substring(bytes[start..<end])
        // The brackets of an IPv6 address (RFC 3986, section 3.2.2).
        let (opens, closes) = (UInt8(ascii: "["), UInt8(ascii: "]"))
        guard !authority.isEmpty, authority.utf8.contains(opens) == authority.utf8.contains(closes) else { return nil }
        let rest = Substring(bytes[end...])
        origin = rest.utf8.first == UInt8(ascii: "/") ? rest : "/" + rest
    }
}
