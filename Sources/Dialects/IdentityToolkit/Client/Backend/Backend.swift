import ClientHTTP
import Foundation
import IdentityToolkitWire
import JSON

/// The server as one ``Auth`` sees it at one moment: one function per endpoint.
///
/// Each throws ``AuthErrorCode``, or `CancellationError`. Source: REST reference of Identity Platform, v1 and v2
/// `accounts`.
struct Backend: Sendable {
    let location: ServerLocation
    let transport: any HTTPTransport
    let apiKey: String
    let headers: [String: String]

    private enum Service: String {
        case accounts = "identitytoolkit.googleapis.com"
        case tokens = "securetoken.googleapis.com"
    }

    func signUp(_ request: SignUpRequest) async throws -> SignUpResponse {
        try await post(request, to: "v1/accounts:signUp")
    }

    func signIn(_ request: SignInWithPasswordRequest) async throws -> SignInWithPasswordResponse {
        try await post(request, to: "v1/accounts:signInWithPassword")
    }

    func signIn(_ request: SignInWithEmailLinkRequest) async throws -> SignInWithEmailLinkResponse {
        try await post(request, to: "v1/accounts:signInWithEmailLink")
    }

    func signIn(_ request: SignInWithCustomTokenRequest) async throws -> SignInWithCustomTokenResponse {
        try await post(request, to: "v1/accounts:signInWithCustomToken")
    }

    func lookup(_ request: LookupRequest) async throws -> LookupResponse {
        try await post(request, to: "v1/accounts:lookup")
    }

    func update(_ request: UpdateAccountRequest) async throws -> UpdateAccountResponse {
        try await post(request, to: "v1/accounts:update")
    }

    func delete(_ request: DeleteAccountRequest) async throws -> DeleteAccountResponse {
        try await post(request, to: "v1/accounts:delete")
    }

    func sendOobCode(_ request: SendOobCodeRequest) async throws -> SendOobCodeResponse {
        try await post(request, to: "v1/accounts:sendOobCode")
    }

    func resetPassword(_ request: ResetPasswordRequest) async throws -> ResetPasswordResponse {
        try await post(request, to: "v1/accounts:resetPassword")
    }

    func startEnrollment(_ request: StartMFAEnrollmentRequest) async throws -> StartMFAEnrollmentResponse {
        try await post(request, to: "v2/accounts/mfaEnrollment:start")
    }

    func finalizeEnrollment(_ request: FinalizeMFAEnrollmentRequest) async throws -> FinalizeMFAEnrollmentResponse {
        try await post(request, to: "v2/accounts/mfaEnrollment:finalize")
    }

    func withdraw(_ request: WithdrawMFARequest) async throws -> WithdrawMFAResponse {
        try await post(request, to: "v2/accounts/mfaEnrollment:withdraw")
    }

    func finalizeSignIn(_ request: FinalizeMFASignInRequest) async throws -> FinalizeMFASignInResponse {
        try await post(request, to: "v2/accounts/mfaSignIn:finalize")
    }

    func startPasskeyEnrollment(
        _ request: StartPasskeyEnrollmentRequest
    ) async throws -> StartPasskeyEnrollmentResponse {
        try await post(request, to: "v2/accounts/passkeyEnrollment:start")
    }

    func finalizePasskeyEnrollment(
        _ request: FinalizePasskeyEnrollmentRequest
    ) async throws -> PasskeySessionResponse {
        try await post(request, to: "v2/accounts/passkeyEnrollment:finalize")
    }

    func startPasskeySignIn(_ request: StartPasskeySignInRequest) async throws -> StartPasskeySignInResponse {
        try await post(request, to: "v2/accounts/passkeySignIn:start")
    }

    func finalizePasskeySignIn(_ request: FinalizePasskeySignInRequest) async throws -> PasskeySessionResponse {
        try await post(request, to: "v2/accounts/passkeySignIn:finalize")
    }

    func token(_ request: TokenRequest) async throws -> TokenResponse {
        try await post(request, to: "v1/token", of: .tokens)
    }

    private func post<Answer: Decodable>(
        _ request: some Encodable, to path: String, of service: Service = .accounts
    ) async throws -> Answer {
        let (url, rule) = try url(path, of: service)
        let client = HTTPClient(transport: transport, plainHTTP: rule)
        let response: HTTPClientResponse
        do {
            response = try await client.post(json: request, to: url, headers: headers)
        } catch let error as HTTPClientError {
            throw AuthErrorCode(error)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw AuthErrorCode(.unreachable(error))
        }
        guard (200..<300).contains(response.status) else { throw AuthErrorCode(refusal: response) }
        do {
            return try JSONDecoder().decode(Answer.self, from: response.body)
        } catch {
            throw AuthErrorCode.malformed(error)
        }
    }

    /// The original's host stands as the first segment of the path. Source: REST reference of Identity Platform, v1 and
    /// v2 `accounts`.
    private func url(_ path: String, of service: Service) throws -> (URL, HTTPClient.PlainHTTPRule) {
        switch location {
        case .unknown: throw AuthErrorCode(.serverNotConfigured)
        case .unusable(let reason): throw AuthErrorCode.refused(.serverNotConfigured, because: reason)
        case .at(let base, let rule):
            let query = apiKey.isEmpty ? "" : "?key=" + apiKey.percentEncoded
            guard let url = URL(string: "\(base)/\(service.rawValue)/\(path)\(query)") else {
                throw AuthErrorCode.refused(.serverNotConfigured, because: "The server's URL is not valid.")
            }
            return (url, rule)
        }
    }
}
