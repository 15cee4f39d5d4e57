import Foundation

/// The device API of a server (Guardian.swift, `API`).
public protocol API: Sendable {
    /// What requests go below: with `appliance-mfa` where the server's layout has it.
    var baseUrl: URL { get }

    /// Enrols a device. ``enroll(forDomain:usingTicket:notificationToken:signingKey:verificationKey:telemetryInfo:)`` does it
    /// with this device's names.
    ///
    /// - Parameters:
    ///   - identifier: what the device calls itself in what it signs.
    ///   - name: what its owner calls it.
    func enroll(
        withTicket enrollmentTicket: String, identifier: String, name: String, notificationToken: String,
        verificationKey: any VerificationKey
    ) -> Request<Device, Enrollment>

    /// Sends a signed answer; ``Authentication`` makes one.
    func resolve(
        transaction transactionToken: String, withChallengeResponse challengeResponse: String
    ) -> Request<Transaction, NoContent>

    /// A device, by the token that it got when it enrolled.
    @available(*, deprecated, message: "see device(forEnrollmentId:userId:signingKey:), or device(of:)")
    func device(forEnrollmentId id: String, token: String) -> any DeviceAPI

    /// A device, by tokens that it signs itself.
    func device(forEnrollmentId enrollmentId: String, userId: String, signingKey: any SigningKey) -> any DeviceAPI

    /// A device, by its enrolment: by its token where it has one, so that a key that asks for its user is not needed.
    func device(of device: EnrolledDevice) -> any DeviceAPI
}

extension API {
    public func device(of device: EnrolledDevice) -> any DeviceAPI {
        self.device(forEnrollmentId: device.id, userId: device.userId, signingKey: device.signingKey)
    }
}

/// What a device does for itself (Guardian.swift, `DeviceAPI`).
public protocol DeviceAPI: Sendable {
    /// Unenrols it.
    func delete() -> Request<NoContent, NoContent>

    /// Changes what it said of itself; nil leaves a thing as it is.
    func update(
        localIdentifier identifier: String?, name: String?, notificationToken: String?
    ) -> Request<UpdatedDevice, UpdatedDevice>

    /// Asks once for what waits, for devices without APNs; ``notifications(policy:)`` goes on asking. Ours:
    /// `GET …/device-accounts/{id}/notifications?wait=SECONDS`.
    ///
    /// - Parameter seconds: how long the server holds the answer back while there is nothing, 0 to 55.
    func notifications(waitingUpTo seconds: Int) -> Request<NoContent, PendingNotifications>
}

extension DeviceAPI {
    /// For types of the app's own that stand in for a device.
    public func notifications(waitingUpTo seconds: Int) -> Request<NoContent, PendingNotifications> {
        Request(RequestPlan("GET", .nowhere, failure: GuardianError.unsupported("Asking for notifications")))
    }

    /// Login requests as they come, each once, for devices without APNs. Cancel the task that iterates to end it.
    ///
    /// ```swift
    /// for try await notification in Guardian.api(forDomain: domain).device(of: device).notifications() { … }
    /// ```
    public func notifications(policy: PollingPolicy = PollingPolicy()) -> NotificationSequence {
        NotificationSequence(device: self, policy: policy)
    }
}

/// What a login request is about, where it says more than "sign in" (Guardian.swift, `ConsentAPI`).
public protocol ConsentAPI: Sendable {
    /// - Parameters:
    ///   - consentId: the notification's ``Notification/transactionLinkingId``.
    ///   - transactionToken: the notification's.
    ///   - signingKey: the enrolled device's: it proves that the device asks.
    func fetch(
        consentId: String, transactionToken: String, signingKey: any SigningKey
    ) -> Request<NoContent, Consent>
}
