import Foundation

extension PortableAccount {
    /// How an imported account differs from the present one with its id.
    ///
    /// What use changes by itself does not count: when the user signed in and by which methods, that an address was
    /// proven, which codes are used up, and a password that a sign-in has hashed again. Instants count in milliseconds,
    /// as files have them.
    /// - Parameter needsRehash: whether a hash is one that a sign-in replaces.
    func differences(from present: PortableAccount, needsRehash: (String) -> Bool) -> [AccountDifference] {
        var providers = profile.providers
        if password != nil { providers.insert("password") }
        let same: [(AccountDifference, Bool)] = [
            (.email, email == present.email),
            (.emailVerified, !profile.emailVerified || present.profile.emailVerified),
            (.displayName, profile.displayName == present.profile.displayName),
            (.photoURL, profile.photoURL == present.profile.photoURL),
            (.locale, profile.locale == present.profile.locale),
            (.acceptedTerms, profile.acceptedTerms.isSame(as: present.profile.acceptedTerms)),
            (.phoneNumber, profile.phoneNumber == present.profile.phoneNumber),
            (.isDisabled, isDisabled == present.isDisabled),
            (.customClaims, profile.customClaims == present.profile.customClaims),
            (.attributes, profile.attributes == present.profile.attributes),
            (.providers, providers.isSubset(of: present.profile.providers)),
            (.createdAt, createdAt == nil || createdAt?.milliseconds == present.createdAt?.milliseconds),
            (.password, isPasswordSame(as: present, needsRehash: needsRehash)),
            (
                .secondFactors,
                secondFactors.count == present.secondFactors.count
                    && zip(secondFactors, present.secondFactors).allSatisfy { $0.isSame(as: $1) }
                    && Set(otherFactors.map(\.id)) == Set(present.otherFactors.map(\.id))
            ),
            (.groups, groups == nil || groups == present.groups ?? []),
            (.role, role == nil || role == present.role),
        ]
        return same.filter { !$0.1 }.map(\.0)
    }

    /// A password that was set at the same instant is the same, also where a sign-in has replaced an imported hash by a
    /// new one; that cannot be seen from the hashes.
    private func isPasswordSame(as present: PortableAccount, needsRehash: (String) -> Bool) -> Bool {
        guard let password else { return present.password == nil }
        guard case .hash(let kept)? = present.password,
            (passwordChangedAt ?? createdAt ?? present.createdAt)?.milliseconds
                == present.passwordChangedAt?.milliseconds
        else { return false }
        switch password {
        case .text: return true
        case .hash(let moving):
            return moving.text == kept.text || needsRehash(moving.text.reveal()) && !needsRehash(kept.text.reveal())
        }
    }
}

extension [AcceptedTerms] {
    fileprivate func isSame(as present: Self) -> Bool {
        map(\.version) == present.map(\.version) && map(\.at.milliseconds) == present.map(\.at.milliseconds)
    }
}

extension PortableTOTP {
    fileprivate func isSame(as present: PortableTOTP) -> Bool {
        (id == nil || id == present.id) && name == present.name && payload.secret == present.payload.secret
            && algorithm == present.algorithm && digits == present.digits && period == present.period
    }
}
