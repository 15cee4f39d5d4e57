// An app that shows a balance behind a PIN. A server has to run: swift run pincode-server
//
//     swift run pincode-client [SERVER-URL] [APPLICATION-ID]

import IBMMobileFoundationSwift

let arguments = CommandLine.arguments.dropFirst().map { $0 }
guard let server = URL(string: arguments.first ?? "http://127.0.0.1:8080") else {
    print("\(arguments[0]) is not a URL.")
    exit(2)
}
let client = WLClientSwift.sharedInstance()
client.setServerUrl(url: server)
client.setApplication(id: arguments.count > 1 ? arguments[1] : "com.example.pincode", version: "1.0.0")
client.registerChallengeHandler(challengeHandler: PINPrompt(securityCheck: "PinCodeAttempts"))

guard
    let request = WLResourceRequest(
        url: URL(string: "/adapters/ResourceAdapter/balance"), method: WLHttpMethodGet)
else { exit(2) }
do {
    let response = try await request.send()
    print("Balance: \(response.responseText ?? "")")
} catch let error as WLError {
    print("No balance: \(error.message)")
    exit(1)
}
