import CountersignCore
import Foundation
import IdentityToolkitWire

extension Account {
    /// A user as administrators see it, under the tenant that they asked in.
    init(_ found: UserWithFactors, _ call: Call) {
        self.init(found.user, factors: found.factors)
        tenantId = call.tenantID
    }

    /// A user as `accounts:lookup` shows it (REST reference of Identity Platform, v1 `UserInfo`). Password hashes never
    /// leave: the word in their place is Base64 for "REDACTED".
    init(_ user: User, factors: [FactorRecord]) {
        let hasPassword = factors.contains { $0.kind == .password }
        let second = factors.compactMap(MFAEnrollment.init)
        self.init(
            localId: user.id.rawValue,
            email: user.email?.canonical,
            emailVerified: user.email.map { _ in user.profile.emailVerified },
            displayName: user.profile.displayName,
            photoUrl: user.profile.photoURL,
            phoneNumber: user.profile.phoneNumber,
            providerUserInfo: ProviderUserInfo.all(of: user, hasPassword: hasPassword),
            passwordHash: hasPassword ? "UkVEQUNURUQ=" : nil,
            passwordUpdatedAt: user.passwordChangedAt.map { Double($0.milliseconds) },
            validSince: Int64String(user.tokensValidAfter.seconds),
            disabled: user.isDisabled,
            lastLoginAt: user.lastSignInAt.map { Int64String($0.milliseconds) },
            createdAt: Int64String(user.createdAt.milliseconds),
            lastRefreshAt: user.lastRefreshAt.map(WireTimestamp.string(from:)),
            customAuth: user.profile.providers.contains("custom") ? true : nil,
            customAttributes: Self.customAttributes(user.profile),
            emailLinkSignin: user.profile.providers.contains("emailLink") ? true : nil,
            mfaInfo: second.isEmpty ? nil : second)
    }

    private static func customAttributes(_ profile: UserProfile) -> String? {
        guard profile.hasCustomClaims else { return nil }
        return (try? JSONValue.object(profile.customClaims).jsonText()).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension ProviderUserInfo {
    /// The ways in: the address, by password or link, is one provider called `password`; a phone number is another,
    /// although it is not used for sign-in here.
    static func all(of user: User, hasPassword: Bool) -> [ProviderUserInfo]? {
        var providers: [ProviderUserInfo] = []
        if let email = user.email?.canonical, hasPassword || user.profile.providers.contains("emailLink") {
            providers.append(
                ProviderUserInfo(
                    providerId: "password", federatedId: email, rawId: email, email: email,
                    displayName: user.profile.displayName, photoUrl: user.profile.photoURL))
        }
        if let number = user.profile.phoneNumber {
            providers.append(ProviderUserInfo(providerId: "phone", rawId: number, phoneNumber: number))
        }
        return providers.isEmpty ? nil : providers
    }
}

extension MFAEnrollment {
    /// Nil for what this protocol does not call a second factor. A device that answers requests has codes too, and is
    /// listed for those.
    init?(_ factor: FactorRecord) {
        guard factor.kind == .totp || factor.kind == .push else { return nil }
        self.init(
            mfaEnrollmentId: factor.id.rawValue, displayName: factor.name,
            enrolledAt: WireTimestamp.string(from: factor.createdAt), totpInfo: TOTPInfo())
    }
}
