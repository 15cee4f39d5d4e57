import FirebaseAuth
import Foundation
import Testing

/// Source: Firebase API reference for Swift, `AuthTokenResult`.
@Suite struct IDTokenTests {
    private let server = ScriptedServer()
    private let auth: Auth

    init() {
        auth = makeAuth(server)
        server.acceptSignIn()
    }

    private func result(_ idToken: String) async throws -> AuthTokenResult {
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        server.on("v1/token", #"{"access_token":"\#(idToken)","expires_in":"3600","refresh_token":"r"}"#)
        return try await user.getIDTokenResult(forcingRefresh: true)
    }

    @Test func `A token says when, how and with which second factor the user signed in`() async throws {
        let claims =
            #"{"iss":"https://securetoken.google.com/P","aud":"P","auth_time":1790000001,"iat":1790000002,"#
            + #""exp":1790003602,"sub":"u1","email_verified":true,"name":"Ä/?>","firebase":{"identities":{"email":["#
            + #""a@b.c"]},"sign_in_provider":"password","sign_in_second_factor":"totp","#
            + #""second_factor_identifier":"f"}}"#
        let result = try await result(token(claims))
        #expect(result.authDate == Date(timeIntervalSince1970: 1_790_000_001))
        #expect(result.issuedAtDate == Date(timeIntervalSince1970: 1_790_000_002))
        #expect(result.expirationDate == Date(timeIntervalSince1970: 1_790_003_602))
        #expect(result.signInProvider == "password")
        #expect(result.signInSecondFactor == "totp")
        #expect(result.claims["name"] as? String == "Ä/?>")
        #expect(result.claims["exp"] as? Int == 1_790_003_602)
        #expect(result.claims["email_verified"] as? Bool == true)
        let firebase = result.claims["firebase"] as? [String: Any]
        #expect(firebase?["second_factor_identifier"] as? String == "f")
    }

    @Test func `A token without a second factor has an empty one`() async throws {
        let claims = #"{"auth_time":1,"iat":2,"exp":3,"firebase":{"sign_in_provider":"anonymous"}}"#
        #expect(try await result(token(claims)).signInSecondFactor == "")
    }

    @Test(arguments: [
        "x", "a.b", "a.b.c", "..", "a.!.c", token("[]"), token("{}"),
        token(#"{"auth_time":1,"iat":2,"exp":3}"#),
        token(#"{"auth_time":1,"iat":2,"firebase":{"sign_in_provider":"password"}}"#),
        token(#"{"auth_time":"1","iat":2,"exp":3,"firebase":{"sign_in_provider":"password"}}"#),
        token(#"{"auth_time":1.5,"iat":2,"exp":3,"firebase":{"sign_in_provider":"password"}}"#),
        token(#"{"auth_time":1,"iat":2,"exp":3,"firebase":"password"}"#),
    ])
    func `What is no ID token is refused as malformed`(text: String) async throws {
        do {
            _ = try await result(text)
            Issue.record("must throw")
        } catch let error as AuthErrorCode {
            #expect(error == .malformedJWT)
            #expect(error.rawValue == 18000)
        }
    }
}
