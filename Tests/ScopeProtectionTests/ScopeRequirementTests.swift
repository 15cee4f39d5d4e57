import Foundation
import HTTPTypes
import JSON
import Testing

@testable import ScopeProtection

/// The answers of RFC 6750, RFC 9470 and MobileFirst's resources, by table.
@Suite("What a resource asks of tokens")
struct ScopeRequirementTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    private func token(
        _ scope: String, age: TimeInterval? = 10, context: String? = nil, expiresIn seconds: TimeInterval = 60
    ) -> ValidToken {
        ValidToken(
            subject: "ada", scope: Set(scope.split(separator: " ").map(String.init)), expiresAt: now + seconds,
            authenticatedAt: age.map { now - $0 }, authenticationContext: context)
    }

    @Test
    func `All elements have to be there, in whatever order`() {
        let requirement = ScopeRequirement("b a")
        #expect(requirement.shortfall(of: token("a b c"), at: now) == nil)
        #expect(requirement.shortfall(of: token("a"), at: now) == .insufficientScope)
        #expect(requirement.shortfall(of: token("ab"), at: now) == .insufficientScope)
        #expect(ScopeRequirement("").shortfall(of: token(""), at: now) == nil)
        #expect(requirement.shortfall(of: token("a b", expiresIn: 0), at: now) == .invalidToken)
        let registered = ScopeRequirement.securityChecks("accessRestricted")
        #expect(registered.shortfall(of: token("accessRestricted"), at: now) == .insufficientScope)
        #expect(registered.shortfall(of: token("accessRestricted RegisteredClient"), at: now) == nil)
    }

    @Test
    func `An authentication that is too old, unknown or too weak is asked for again`() {
        let fresh = ScopeRequirement("a", maxAge: 300)
        #expect(fresh.shortfall(of: token("a", age: 300), at: now) == nil)
        #expect(fresh.shortfall(of: token("a", age: 301), at: now) == .insufficientAuthentication)
        #expect(fresh.shortfall(of: token("a", age: nil), at: now) == .insufficientAuthentication)
        let strong = ScopeRequirement("a", authenticationContexts: ["gold", "silver"])
        #expect(strong.shortfall(of: token("a", context: "silver"), at: now) == nil)
        #expect(strong.shortfall(of: token("a", context: "bronze"), at: now) == .insufficientAuthentication)
        #expect(strong.shortfall(of: token("a"), at: now) == .insufficientAuthentication)
    }

    @Test
    func `What is answered is what the specifications say`() {
        let requirement = ScopeRequirement("b \"a\\", maxAge: 300, authenticationContexts: ["gold", "silver"])
        func text(_ shortfall: ScopeRequirement.Shortfall) -> String {
            let (status, challenge) = requirement.answer(to: shortfall)
            return "\(status.code) \(challenge)"
        }
        #expect(text(.noToken) == "401 Bearer")
        #expect(text(.malformedRequest) == #"400 Bearer error="invalid_request""#)
        #expect(text(.invalidToken) == #"401 Bearer error="invalid_token""#)
        #expect(text(.insufficientScope) == #"403 Bearer error="insufficient_scope", scope="a b""#)
        #expect(
            text(.insufficientAuthentication)
                == #"401 Bearer error="insufficient_user_authentication", "#
                + #"error_description="Another authentication is needed", acr_values="gold silver", max_age="300""#)
    }

    @Test(
        arguments: [
            (["Bearer abc"], .token(.bearer, "abc")), (["bEARER  abc"], .token(.bearer, "abc")),
            (["DPoP abc"], .token(.dpop, "abc")), (["dpop a.b-c_d~e+f/g=="], .token(.dpop, "a.b-c_d~e+f/g==")),
            ([], .none), (["Basic abc"], .none), (["Bearers abc"], .none), (["Beare abc"], .none), ([""], .none),
            ([" Bearer abc"], .none), (["Bearer"], .malformed), (["Bearer  "], .malformed),
            (["Bearer a b"], .malformed), (["Bearer a,b"], .malformed), (["Bearer a\tb"], .malformed),
            (["Bearer \u{301}abc"], .malformed), (["Bearer ä"], .malformed),
            (["Bearer abc", "Bearer abc"], .malformed),
        ] as [([String], PresentedToken)])
    func `A token is what comes after its scheme, in ASCII and without blanks and commas`(
        values: [String], expected: PresentedToken
    ) {
        #expect(PresentedToken(values, schemes: [.bearer, .dpop]) == expected)
    }

    @Test
    func `A scheme that is not taken brings no token`() {
        #expect(PresentedToken(["DPoP abc"], schemes: [.bearer]) == PresentedToken.none)
        let longest = String(repeating: "a", count: CompactJWS.longestUntrusted)
        #expect(PresentedToken(["Bearer \(longest)"], schemes: [.bearer]) == .token(.bearer, longest))
        #expect(PresentedToken(["Bearer \(longest)a"], schemes: [.bearer]) == .malformed)
    }
}
