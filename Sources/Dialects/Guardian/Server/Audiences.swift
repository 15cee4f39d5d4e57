import CountersignCore

/// What access tokens are issued for.
extension Guardian {
    /// What an access token for the MFA API is issued to.
    var mfaAudiences: Set<String> { Set(options.baseURLs().map { "\($0)/mfa/" }) }

    /// What an access token that no audience was asked for is issued to: ``userInfo(_:_:)``.
    var userInfoAudiences: Set<String> { Set(options.baseURLs().map { "\($0)/userinfo" }) }

    private var managementAudiences: Set<String> { Set(options.baseURLs().map { "\($0)/api/v2/" }) }

    /// Refuses an audience that is neither one of this server's own APIs nor registered for the application.
    func admit(_ audience: String, for application: CountersignCore.Application) throws(OAuthError) {
        guard application.registration.allowsAudience(audience) else {
            for own in [mfaAudiences, userInfoAudiences, managementAudiences] where own.contains(audience) { return }
            throw .unknownService(audience)
        }
    }

    /// The same for what was, or is to be, granted.
    func admit(_ terms: GrantTerms, for application: CountersignCore.Application) throws(OAuthError) {
        for audience in terms.audiences { try admit(audience, for: application) }
    }
}
