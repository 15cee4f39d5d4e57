import CountersignCore
import Foundation

extension ApprovalDetails {
    /// What a `User-Agent` says, roughly: the user recognises the browser by its name.
    init(userAgent: String?) {
        self.init()
        guard let userAgent, userAgent.utf8.count <= 1024 else { return }
        func version(after marker: String) -> String? {
            guard let range = userAgent.range(of: marker) else { return nil }
            let digits = userAgent[range.upperBound...].prefix { $0.isNumber || $0 == "." || $0 == "_" }
            return digits.isEmpty ? nil : digits.replacingOccurrences(of: "_", with: ".")
        }
        // The order matters: each of these claims to be those below it.
        for (marker, name) in [
            ("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Version/", "Safari"),
            ("curl/", "curl"),
        ] where userAgent.contains(marker) {
            browser = NamedVersion(name: name, version: version(after: marker))
            break
        }
        for (marker, name) in [
            ("iPhone OS ", "iOS"), ("Android ", "Android"), ("Windows NT ", "Windows"), ("Mac OS X ", "Mac OS"),
            ("Linux", "Linux"),
        ] where userAgent.contains(marker) {
            system = NamedVersion(name: name, version: version(after: marker))
            break
        }
    }
}
