// A server whose balance is behind a PIN.
//
//     swift run pincode-server [PORT] [DATA-DIRECTORY]

import CountersignCore
import CountersignServer
import Foundation
import Hummingbird
import Logging
import ScopeProtection
import SecurityChecks
import SecurityChecksServer

let arguments = CommandLine.arguments.dropFirst().map { $0 }
let port = arguments.first.flatMap { Int($0) } ?? 8080
let opened = try await OpenedRealm.open(
    DataDirectory(path: arguments.count > 1 ? arguments[1] : "pincode-data"), isDevelopment: false)

// What the app may ask for, and which checks guard it.
let app = ClientID(rawValue: "com.example.pincode")
if try await opened.realm.applications.application(app) == nil {
    _ = try await opened.realm.applications.add(
        id: app,
        ApplicationRegistration(
            displayName: "PIN code",
            versions: [ApplicationVersion(scopeElementMapping: ["accessRestricted": "PinCodeAttempts"])]),
        by: .commandLine)
}

var options = CountersignServer.Options(port: port, isDevelopment: false)
options.securityChecks = try SecurityCheckCatalogue([
    SecurityCheckDefinition("PinCodeAttempts", PINCheck(pin: Secret("1234")))
])
options.resources = { router, checks in
    router.group("mfp/api/adapters")
        .requires(.securityChecks("accessRestricted"), validator: checks.validator)
        .get("ResourceAdapter/balance") { _, _ in "19938.80" }
}

var logger = Logger(label: "pincode")
logger.logLevel = .warning
try await CountersignServer(opened, options: options, logger: logger).run { address in
    print("listening on \(address)")
    fflush(nil)
}
try await opened.close()
