import ClientHTTP
import Foundation
import NativeAuthWire

/// What stands before each request. Source: MSAL for iOS.
enum RequestHeaders {
    static func fields(
        for url: URL, _ correlationID: UUID, _ interceptor: (any MSALNativeAuthRequestInterceptor)?,
        _ environment: ClientEnvironment
    ) async -> [String: String] {
        var fields = own(correlationID)
        guard let interceptor else { return fields }
        for (name, value) in await additional(for: url, interceptor, environment) ?? [:] {
            if isAllowed(name, value) {
                fields[name] = value
            } else {
                Log.write(.warning, correlationID, "The interceptor's header \(word: name) is not allowed: left out.")
            }
        }
        return fields
    }

    private static func own(_ correlationID: UUID) -> [String: String] {
        var fields = [
            "Accept": "application/json",
            HeaderName.clientRequestID: correlationID.uuidString,
            HeaderName.returnClientRequestID: "true",
            "x-client-SKU": "Countersign.MSAL",
            "x-client-OS": system,
        ]
        let info = Bundle.main.infoDictionary
        if let name = info?["CFBundleName"] as? String, isValue(name) { fields["x-app-name"] = name }
        if let version = info?["CFBundleShortVersionString"] as? String, isValue(version) {
            fields["x-app-ver"] = version
        }
        return fields
    }

    private static var system: String {
        #if os(Linux)
            "Linux"
        #elseif os(macOS)
            "macOS"
        #else
            "iOS"
        #endif
    }

    /// Seconds that a request waits for its interceptor.
    static let longestWait: TimeInterval = 30

    /// What the interceptor says; nil where it says nothing in time.
    private static func additional(
        for url: URL, _ interceptor: any MSALNativeAuthRequestInterceptor, _ environment: ClientEnvironment
    ) async -> [String: String]? {
        let (answers, answer) = AsyncStream.makeStream(of: [String: String]?.self, bufferingPolicy: .bufferingOldest(1))
        interceptor.addAdditionalHeaderFields(url) { fields in
            answer.yield(fields)
            answer.finish()
        }
        let deadline = Task {
            try await environment.pause(longestWait)
            answer.finish()
        }
        defer { deadline.cancel() }
        return await answers.first { _ in true } ?? nil
    }

    /// Whether an app may add this field. Source: MSAL for iOS.
    static func isAllowed(_ name: String, _ value: String) -> Bool {
        let lower = name.lowercased()
        let reserved = ["x-ms-", "x-client-", "x-broker-", "x-app-"]
        let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".unicodeScalars)
        return lower.hasPrefix("x-") && lower.utf8.count > 2 && !reserved.contains { lower.hasPrefix($0) }
            && lower.unicodeScalars.allSatisfy(token.contains) && isValue(value)
    }

    /// No control characters: they would end the line.
    private static func isValue(_ value: String) -> Bool {
        value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}
