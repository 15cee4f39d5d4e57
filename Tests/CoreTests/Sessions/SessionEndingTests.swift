import Foundation
import Testing

@testable import CountersignCore

@Suite("Which sessions end with a change")
struct SessionEndingTests {
    private static let beginning = Date(timeIntervalSince1970: 1_000_000)

    private static func user(
        epoch: Int = 1, isDisabled: Bool = false, refusedBefore: Date = Date(timeIntervalSince1970: 0),
        deletionDueAt: Date? = nil
    ) -> User {
        User(
            id: UserID(rawValue: "ada"), revision: 0, email: nil, isDisabled: isDisabled, profile: UserProfile(),
            createdAt: beginning, lastSignInAt: nil, lastRefreshAt: nil, passwordChangedAt: nil,
            tokensValidAfter: beginning, tokenEpoch: epoch, tokensRefusedBefore: refusedBefore,
            deletionDueAt: deletionDueAt)
    }

    private static func session(revokedAt: Date? = nil, browser: UInt8? = nil) -> Session {
        Session(
            id: SessionID(rawValue: "one"), userID: UserID(rawValue: "ada"), dialect: .oauth, tokenEpoch: 1,
            createdAt: beginning, expiresAt: beginning + 100, revokedAt: revokedAt, proofs: [],
            browserDigest: browser.map { Data([$0]) })
    }

    /// Changes of a user, and whether the session ends with each.
    private static let changesOfUsers: [(name: String, before: User, after: User?, ends: Bool)] = [
        ("nothing", user(), user(), false),
        ("a new epoch", user(), user(epoch: 2), true),
        ("disabled", user(), user(isDisabled: true), true),
        ("to be deleted", user(), user(deletionDueAt: beginning + 1000), true),
        ("deleted", user(), nil, true),
        ("refused with the second in which it began", user(), user(refusedBefore: beginning + 1), true),
        ("refused up to the second in which it began", user(), user(refusedBefore: beginning), false),
        ("a new epoch of a disabled user", user(isDisabled: true), user(epoch: 2, isDisabled: true), true),
        ("enabled", user(isDisabled: true), user(), false),
        ("deleted, and of an epoch before", user(epoch: 2), nil, false),
        ("deleted, and refused before", user(refusedBefore: beginning + 1), nil, false),
    ]

    @Test
    func `A session ends with what makes its user's tokens worthless, if it has not ended before`() {
        for change in Self.changesOfUsers {
            #expect(Self.session().ends(from: change.before, to: change.after) == change.ends, "\(change.name)")
            // Otherwise the sessions are not looked at.
            let endsSome = change.after?.endsSessions(of: change.before) ?? true
            #expect(endsSome || !change.ends, "\(change.name)")
        }
    }

    /// Changes of a session, and whether each is its end.
    private static let changesOfSessions: [(name: String, before: Session, after: Session, ends: Bool)] = [
        ("nothing", session(), session(), false),
        ("revoked", session(), session(revokedAt: beginning), true),
        ("revoked again", session(revokedAt: beginning), session(revokedAt: beginning + 1), false),
        ("let go of", session(browser: 1), session(), true),
        ("another key", session(browser: 1), session(browser: 2), false),
        ("let go of when it was over", session(revokedAt: beginning, browser: 1), session(revokedAt: beginning), false),
    ]

    @Test
    func `A session ends once, when it is revoked or its browser lets go of it`() {
        for change in Self.changesOfSessions {
            #expect(change.before.ends(with: change.after) == change.ends, "\(change.name)")
        }
    }
}
