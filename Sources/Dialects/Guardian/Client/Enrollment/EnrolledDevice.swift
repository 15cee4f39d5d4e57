import Foundation

/// This device, enrolled (Guardian.swift, `EnrolledDevice`). ``deviceToken``, ``totp`` and ``recoveryCode`` are secrets.
public struct EnrolledDevice: AuthenticationDevice {
    /// The enrolment: what a notification's ``Notification/enrollmentId`` names.
    public let id: String
    /// Whose it is.
    public let userId: String
    /// What changes and removes the enrolment.
    public let deviceToken: String
    /// The APNs token that the device enrolled with; empty for a device that asks for itself. Not renewed by
    /// ``DeviceAPI/update(localIdentifier:name:notificationToken:)``.
    public let notificationToken: String
    /// The private key that answers requests. An app that stores the device keeps it apart, in the keychain or by its
    /// bytes.
    public let signingKey: any SigningKey
    /// The device's codes, for when it is offline; nil where the server gives none.
    public let totp: OTPParameters?
    /// What lets the user in once, on the day without the device: shown at once, and not kept. Ours; the original leaves it
    /// out.
    public let recoveryCode: String?

    /// What this device calls itself, computed every time: `identifierForVendor` on iOS; elsewhere a UUID made from the
    /// machine's own identifier and the program's name.
    public var localIdentifier: String { LocalDevice.identifier }
    /// What its owner calls it.
    public var name: String { LocalDevice.name }

    /// The device as an app has stored it, for a later start of the app; ``recoveryCode`` is nil.
    ///
    /// - Parameter deviceToken: may be empty where it was not stored: ``API/device(of:)`` then signs its tokens itself.
    public init(
        id: String, userId: String, deviceToken: String, notificationToken: String, signingKey: any SigningKey,
        totp: OTPParameters? = nil
    ) {
        self.id = id
        self.userId = userId
        self.deviceToken = deviceToken
        self.notificationToken = notificationToken
        self.signingKey = signingKey
        self.totp = totp
        recoveryCode = nil
    }

    init(_ enrollment: Enrollment, notificationToken: String, signingKey: any SigningKey) {
        id = enrollment.id
        userId = enrollment.userId
        deviceToken = enrollment.deviceToken
        self.notificationToken = notificationToken
        self.signingKey = signingKey
        totp = enrollment.totp
        recoveryCode = enrollment.recoveryCode
    }
}
