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
        switch try await realm.accounts.delete([UserID(rawValue: id)], by: call.client).first {
        case .deleted: break
        case .lastOwner: throw IdentityToolkitError(.operationNotAllowed, IdentityToolkitError.lastOwner)
        default: throw IdentityToolkitError(.userNotFound)
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
            let message: String
            switch row.1 {
            case .notDisabled: message = ErrorWord.notDisabled.message("Disable the account before batch deletion.")
            case .lastOwner: message = ErrorWord.operationNotAllowed.message(IdentityToolkitError.lastOwner)
            case .deleted, .userNotFound: return nil
            }
            return BatchDeleteError(index: index, localId: row.0, message: message)
        }
        return BatchDeleteAccountsResponse(errors: errors.isEmpty ? nil : errors)
    }
}
