import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ScopeProtection
import SecurityChecks
import SecurityChecksServer
import ServerHTTP

/// The resources of the samples (MobileFirst Foundation 8.0 tutorials, "Protecting resources"), under `--dev`.
struct SampleResources: Sendable {
    let realm: Realm
    let validator: SecurityChecksValidator

    func add(to router: some RouterMethods<CountersignRequestContext>) {
        let clock = realm.clock
        func guarded(_ scope: String) -> RouterGroup<CountersignRequestContext> {
            router.group("mfp/api/adapters").requires(
                .securityChecks(scope), validator: validator, now: { clock.now })
        }
        guarded("accessRestricted").get("ResourceAdapter/balance") { _, _ in Self.text("19938.80") }
        guarded("transferPrivilege").post("ResourceAdapter/transfer") { request, _ in
            _ = try await request.bodyBytes()
            return Self.text("")
        }
        guarded("transactions").get("ResourceAdapter/transactions") { _, _ in
            let name = ValidToken.current?.displayName ?? "anonymous"
            return Self.text("Transactions for \(name):\n{'date':'12/01/2016', 'amount':'19938.80'}")
        }
        router.get("mfp/api/adapters/ResourceAdapter/publicData") { _, _ in
            Self.text("Lorem ipsum dolor sit amet, modo oratio cu nam, mei graece dicunt tamquam ne.")
        }
        guarded("setPinCode").post("Enrollment/setPinCode/{pin}") { [realm] _, context in
            let pin = context.parameters.get("pin") ?? ""
            guard (4...64).contains(pin.utf8.count) else { return Response(status: .badRequest) }
            return try await Self.change(realm) { EnrolledPIN.set(Secret(pin), in: &$0) }
        }
        guarded("unenroll").delete("Enrollment/unenroll") { [realm] _, _ in
            try await Self.change(realm) { EnrolledPIN.remove(from: &$0) }
        }
        guarded("").get("Enrollment/isEnrolled") { [realm] _, _ in
            let client = try await realm.clients.client(Self.client)
            return Self.text("\(client.map { EnrolledPIN.isSet(in: $0.context) } ?? false)")
        }
    }

    private static var client: RegisteredClientID { RegisteredClientID(rawValue: ValidToken.current?.clientID ?? "") }

    private static func change(
        _ realm: Realm, _ body: @escaping @Sendable (inout RegistrationContext) -> Void
    ) async throws -> Response {
        guard case .registered = try await realm.clients.changeContext(of: client, body) else {
            return Response(status: .conflict, headers: [.mfpConflict: "try again"])
        }
        return text("")
    }

    private static func text(_ text: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; charset=UTF-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
