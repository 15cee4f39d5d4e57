import MSAL
import NativeAuthWire
import Testing

/// The code of the page on signing in, run. Source: Microsoft Learn, Sign in users in a sample iOS app by native
/// authentication.
@MainActor
@Suite struct ReferencePageTests {
    private let app: TestApp
    private let viewController: ViewController

    init() throws {
        app = try TestApp()
        viewController = ViewController(app.nativeAuth)
        app.server.on(.initiate, .token("t1"))
        app.server.on(.challenge, .code("t2"))
        app.server.on(.token, .tokens("first"))
    }

    @Test func `The page's view controller signs in by code, after a wrong one, and out`() async throws {
        app.server.on(.token, .refusal("invalid_grant", "invalid_oob_value"), .tokens("first"))
        viewController.emailTextField.text = "ada@example.com"
        viewController.signInPressed(self)
        #expect(await viewController.resultTextView.next() == "Verification code sent to a***@b.c")
        #expect(await viewController.resultTextView.next() == "Signed in successfully.")
        #expect(await viewController.resultTextView.next() == "Signed in. Access Token: at-first")
        #expect(viewController.preferredUsername == " Ada@Example.com ")
        #expect(app.server.requests(to: .token).map { $0.form["oob"] } == ["11111111", "22222222"])

        // As if the app began again.
        let later = ViewController(app.nativeAuth)
        #expect(later.accountResult?.account.username == "ada@example.com")
        later.signOutPressed(self)
        #expect(await later.resultTextView.next() == "Signed out")
        #expect(app.nativeAuth.getNativeAuthUserAccount() == nil)
    }

    @Test func `The page's errors are told`() async throws {
        viewController.signInPressed(self)
        #expect(await viewController.resultTextView.next() == "email not set")
        viewController.emailTextField.text = ""
        viewController.signInPressed(self)
        #expect(await viewController.resultTextView.next() == "Invalid username")
        viewController.emailTextField.text = "nobody@example.com"
        app.server.on(.initiate, .refusal("user_not_found"))
        viewController.signInPressed(self)
        #expect(await viewController.resultTextView.next() == "Invalid username")
        app.server.on(.initiate, .redirect)
        viewController.signInPressed(self)
        #expect(await viewController.resultTextView.next() == "Error signing in: REASON")
    }

    @Test func `The page's view controller signs in by password`() async throws {
        app.server.on(.challenge, .password("t2"))
        let controller = PasswordViewController()
        let parameters = MSALNativeAuthSignInParameters(username: "ada@example.com")
        parameters.password = "password"
        app.nativeAuth.signIn(parameters: parameters, delegate: controller)
        #expect(await controller.resultTextView.next() == "User successfully signed in")
    }
}
