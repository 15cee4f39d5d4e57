import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// Accounts on a page that does not say how many it wants, and at most.
    static let pageSizes = (standard: 20, maximum: 1000)

    /// `projects/{p}/accounts:batchGet`: all accounts, page by page, without password hashes or secrets (REST reference
    /// of Identity Platform, v1 `projects.accounts.batchGet`).
    func batchGet(_ call: Call) async throws -> BatchGetAccountsResponse {
        var size: Int?
        if let text = call.query["maxResults"] ?? call.query["max_results"] {
            guard let number = Int(text) else {
                throw IdentityToolkitError.invalidValue("max_results", type: "TYPE_INT32", value: text)
            }
            size = number
        }
        return try await page(
            size: size, token: call.query["nextPageToken"] ?? call.query["next_page_token"], call)
    }

    /// The legacy `downloadAccount`, whose parameters are in the body.
    func downloadAccount(_ request: DownloadAccountRequest, _ call: Call) async throws -> BatchGetAccountsResponse {
        try requireProject(request.targetProjectId)
        return try await page(size: request.maxResults, token: request.nextPageToken, call)
    }

    /// A page of accounts, in the order of their ids. Its token is the id of its last account, as the emulator's is, so
    /// that a listing can begin after any id; the last page has none.
    private func page(size: Int?, token: String?, _ call: Call) async throws -> BatchGetAccountsResponse {
        let size = size ?? 0
        guard size >= 0 else {
            throw IdentityToolkitError.invalidValue("max_results", type: "TYPE_INT32", value: String(size))
        }
        var last: UserID?
        if let token, !token.isEmpty {
            guard UserID.admits(token) else { throw IdentityToolkitError(.invalidPageSelection) }
            last = UserID(rawValue: token)
        }
        let limit = size == 0 ? Self.pageSizes.standard : min(size, Self.pageSizes.maximum)
        let (users, hasMore) = try await realm.accounts.page(after: last, limit: limit)
        return BatchGetAccountsResponse(
            users: users.map { Account($0, call) },
            nextPageToken: hasMore ? users.last?.user.id.rawValue : nil)
    }
}
