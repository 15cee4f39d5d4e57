import Foundation
import IBMMobileFoundationSwift

// What docs/security-checks-client.md shows, so that the build compiles it; `scripts/check-docs` compares.

func showsHandler() {
    final class PINHandler: SecurityCheckChallengeHandlerSwift {
        override func handleChallenge(challengeResponse: [AnyHashable: Any]!) {
            let left = challengeResponse["remainingAttempts"] as? Int ?? 0
            print("PIN? (\(left) attempts)")
            if let pin = readLine() { submitChallengeAnswer(["pin": pin]) } else { cancel() }
        }

        override func handleFailure(failureResponse: [AnyHashable: Any]!) {
            print(failureResponse["failure"] ?? "refused")
        }
    }

    WLClientSwift.sharedInstance().registerChallengeHandler(
        challengeHandler: PINHandler(securityCheck: "PinCodeAttempts"))
}

func showsRequests() {
    let request = WLResourceRequest(url: URL(string: "/adapters/ResourceAdapter/balance"), method: WLHttpMethodGet)
    request?.send { response, error in print(response?.responseText ?? "", error ?? "") }
}
