import CountersignCore
import Crypto
import Foundation
import OneTimePassword
import Synchronization

/// The bearer token that opens the admin API. Only its digest is kept in memory.
public final class AdminToken: Sendable {
    /// Nil where there is no token, and none is right.
    private let digest: Mutex<Data?>
    private let noteUse: @Sendable () -> Void

    /// - Parameter noteUse: called whenever the right token came.
    init(_ token: Secret<String>?, noting noteUse: @escaping @Sendable () -> Void) {
        digest = Mutex(token.map { Self.digest($0) })
        self.noteUse = noteUse
    }

    /// Whether the token is this one; what is wrong takes the same time whatever it is. What is right is noted as a use, whichever door it came
    /// to.
    @Sendable public func matches(_ token: Secret<String>) -> Bool {
        guard let digest = digest.withLock({ $0 }) else { return false }
        guard ConstantTime.equal(digest, Self.digest(token)) else { return false }
        noteUse()
        return true
    }

    /// Takes another token in its place; answers whether it is another.
    func replace(with token: Secret<String>) -> Bool {
        let fresh = Self.digest(token)
        return digest.withLock { digest in
            guard digest != fresh else { return false }
            digest = fresh
            return true
        }
    }

    private static func digest(_ token: Secret<String>) -> Data {
        Data(SHA256.hash(data: Data(token.reveal().utf8)))
    }
}

extension DataDirectory {
    /// The token of the store, written where administrators look for it; the first server makes it.
    ///
    /// A store from before knows none: then it is what the file says. Afterwards the store decides, so that all servers
    /// and every restored backup have the same one.
    /// - Returns: with sentences for the operator, where a file says something else now.
    /// - Throws: ``DataDirectoryError``, `SealingError`, `StoreError`.
    func settleAdminToken(of realm: Realm) async throws -> (token: AdminToken, notices: [String]) {
        let kept = try adminToken()
        let wasKnown = try await realm.administratorToken.current() != nil
        let token = try await realm.administratorToken.settle(
            kept ?? Secret(realm.random.bytes(32).base64URL))
        var notices: [String] = []
        if kept != token {
            try write(adminToken: token, random: realm.random)
            if kept != nil {
                notices.append(
                    "\(adminTokenPath) had another administrator's token than the database, and has the database's now; "
                        + "the one from before opens nothing. `countersign key rotate-admin-token` makes a new one for "
                        + "all servers")
            } else if wasKnown {
                notices.append(
                    "\(adminTokenPath) was not there: it has the administrator's token of the database, which all its "
                        + "servers share and a backup keeps")
            }
        }
        return (AdminToken(token, noting: realm.administratorToken.noteUse), notices)
    }

    /// What the file says; nil where there is none, or nothing in it.
    private func adminToken() throws -> Secret<String>? {
        guard let text = try PrivateFile.readGuarded(adminTokenPath) else { return nil }
        let token = MasterKeyFile.trimmed(String(decoding: text, as: UTF8.self)[...])
        return token.isEmpty ? nil : Secret(token)
    }

    /// Writes the token into its file, whole or not at all.
    public func write(adminToken token: Secret<String>, random: any RandomSource) throws {
        try PrivateFile.put(adminTokenPath, random: random, Data((token.reveal() + "\n").utf8))
    }

    /// Whether a server has written its file here.
    public var hasAdminToken: Bool { FileManager.default.fileExists(atPath: adminTokenPath) }

    /// Whether the file says something else.
    func hasOther(adminToken token: Secret<String>) -> Bool {
        (try? adminToken()) != token
    }
}
