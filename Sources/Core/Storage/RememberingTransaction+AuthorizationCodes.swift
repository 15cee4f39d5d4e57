import Foundation

extension RememberingTransaction {
    func authorizationCode(digest: Data) throws -> AuthorizationCodeRecord? {
        try base.authorizationCode(digest: digest)
    }

    func insert(_ code: AuthorizationCodeRecord) throws -> Bool { try base.insert(code) }

    func redeemAuthorizationCode(digest: Data, at instant: Date, making grant: GrantID?) throws -> Bool {
        try base.redeemAuthorizationCode(digest: digest, at: instant, making: grant)
    }

    func deleteAuthorizationCode(digest: Data) throws -> Bool { try base.deleteAuthorizationCode(digest: digest) }

    func deleteAuthorizationCodes(expiredBefore instant: Date, limit: Int) throws -> Int {
        try base.deleteAuthorizationCodes(expiredBefore: instant, limit: limit)
    }
}
