import Guardian

// The code of the page «Guardian.swift iOS SDK», snippet by snippet, with its placeholders as parameters. One import, and the
// compiler's defaults: that this file compiles is a test. Source: Auth0, "Guardian for iOS SDK".

public func enroll(
    domain: String, enrollmentUri: String, apnsToken: String, signingKey: SigningKey, verificationKey: VerificationKey,
    finished: @escaping @Sendable (EnrolledDevice?, Error?) -> Void
) {
    Guardian
        .enroll(
            forDomain: domain,
            usingUri: enrollmentUri,
            notificationToken: apnsToken,
            signingKey: signingKey,
            verificationKey: verificationKey
        )
        .start { result in
            switch result {
            case .success(let enrolledDevice):
                // success, we have the enrollment device data available
                finished(enrolledDevice, nil)
            case .failure(let cause):
                // something failed, check cause to see what went wrong
                finished(nil, cause)
            }
        }
}

public func keyInMemory() throws -> DataRSAPrivateKey {
    let signingKey = try DataRSAPrivateKey.new()
    // Store data
    let data = signingKey.data
    // perform the storage

    // Load from Storage
    let loadedKey = try DataRSAPrivateKey(data: data)
    return loadedKey
}

public func keyInKeychain() throws -> (made: SigningKey, found: SigningKey, VerificationKey) {
    let made: SigningKey
    do {
        let signingKey = try KeychainRSAPrivateKey.new(with: "com.myapp.mytag")
        made = signingKey
    }
    let signingKey = try KeychainRSAPrivateKey(tag: "com.myapp.mytag")
    let verificationKey = try signingKey.verificationKey()
    return (made, signingKey, verificationKey)
}

public func received(notificationPayload: [AnyHashable: Any]) -> Guardian.Notification? {
    if let notification = Guardian.notification(from: notificationPayload) {
        // we have received a Guardian push notification
        return notification
    }
    return nil
}

struct Authenticator: Guardian.AuthenticationDevice {
    let signingKey: SigningKey
    let localIdentifier: String
}

public func device(signingKey: SigningKey, localIdentifier: String) -> Guardian.AuthenticationDevice {
    Authenticator(signingKey: signingKey, localIdentifier: localIdentifier)
}

public func allow(
    domain: String, device: Guardian.AuthenticationDevice, notification: Guardian.Notification,
    finished: @escaping @Sendable (Error?) -> Void
) {
    Guardian
        .authentication(forDomain: domain, device: device)
        .allow(notification: notification)
        .start { result in
            switch result {
            case .success:
                // the auth request was successfuly allowed
                finished(nil)
            case .failure(let cause):
                // something failed, check cause to see what went wrong
                finished(cause)
            }
        }
}

public func reject(
    domain: String, device: Guardian.AuthenticationDevice, notification: Guardian.Notification, hacked: Bool,
    finished: @escaping @Sendable (Error?) -> Void
) {
    guard hacked else {
        Guardian
            .authentication(forDomain: domain, device: device)
            .reject(notification: notification)
            // or reject(notification: notification, withReason: "hacked")
            .start { result in
                switch result {
                case .success:
                    // the auth request was successfuly rejected
                    finished(nil)
                case .failure(let cause):
                    // something failed, check cause to see what went wrong
                    finished(cause)
                }
            }
        return
    }
    Guardian
        .authentication(forDomain: domain, device: device)
        .reject(notification: notification, withReason: "hacked")
        .start { result in
            switch result {
            case .success: finished(nil)
            case .failure(let cause): finished(cause)
            }
        }
}

// The page calls what its SDK has deprecated since; so does ours.
public func unenroll(
    domain: String, userEnrollmentId: String, enrollmentDeviceToken: String,
    finished: @escaping @Sendable (Error?) -> Void
) {
    Guardian
        .api(forDomain: domain)
        .device(forEnrollmentId: userEnrollmentId, token: enrollmentDeviceToken)
        .delete()
        .start { result in
            switch result {
            case .success:
                // success, the enrollment was deleted
                finished(nil)
            case .failure(let cause):
                // something failed, check cause to see what went wrong
                finished(cause)
            }
        }
}

public func generator(enrollmentCode: String) throws -> Guardian.TOTP {
    let codeGenerator = try Guardian.totp(
        base32Secret: enrollmentCode,  // Enrollment code entered by user
        algorithm: .sha1  // Algorithm used by TOTP
    )
    codeGenerator.code()
    return codeGenerator
}
