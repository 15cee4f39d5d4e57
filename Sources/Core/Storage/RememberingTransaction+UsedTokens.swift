import Foundation

extension RememberingTransaction {
    func insert(_ used: UsedToken) throws -> Bool { try base.insert(used) }

    func deleteUsedToken(digest: Data) throws -> Bool { try base.deleteUsedToken(digest: digest) }

    func deleteUsedTokens(expiredBefore instant: Date, limit: Int) throws -> Int {
        try base.deleteUsedTokens(expiredBefore: instant, limit: limit)
    }
}
