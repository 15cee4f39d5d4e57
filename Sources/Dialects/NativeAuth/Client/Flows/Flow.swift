import Foundation
import NativeAuthWire

/// What is the same in all steps of a flow.
struct Flow: Sendable {
    let client: NativeAuthClient
    let correlationID: UUID
    let username: String
    var scopes: [String] = []
    var claims: String?

    /// The scopes that tokens are asked for with, these last. Source: MSAL for iOS.
    static let defaultScopes = ["openid", "profile", "offline_access"]

    func asking(for scopes: [String]?, _ claims: MSALClaimsRequest?) -> Flow {
        var flow = self
        flow.scopes = scopes ?? []
        flow.claims = claims?.jsonString()
        return flow
    }

    func post<Answer: Decodable & Sendable>(
        _ request: some FormRequest, to endpoint: Endpoint, as type: Answer.Type = Answer.self
    ) async throws(Setback) -> Answer {
        try await client.post(request, to: endpoint, correlationID)
    }

    /// Begins a flow, and answers its token.
    func begin(_ request: some FormRequest, at endpoint: Endpoint) async throws(Setback) -> String {
        let answer = try await post(request, to: endpoint, as: ContinuationResponse.self)
        return try token(answer.continuationToken)
    }

    func token(_ token: String?) throws(Setback) -> String {
        guard let token, !token.isEmpty else { throw .unexpected(status: 200, correlationID) }
        return token
    }

    func failure(_ kind: ErrorKind, text: String? = nil, cause: MSALNativeAuthErrorCause? = nil) -> Failure {
        Failure(kind, text: text, correlationID, cause: cause)
    }
}

/// What a challenge endpoint answers.
enum Challenge: Sendable {
    case password(token: String)
    case code(CodeSent)
}

/// A code that is on its way.
struct CodeSent: Sendable {
    let token: String
    let sentTo: String
    let channel: MSALNativeAuthChannelType
    let length: Int
}

extension Flow {
    func challenge(_ request: ChallengeRequest, at endpoint: Endpoint) async throws(Setback) -> Challenge {
        let answer = try await post(request, to: endpoint, as: ChallengeResponse.self)
        switch answer.challengeType {
        case .password?: return .password(token: try token(answer.continuationToken))
        case .oob?: return .code(try codeSent(answer, to: answer.challengeTargetLabel))
        default: throw .unexpected(ErrorText.unexpectedChallenge, status: 200, correlationID)
        }
    }

    func codeSent(_ answer: ChallengeResponse, to target: String?) throws(Setback) -> CodeSent {
        let token = try token(answer.continuationToken)
        guard let target, let channel = answer.challengeChannel, let length = answer.codeLength else {
            throw .unexpected(status: 200, correlationID)
        }
        return CodeSent(token: token, sentTo: target, channel: MSALNativeAuthChannelType(channel), length: length)
    }

    var unexpectedChallenge: Failure {
        failure(.general, text: ErrorText.unexpectedChallenge, cause: .unexpectedAnswer(status: 200))
    }
}
