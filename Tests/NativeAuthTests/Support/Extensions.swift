import CountersignCore
import CountersignServer
import Delivery
import DialectTestSupport
import Foundation
import NativeAuthWire
import Synchronization
import TestSupport
import Testing

/// An answer of a service, as the vendor's documents have it.
enum Answers {
    static func claims(_ claims: String) -> String {
        answer("onTokenIssuanceStart", "tokenIssuanceStart.provideClaimsForToken", #","claims":\#(claims)"#)
    }

    static let goOnWithStart = answer(
        "onAttributeCollectionStart", "attributeCollectionStart.continueWithDefaultBehavior")
    static let goOnWithSubmit = answer(
        "onAttributeCollectionSubmit", "attributeCollectionSubmit.continueWithDefaultBehavior")
    static let sent = answer("OnOtpSend", "OtpSend.continueWithDefaultBehavior")

    static func start(_ action: String, _ members: String) -> String {
        answer("onAttributeCollectionStart", "attributeCollectionStart.\(action)", "," + members)
    }
    static func submit(_ action: String, _ members: String) -> String {
        answer("onAttributeCollectionSubmit", "attributeCollectionSubmit.\(action)", "," + members)
    }

    private static func answer(_ event: String, _ action: String, _ members: String = "") -> String {
        #"{"data":{"@odata.type":"microsoft.graph.\#(event)ResponseData","actions":[{"@odata.type":"microsoft.graph.\#(action)"\#(members)}]}}"#
    }
}

extension ExtensionCallOptions {
    /// Calls that should time out do so soon; with the longest time-out none does, however slow the machine.
    static var patient: ExtensionCallOptions {
        var options = ExtensionCallOptions()
        options.deadline = { timeout in
            try? await Task.sleep(
                for: timeout >= .milliseconds(CustomExtension.timeouts.upperBound) ? .seconds(300) : timeout)
        }
        return options
    }

    /// No call times out before the gate is opened.
    static func waiting(for gate: Gate) -> ExtensionCallOptions {
        var options = ExtensionCallOptions()
        options.deadline = { _ in await gate.wait() }
        return options
    }
}

/// Shut until it is opened; a wait ends with its task, too.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [AsyncStream<Void>.Continuation])>((false, []))

    func open() {
        for waiting in state.withLock({ state in
            state.isOpen = true
            return state.waiting
        }) { waiting.finish() }
    }

    func wait() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let isOpen = state.withLock { state in
            state.waiting.append(continuation)
            return state.isOpen
        }
        if isOpen { return }
        for await _ in stream {}
    }
}

extension ScriptedService.Request {
    var json: JSON { (try? JSON(parsing: body)) ?? .null }
}

extension TestServer {
    /// Has the service asked, by plain http on this machine: the server has to be one of development.
    @discardableResult
    func ask(
        _ service: ScriptedService, about event: ExtensionEvent, of client: NativeClient,
        _ change: (inout CustomExtensions.Registration) -> Void = { _ in }
    ) async throws -> CustomExtension {
        var registration = CustomExtensions.Registration(
            event: event, targetURL: "http://127.0.0.1:\(service.port)/\(event.rawValue)", clients: [client.id],
            timeout: 2000)
        change(&registration)
        return try await realm.customExtensions.add(registration, by: .testAdministrator)
    }

    func failures() async throws -> [AuditEvent] {
        try await realm.auditLog.events(limit: 1000).filter { $0.kind == .extensionFailed }
    }
}
