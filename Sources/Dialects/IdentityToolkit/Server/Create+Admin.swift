import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `projects/{p}/accounts`: creates an account, and signs no user in (REST reference of Identity Platform, v1
    /// `projects.accounts`).
    func createAccount(_ request: SignUpRequest, _ call: Call) async throws -> SignUpResponse {
        try requireProject(request.targetProjectId)
        if request.idToken != nil {
            if request.localId != nil { throw IdentityToolkitError(.unexpectedParameter, "User ID") }
            return try await link(request, call)
        }
        let id = try request.localId.map(localID)
        let email = try request.email.map { try address($0, missing: .invalidEmail) }
        try checkProfile(displayName: request.displayName, photoURL: request.photoUrl)
        var profile = UserProfile()
        profile.emailVerified = email != nil && request.emailVerified == true
        profile.displayName = request.displayName.flatMap { $0.isEmpty ? nil : $0 }
        profile.photoURL = request.photoUrl.flatMap { $0.isEmpty ? nil : $0 }
        profile.phoneNumber = try request.phoneNumber.flatMap { $0.isEmpty ? nil : try phoneNumber($0).canonical }
        if let enrollments = request.mfaInfo, let first = enrollments.first {
            throw IdentityToolkitError(newFactor: first)
        }
        let password = request.password.flatMap { $0.isEmpty ? nil : Secret($0) }
        let outcome = try await realm.accounts.create(
            id: id, email: email, password: password, profile: profile, isDisabled: request.disabled ?? false,
            by: call.client)
        switch outcome {
        case .failure(let refusal): throw IdentityToolkitError(account: refusal)
        case .success(let user):
            return SignUpResponse(
                localId: user.id.rawValue, email: user.email?.canonical, displayName: user.profile.displayName)
        }
    }

    /// A user id that an administrator chose: 1 to 128 characters, none of them a control. A path with one of two dots or one
    /// leads elsewhere, in each browser and client (RFC 3986, section 5.2.4): no page could show that user.
    func localID(_ text: String) throws -> UserID {
        guard Self.isNewLocalID(text) else { throw IdentityToolkitError(.invalidLocalID) }
        return UserID(rawValue: text)
    }

    /// Whether a user may get an id: no user is called as the log calls the first token.
    static func isNewLocalID(_ text: String) -> Bool { UserID.admits(text) && text != AdministratorToken.actor }

    func phoneNumber(_ text: String) throws -> PhoneNumber {
        guard let number = PhoneNumber(text) else {
            throw IdentityToolkitError(.invalidPhoneNumber, "Invalid format.")
        }
        return number
    }
}
