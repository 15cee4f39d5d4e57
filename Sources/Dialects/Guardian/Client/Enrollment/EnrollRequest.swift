import ClientHTTP
import Foundation
import GuardianWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An enrolment that ``start(callback:)`` sends. Answers with the ``EnrolledDevice``, which the app keeps as it keeps secrets.
public final class EnrollRequest: Operation {
    /// What is sent.
    public typealias T = Device
    /// What a success gives: made of the server's answer, the key and the push token.
    public typealias E = EnrolledDevice

    private let request: Locked<Request<Device, Enrollment>>
    private let notificationToken: String
    private let signingKey: any SigningKey

    init(
        api: any API, ticket: EnrollmentTicket, notificationToken: String, signingKey: any SigningKey,
        verificationKey: any VerificationKey
    ) {
        self.notificationToken = notificationToken
        self.signingKey = signingKey
        request = Locked(
            api.enroll(
                withTicket: ticket.text ?? "", identifier: LocalDevice.identifier, name: LocalDevice.name,
                notificationToken: notificationToken, verificationKey: verificationKey))
    }

    public func on(request: OnRequestEvent? = nil, response: OnResponseEvent? = nil) -> Self {
        changing { $0.on(request: request, response: response) }
    }

    public func withURLSession(_ session: URLSession) -> Self { changing { $0.withURLSession(session) } }

    public func mapError(transform: @escaping @Sendable (HTTPURLResponse, Data?) -> (any Error)?) -> Self {
        changing { $0.mapError(transform: transform) }
    }

    private func changing(_ change: (Request<Device, Enrollment>) -> Request<Device, Enrollment>) -> Self {
        request.withLock { $0 = change($0) }
        return self
    }

    public func start(callback: @escaping @Sendable (Result<EnrolledDevice, any Error>) -> Void) {
        request.current.start { [self] result in callback(result.map(device)) }
    }

    @discardableResult
    public func start() async throws -> EnrolledDevice { device(try await request.current.start()) }

    private func device(_ enrollment: Enrollment) -> EnrolledDevice {
        EnrolledDevice(enrollment, notificationToken: notificationToken, signingKey: signingKey)
    }

    public var description: String { request.current.description }
    public var debugDescription: String { request.current.debugDescription }
}

/// What a device enrols with.
struct EnrollmentTicket: Sendable {
    /// Nil where the QR code is none of an enrolment.
    let text: String?
    /// The server that the QR code names.
    let server: String?

    init(uri: String) {
        let uri = EnrollmentURI(uri)
        text = uri?.transactionID
        server = uri?.baseURL
    }

    init(ticket: String) {
        text = ticket
        server = nil
    }
}
