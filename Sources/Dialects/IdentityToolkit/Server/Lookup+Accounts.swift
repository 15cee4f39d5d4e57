import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `accounts:lookup`: the account of an ID token, always exactly one. With an administrator's bearer alone it is the
    /// administrator's.
    func lookup(_ request: LookupRequest, _ call: Call) async throws -> LookupResponse {
        try requireProject(request.targetProjectId)
        if call.isAdministrator, request.idToken == nil { return try await lookupAccounts(request, call) }
        let bearer = try await tokens(call).bearer(
            request.idToken, missing: .missingIDToken, allowsUnenrolled: true)
        guard let found = try await realm.accounts.userAndFactors(bearer.user.id) else {
            throw IdentityToolkitError(.userNotFound)
        }
        var account = Account(found.user, factors: found.factors)
        account.passkeyInfo = try passkeyInfo(found.factors)
        return LookupResponse(users: [account])
    }

    /// `accounts:delete`: removes the account of an ID token, if its sign-in is recent and had the second factor that the user has. With an administrator's bearer
    /// alone it is the administrator's.
    func delete(_ request: DeleteAccountRequest, _ call: Call) async throws -> DeleteAccountResponse {
        try requireProject(request.targetProjectId)
        if call.isAdministrator, request.idToken == nil { return try await deleteAccount(request, call) }
        let bearer = try await tokens(call).bearer(
            request.idToken, missing: .missingIDToken, allowsUnenrolled: true)
        guard call.settings.identityToolkit.allowsDeletion else { throw IdentityToolkitError(.adminOnlyOperation) }
        if let localID = request.localId, localID != bearer.user.id.rawValue {
            throw IdentityToolkitError(.invalidLocalID)
        }
        // What cannot be undone needs a recent sign-in (Firebase documentation, "Re-authenticate a user").
        switch try await realm.accounts.deleteOwn(bearer.session, by: call.client) {
        case .deleted: return DeleteAccountResponse()
        case .userNotFound: throw IdentityToolkitError(.userNotFound)
        case .lastOwner: throw IdentityToolkitError(.operationNotAllowed, IdentityToolkitError.lastOwner)
        case .refused(let fault): throw IdentityToolkitError(ownSession: fault)
        }
    }
}
