import Crypto
import Foundation

extension Tenant {
    /// The GUID by which tokens and services of Microsoft Entra's protocols name a user: the claim `oid`, and `user.id` in
    /// calls to custom authentication extensions.
    ///
    /// An id that is a GUID in lower case is its own. Of every other the GUID is derived from the tenant and the id
    /// (RFC 9562, section 5.5), so that every server of the realm has the same one at any time.
    public func directoryID(of user: UserID) -> String { directoryID(of: user.rawValue, kind: "user") }

    /// The GUID by which services name an application or an API: `id` and `appId` of a service principal in calls to custom
    /// authentication extensions.
    /// - Parameter name: the application's client id, or an API's name such as `api://library`. A name that ends with a GUID,
    ///   such as `api://login.example.com/0a0a0a0a-1111-4bbb-8222-3c3c3c3c3c3c`, means that one.
    public func directoryID(ofApplication name: String) -> String {
        if let last = name.split(separator: "/").last.map(String.init), Self.isGUID(last) { return last }
        return directoryID(of: name, kind: "application")
    }

    private func directoryID(of name: String, kind: String) -> String {
        if Self.isGUID(name) { return name }
        let namespace = UUID(uuidString: id).map { withUnsafeBytes(of: $0.uuid) { Data($0) } } ?? Data(id.utf8)
        return Array(Insecure.SHA1.hash(data: namespace + Data("\(kind):\(name)".utf8))).uuidText(version: 5)
    }

    /// Two spellings of one GUID are two ids here, and must not become one there.
    private static func isGUID(_ text: String) -> Bool { UUID(uuidString: text)?.uuidString.lowercased() == text }
}
