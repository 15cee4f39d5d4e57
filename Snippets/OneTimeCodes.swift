// Makes and checks one-time codes, without any server.

import Foundation
import OneTimePassword

// What an authenticator reads out of a QR code.
let uri = try OTPAuthURI(
    parsing: "otpauth://totp/Example:ada@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Example")
guard case .totp(let period) = uri.kind else { fatalError("This URI is for a token with a button.") }
let totp = try TOTP(secret: uri.secret, algorithm: uri.algorithm, digits: uri.digits, period: period)

// The side that shows codes.
let now = Date()
let code = totp.code(at: now).stringCode
print("\(uri.accountName) at \(uri.issuer ?? "?"): \(code), for \(totp.secondsRemaining(at: now)) s")

// The side that checks them keeps the step of the last code that counted, and accepts only later ones.
var lastStep: UInt64?
for attempt in 1...2 {
    if let step = totp.matchedStep(for: code, at: now, window: 1, after: lastStep) {
        lastStep = step
        print("attempt \(attempt): right")
    } else {
        print("attempt \(attempt): wrong, or used before")
    }
}
