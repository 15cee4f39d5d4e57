import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// Identifiers that one lookup takes, as many as a page of a listing.
    static let maximumIdentifiers = 1000

    /// `projects/{p}/accounts:lookup`: the users with one of the identifiers; `users` is left out where there are none
    /// (REST reference of Identity Platform, v1 `projects.accounts.lookup`).
    func lookupAccounts(_ request: LookupRequest, _ call: Call) async throws -> LookupResponse {
        try requireProject(request.targetProjectId)
        if request.idToken != nil { return try await lookup(request, call) }
        var identifiers = (request.localId ?? []).map { UserIdentifier.id(UserID(rawValue: $0)) }
        identifiers += (request.email ?? []).compactMap(EmailAddress.init).map(UserIdentifier.email)
        identifiers += (request.phoneNumber ?? []).compactMap(PhoneNumber.init).map(UserIdentifier.phoneNumber)
        for identity in request.federatedUserId ?? [] {
            switch (identity.providerId, identity.rawId) {
            case ("phone", let number?): identifiers += PhoneNumber(number).map { [.phoneNumber($0)] } ?? []
            case ("password", let email?): identifiers += EmailAddress(email).map { [.email($0)] } ?? []
            default: break
            }
        }
        guard identifiers.count <= Self.maximumIdentifiers else { throw IdentityToolkitError.invalidArgument }
        let users = try await realm.accounts.find(identifiers).map { found in
            var account = Account(found, call)
            account.passkeyInfo = try passkeyInfo(found.factors)
            return account
        }
        return LookupResponse(users: users.isEmpty ? nil : users)
    }
}
