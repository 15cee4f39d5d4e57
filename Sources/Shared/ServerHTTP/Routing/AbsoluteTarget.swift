/// A request's target in the absolute form, as it is sent to proxies: `http://host/path`. A server takes it as well, and its host in the place
/// of the one in the header `Host` (RFC 9112, section 3.2.2).
struct AbsoluteTarget {
    /// The host with its port.
    let authority: Substring
    /// The same target in the origin form: path and query.
    let origin: Substring

    /// Nil where the target is of another form, of another scheme, or has no host.
    init?(_ target: String) {
        guard let scheme = ["http://", "https://"].first(where: { target.prefix($0.count).lowercased() == $0 }) else {
            return nil
        }
        let start = target.index(target.startIndex, offsetBy: scheme.count)
        let end = target[start...].firstIndex { "/?#".contains($0) } ?? target.endIndex
        authority = target[start..<end]
        // The brackets of an IPv6 address (RFC 3986, section 3.2.2).
        guard !authority.isEmpty, authority.contains("[") == authority.contains("]") else { return nil }
        let rest = target[end...]
        origin = rest.utf8.first == UInt8(ascii: "/") ? rest : "/" + rest
    }
}
