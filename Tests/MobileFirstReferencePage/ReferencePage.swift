// swift-format-ignore-file
// The code of the page on challenge handlers, as an app of the vendor's has it: one import, the compiler's own settings.
// What the page leaves to its sample (`showPopup`, `showError`, the text field) stands at the end. Source:
// reference/mobilefirst-challenge-handlers.ja.txt.
import IBMMobileFoundationSwift

open class PinCodeChallengeHandler : SecurityCheckChallengeHandlerSwift {

    override open func handleChallenge(challengeResponse: [AnyHashable: Any]!) {
        var errorMsg : String
        if challengeResponse!["errorMsg"] is NSNull {
            errorMsg = "This data requires a PIN code."
        }
        else{
            errorMsg = challengeResponse!["errorMsg"] as! String
        }
        let remainingAttempts = challengeResponse!["remainingAttempts"] as! Int + 2;

        showPopup(errorMsg,remainingAttempts: remainingAttempts);
    }

    override open func handleFailure(failureResponse: [AnyHashable: Any]!) {
        if let errorMsg = failureResponse["failure"] as? String {
            showError(errorMsg)
        }
        else{
            showError("Unknown error")
        }
    }

    override open func handleSuccess(successResponse: [AnyHashable: Any]!) {
        screen.log("success")
    }

    // The sample's part, without UIKit.

    public var screen = Screen(pins: [])

    func showPopup(_ errorMsg: String, remainingAttempts: Int) {
        screen.log("\(errorMsg) (\(remainingAttempts))")
        let pinTextField = screen.nextPIN()
        if let text = pinTextField {
            self.submitChallengeAnswer(["pin": text])
        } else {
            self.cancel()
        }
    }

    func showError(_ errorMsg: String) {
        screen.log("error: \(errorMsg)")
    }
}

/// What a user of the app sees and types.
public final class Screen: @unchecked Sendable {
    // Proof: everything is read and written with the lock held.
    private let lock = NSLock()
    private var pins: [String]
    private var lines: [String] = []

    /// - Parameter pins: what is typed, one after another; when there are no more, the popup is cancelled.
    public init(pins: [String]) { self.pins = pins }

    func log(_ line: String) {
        lock.lock()
        defer { lock.unlock() }
        lines.append(line)
    }

    func nextPIN() -> String? {
        lock.lock()
        defer { lock.unlock() }
        return pins.isEmpty ? nil : pins.removeFirst()
    }

    public var shown: [String] {
        lock.lock()
        defer { lock.unlock() }
        return lines
    }
}

/// The page's registration, in its two forms.
public func register(_ securityCheck: String, screen: Screen) {
    let someChallengeHandler = PinCodeChallengeHandler(securityCheck: securityCheck);
    someChallengeHandler.screen = screen
    WLClientSwift.sharedInstance().registerChallengeHandler(challengeHandler: someChallengeHandler);
    if screen.shown.isEmpty { return }
    WLClientSwift.sharedInstance().registerChallengeHandler(challengeHandler: PinCodeChallengeHandler(securityCheck: securityCheck));
}

/// The sample's request for the balance: the vendor's first layer, as the samples have it.
public func getBalance(_ completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
    let request = WLResourceRequest(url: URL(string: "/adapters/ResourceAdapter/balance"), method: WLHttpMethodGet)
    request?.send { (response, error) -> Void in
        if error == nil {
            completion(response?.responseText, nil)
        } else {
            completion(nil, error)
        }
    }
}

/// What else the samples call, in both layers: compiled, and run where a test wants it.
public func samples(url: URL, amount: String, username: String, password: String) {
    WLAuthorizationManager.sharedInstance().obtainAccessToken(forScope: "UserLogin") { (token, error) -> Void in
        print(token?.asAuthorizationRequestHeaderField ?? "", error ?? "")
    }
    WLAuthorizationManager.sharedInstance().login("UserLogin", withCredentials: ["username": username, "password": password]) { (error) -> Void in
        print(error ?? "")
    }
    WLAuthorizationManager.sharedInstance().logout("UserLogin") { (error) -> Void in
        print(error ?? "")
    }
    let request = WLResourceRequest(url: URL(string: "/adapters/ResourceAdapter/transfer"), method: WLHttpMethodPost)
    request?.send(withFormParameters: ["amount": amount]) { (response, error) in
        print(response?.status ?? 0, error ?? "")
    }
    WLAuthorizationManagerSwift.sharedInstance().obtainAccessToken(forScope: nil) { token, error in
        if let token { WLAuthorizationManagerSwift.sharedInstance().clearAccessToken(accessToken: token) }
    }
    WLAuthorizationManagerSwift.sharedInstance().login(securityCheck: "UserLogin", credentials: ["username": username]) { _ in }
    WLAuthorizationManagerSwift.sharedInstance().logout(securityCheck: "UserLogin") { _ in }
    WLResourceRequestSwift(url: url, method: WLResourceRequestSwift.WLHttpMethodGet, scope: "a").send { (response, error) in
        print(response?.responseText ?? "", response?.status ?? 0, error ?? "")
    }
    WLResourceRequestSwift(url: url, method: "POST", timeout: 5).send(withJSON: ["a": 1], delegate: Delegate())
    WLClient.sharedInstance().registerChallengeHandler(PinCodeChallengeHandler(securityCheck: "PinCodeAttempts"))
    WLClient.sharedInstance().setServerUrl(url)
}

final class Delegate: WLDelegateSwift, WLDelegate {
    func onSuccess(response: WLResponseSwift) {}
    func onFailure(response: WLFailResponseSwift) {}
    func onSuccess(_ response: WLResponse!) {}
    func onFailure(_ response: WLFailResponse!) {}
}
