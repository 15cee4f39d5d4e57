import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `projects/{p}/accounts:update`: changes any account (REST reference of Identity Platform, v1
    /// `projects.accounts.update`).
    func updateAccount(_ request: UpdateAccountRequest, _ call: Call) async throws -> UpdateAccountResponse {
        try requireProject(request.targetProjectId)
        if request.idToken != nil || request.oobCode != nil { return try await update(request, call) }
        guard let id = request.localId, !id.isEmpty else { throw IdentityToolkitError(.missingLocalID) }
        guard let found = try await realm.accounts.find([.id(UserID(rawValue: id))]).first else {
            throw IdentityToolkitError(.userNotFound)
        }
        for id in (request.deletePasskey ?? []).compactMap(PasskeySpelling.bytes) {
            _ = try await realm.enrolments.remove(FactorID(credential: id), of: found.user.id, by: call.client)
        }
        let change = try administratorsChange(request, to: found)
        switch try await realm.accounts.change(found.user.id, change, by: call.client) {
        case .refused(let refusal): throw IdentityToolkitError(account: refusal)
        case .changed(let user, _):
            var response = try await updateResponse(for: user)
            if request.email != nil { response.newEmail = response.email }
            return response
        }
    }

    private func administratorsChange(
        _ request: UpdateAccountRequest, to found: UserWithFactors
    ) throws -> AccountChange {
        if request.linkProviderUserInfo != nil {
            throw IdentityToolkitError.providerNotEnabled
        }
        try checkProfile(displayName: request.displayName, photoURL: request.photoUrl)
        var change = AccountChange()
        if let text = request.email {
            let email = try address(text, missing: .invalidEmail)
            // What stays as it is revokes no tokens.
            if email != found.user.email { change.email = .some(email) }
        }
        if let password = request.password {
            guard !password.isEmpty else { throw IdentityToolkitError(.missingPassword) }
            change.password = Secret(password)
        }
        if let text = request.phoneNumber {
            change.phoneNumber = .some(text.isEmpty ? nil : try phoneNumber(text).canonical)
        }
        if let name = request.displayName { change.displayName = .some(name.isEmpty ? nil : name) }
        if let url = request.photoUrl { change.photoURL = .some(url.isEmpty ? nil : url) }
        change.emailVerified = request.emailVerified
        change.isDisabled = request.disableUser
        if let text = request.customAttributes {
            do throws(CustomClaims.Fault) {
                change.customClaims = try CustomClaims.parse(text)
            } catch {
                throw IdentityToolkitError(claims: error)
            }
        }
        change.revokesTokensAt = try request.validSince.map { try instant($0, "valid_since", perSecond: 1) }
        change.createdAt = try request.createdAt.map { try instant($0, "created_at", perSecond: 1000) }
        change.lastSignInAt = try request.lastLoginAt.map { try instant($0, "last_login_at", perSecond: 1000) }
        try change.delete(attributes: request.deleteAttribute ?? [], providers: request.deleteProvider ?? [])
        if let mfa = request.mfa {
            change.secondFactors = try stayingFactors(mfa.enrollments ?? [], of: found)
        }
        return change
    }

    /// The factors that a list leaves: it can name present ones, by another name too, and bring no new ones.
    private func stayingFactors(
        _ enrollments: [MFAEnrollment], of found: UserWithFactors
    ) throws -> [FactorID: AccountChange.FactorName] {
        let present = Set(realm.proofs.secondFactors(among: found.factors).map(\.id))
        var staying: [FactorID: AccountChange.FactorName] = [:]
        for enrollment in enrollments {
            guard let text = enrollment.mfaEnrollmentId, !text.isEmpty, present.contains(FactorID(rawValue: text)),
                enrollment.phoneInfo == nil
            else { throw IdentityToolkitError(newFactor: enrollment) }
            let name = enrollment.displayName.map { AccountChange.FactorName.changed(String($0.prefix(256))) }
            guard staying.updateValue(name ?? .unchanged, forKey: FactorID(rawValue: text)) == nil else {
                throw IdentityToolkitError(.duplicateMFAEnrollmentID)
            }
        }
        return staying
    }

    /// An instant that the protocol writes as a number, in the years 1970 to 9999.
    func instant(_ number: Int64String, _ field: String, perSecond: Int64) throws -> Date {
        guard let date = Self.instant(number, perSecond: perSecond) else {
            throw IdentityToolkitError.invalidValue(field, type: "TYPE_INT64", value: number.description)
        }
        return date
    }

    static func instant(_ number: Int64String, perSecond: Int64) -> Date? {
        guard (0...253_402_300_799 * perSecond).contains(number.value) else { return nil }
        return Date(microseconds: number.value * (1_000_000 / perSecond))
    }
}

extension AccountChange {
    /// Takes away what `deleteAttribute` and `deleteProvider` name.
    fileprivate mutating func delete(attributes: [String], providers: [String]) throws {
        for attribute in try Enumeration.userAttribute.words(attributes, at: { _ in "delete_attribute" }) {
            switch attribute {
            case "DISPLAY_NAME": displayName = .some(nil)
            case "PHOTO_URL": photoURL = .some(nil)
            case "PASSWORD": removesPassword = true
            case "EMAIL": email = .some(nil)
            default: break
            }
        }
        if providers.contains("password") { removesPassword = true }
        if providers.contains("phone") { phoneNumber = .some(nil) }
    }
}
