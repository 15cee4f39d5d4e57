/// Which hosts are this machine.
public enum Loopback {
    /// Whether the host of a URL is `localhost`, a name under it, `127.0.0.0/8` or `::1`. Names are not looked up,
    /// and an address counts only in its usual spelling, so that no foreign name passes for one.
    public static func contains(host: String) -> Bool {
        var host = host.lowercased()
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host == "0:0:0:0:0:0:0:1" {
            return true
        }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127"
            && octets.allSatisfy { (1...3).contains($0.utf8.count) && UInt8($0) != nil && !$0.hasPrefix("+") }
    }
}
