import Foundation
import IdentityToolkitWire

/// What is known of a user beside the tokens.
struct Profile: Codable, Sendable, Equatable {
    var email: String?
    var isEmailVerified = false
    var displayName: String?
    var photoURL: URL?
    var phoneNumber: String?
    var isAnonymous = false
    var providers: [Provider] = []
    var creationDate: Date?
    var lastSignInDate: Date?
    var tenantID: String?
    var factors: [Factor] = []
    /// Nil where there are none, and in users that earlier versions stored.
    var passkeys: [PasskeyInfo]?

    struct Provider: Codable, Sendable, Equatable {
        var providerID: String
        var uid: String
        var email: String?
        var displayName: String?
        var photoURL: URL?
        var phoneNumber: String?
    }

    struct Factor: Codable, Sendable, Equatable {
        var uid: String
        var displayName: String?
        var enrollmentDate: Date
        /// Present where the factor is a phone; otherwise it is TOTP.
        var phoneNumber: String?
    }

    init() {}

    /// The account as the server has it. An account that signed in without any identity is anonymous until it has
    /// one.
    init(_ account: Account, isAnonymous: Bool, now: Date) {
        email = account.email?.nonEmpty
        isEmailVerified = account.emailVerified ?? false
        displayName = account.displayName?.nonEmpty
        photoURL = account.photoUrl.flatMap { URL(string: $0) }
        phoneNumber = account.phoneNumber?.nonEmpty
        providers = (account.providerUserInfo ?? []).compactMap(Provider.init)
        self.isAnonymous = isAnonymous && email == nil && phoneNumber == nil && providers.isEmpty
        creationDate = account.createdAt.map { Date(milliseconds: $0.value) }
        lastSignInDate = account.lastLoginAt.map { Date(milliseconds: $0.value) }
        tenantID = account.tenantId?.nonEmpty
        factors = (account.mfaInfo ?? []).compactMap { Factor($0, now: now) }
        passkeys = account.passkeyInfo?.compactMap { info in
            info.credentialId?.nonEmpty.map { PasskeyInfo(name: info.name ?? "", credentialID: $0) }
        }
    }
}

extension Profile.Provider {
    /// Nil where the server does not say which provider.
    init?(_ info: ProviderUserInfo) {
        guard let providerID = info.providerId?.nonEmpty else { return nil }
        self.providerID = providerID
        uid = info.federatedId?.nonEmpty ?? info.rawId?.nonEmpty ?? info.email ?? info.phoneNumber ?? ""
        email = info.email?.nonEmpty
        displayName = info.displayName?.nonEmpty
        photoURL = info.photoUrl.flatMap { URL(string: $0) }
        phoneNumber = info.phoneNumber?.nonEmpty
    }
}

extension Profile.Factor {
    /// Nil where the factor has no id or is of a kind that is not known. Source: REST reference of Identity Platform,
    /// v1 `UserInfo`.
    init?(_ enrollment: MFAEnrollment, now: Date) {
        guard let uid = enrollment.mfaEnrollmentId?.nonEmpty, enrollment.phoneInfo != nil || enrollment.totpInfo != nil
        else { return nil }
        self.uid = uid
        displayName = enrollment.displayName?.nonEmpty
        enrollmentDate = enrollment.enrolledAt.flatMap(WireTimestamp.date(from:)) ?? now
        phoneNumber = enrollment.phoneInfo
    }
}

extension String {
    var nonEmpty: String? { isEmpty ? nil : self }
}

extension Date {
    fileprivate init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
