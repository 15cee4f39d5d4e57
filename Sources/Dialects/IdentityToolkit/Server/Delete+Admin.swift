import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// Accounts that one call deletes at most.
    static let maximumDeletions = 1000

    /// `projects/{p}/accounts:delete` (REST reference of Identity Platform, v1 `projects.accounts.delete`).
    func deleteAccount(_ request: DeleteAccountRequest, _ call: Call) async throws -> DeleteAccountResponse {
        try requireProject(request.targetProjectId)
        if request.idToken != nil { return try await delete(request, call) }
        guard let id = request.localId, !id.isEmpty else { throw IdentityToolkitError(.missingLocalID) }
        guard try await realm.accounts.delete(UserID(rawValue: id), by: call.client) else {
            throw IdentityToolkitError(.userNotFound)
        }
        return DeleteAccountResponse()
    }

    /// `projects/{p}/accounts:batchDelete`: without `force` only disabled accounts go. Accounts that are not there are
    /// no error (REST reference of Identity Platform, v1 `projects.accounts.batchDelete`).
    func batchDelete(
        _ request: BatchDeleteAccountsRequest, _ call: Call
    ) async throws -> BatchDeleteAccountsResponse {
        let ids = request.localIds ?? []
        guard (1...Self.maximumDeletions).contains(ids.count) else {
            throw IdentityToolkitError(.localIDListExceedsLimit)
        }
        let outcomes = try await realm.accounts.delete(
            ids.map(UserID.init(rawValue:)), onlyDisabled: request.force != true, by: call.client)
        let errors = zip(ids, outcomes).enumerated().compactMap { index, row -> BatchDeleteError? in
            guard row.1 == .notDisabled else { return nil }
            return BatchDeleteError(
                index: index, localId: row.0,
                message: ErrorWord.notDisabled.message("Disable the account before batch deletion."))
        }
        return BatchDeleteAccountsResponse(errors: errors.isEmpty ? nil : errors)
    }
}
