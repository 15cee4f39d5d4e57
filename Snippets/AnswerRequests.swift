// Makes this machine a device that answers login requests, without APNs. A server has to run on it: make dev
// The ticket of an invitation is what POST /api/v2/guardian/enrollments/ticket answers (docs/guardian.md).

import Foundation
import Guardian

let domain = "http://127.0.0.1:8080"

func ask(_ question: String) -> String {
    print(question, terminator: " ")
    return readLine() ?? ""
}

// In memory, for the length of this program. KeychainRSAPrivateKey.new(with:) keeps one.
let key = try DataRSAPrivateKey.new()
let device = try await Guardian.enroll(
    forDomain: domain, usingTicket: ask("The ticket:"), notificationToken: "", signingKey: key,
    verificationKey: key.verificationKey()
).start()
print("Enrolled as \(device.id). For the day without this machine: \(device.recoveryCode ?? "no code")")

let authentication = Guardian.authentication(forDomain: domain, device: device)
for try await notification in Guardian.api(forDomain: domain).device(of: device).notifications() {
    let browser = notification.source?.browser?.name ?? "an unknown program"
    switch ask("A login with \(browser). Allow, reject, or not me?").lowercased() {
    case "allow":
        // A request may ask for the number on the screen.
        if notification.numberLength != nil {
            try await authentication.allow(notification: notification, number: ask("The number:")).start()
        } else {
            try await authentication.allow(notification: notification).start()
        }
    case "not me":
        try await authentication.reject(notification: notification, withReason: RejectReason.notMe).start()
    default:
        try await authentication.reject(notification: notification).start()
    }
}
