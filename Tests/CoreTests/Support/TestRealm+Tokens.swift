import Foundation
import Testing

@testable import CountersignCore

extension TestRealm {
    /// A token of a program that the user made now, and answers for.
    func machineToken(of user: User) async throws -> MachineToken {
        var maker = client
        maker.administrator = "user:\(user.id)"
        return try await realm.machineTokens.add(name: "backup", scopes: [.all], lifetime: 86_400, by: maker)
            .get().token
    }

    /// How this realm judges a token that a server on its store issues for the user.
    /// - Parameters:
    ///   - epoch: what the token says of the user's epoch; nil leaves the claim out.
    ///   - issuedAt: `iat`.
    ///   - session: `sid`, which has to go on with a grant of the owner's.
    func judgement(
        ofTokenFor user: UserID, epoch: Int? = nil, issuedAt: Int64? = nil, session: (SessionID, HandleOwner)? = nil
    ) async throws -> TokenJudgement {
        try await realm.keyring.prepare()
        var claims: [String: JSONValue] = [
            "iss": "https://issuer.example/", "aud": "https://api.example", "sub": .string(user.rawValue),
            "iat": .integer(issuedAt ?? now.seconds), "exp": .integer(now.seconds + 3600),
        ]
        claims[CustomClaims.epochClaim] = epoch.map { .integer(Int64($0)) }
        claims["sid"] = session.map { .string($0.0.rawValue) }
        let token = try await realm.keyring.sign(TokenClaims(claims), with: .es256, typ: "at+jwt")
        var expectation = TokenExpectation(
            types: [.accessToken], issuers: .oneOf(["https://issuer.example/"]),
            audiences: .oneOf(["https://api.example"]),
            subject: .user { $0.string("sub").map(UserID.init(rawValue:)) })
        if let owner = session?.1 { expectation.session = { _ in owner } }
        return try await realm.tokens.verify(token, expecting: expectation)
    }

    /// Why the token is refused; nil where it counts.
    func refusal(ofTokenFor user: UserID, epoch: Int?, issuedAt: Int64) async throws -> TokenRefusal? {
        switch try await judgement(ofTokenFor: user, epoch: epoch, issuedAt: issuedAt) {
        case .good: nil
        case .refused(let refusal): refusal
        }
    }

    /// The session that a token of it names, where the session goes on with a grant of the owner's.
    func living(_ session: SessionID, of owner: HandleOwner, for user: UserID) async throws -> GrantedSession? {
        try await judgement(ofTokenFor: user, session: (session, owner)).token?.session
    }
}
