import Foundation
import SecurityChecksWire

/// What an app is to the server, and where the server is, unless configured otherwise. Source: MobileFirst's web SDK.
struct ClientSettings: Sendable {
    var application: ApplicationData
    /// What the device is, but for its id.
    var device: DeviceData
    /// Whether refresh tokens are asked for and kept. Source: MobileFirst's web SDK.
    var wantsRefreshTokens = false
    /// Or why it is unknown.
    var address: Result<ServerAddress, WLError>

    /// Of this process: the bundle's id and version, the bundle's `mfpclient.plist`, and where that is missing the
    /// environment variable `COUNTERSIGN_URL`.
    static func ofProcess() -> ClientSettings {
        let bundle = Bundle.main
        let plist = bundle.url(forResource: "mfpclient", withExtension: "plist")
            .flatMap { try? Data(contentsOf: $0) }
            .flatMap { try? PropertyListSerialization.propertyList(from: $0, format: nil) as? [String: Any] }
        return ClientSettings(
            applicationID: bundle.bundleIdentifier ?? ProcessInfo.processInfo.processName,
            version: bundle.infoDictionary?["CFBundleShortVersionString"] as? String ?? "1.0.0",
            propertyList: plist.map { $0.compactMapValues(Self.text) },
            environment: ProcessInfo.processInfo.environment)
    }

    init(
        applicationID: String, version: String, propertyList: [String: String]? = nil,
        environment: [String: String] = [:]
    ) {
        // The platform of the module that this one stands for: what the server's application is registered with.
        application = ApplicationData(id: applicationID, clientPlatform: "ios", version: version)
        device = DeviceData(
            id: nil, platform: "ios " + ProcessInfo.processInfo.operatingSystemVersionString, hardware: Self.hardware)
        wantsRefreshTokens = ["true", "1", "yes"].contains(propertyList?["wlEnableRefreshToken"]?.lowercased() ?? "")
        do {
            let found =
                try propertyList.flatMap(Self.address(propertyList:)) ?? ServerAddress(environment: environment)
            if let found {
                address = .success(found)
            } else {
                address = .failure(
                    WLError(
                        .illegalArgument,
                        "No server is named: call setServerUrl, add mfpclient.plist, or set COUNTERSIGN_URL."))
            }
        } catch {
            address = .failure(error as? WLError ?? WLError(.illegalArgument, "\(error)"))
        }
    }

    private static func text(_ value: Any) -> String? {
        value as? String ?? (value as? Int).map { "\($0)" } ?? (value as? Bool).map { "\($0)" }
    }

    private static func address(propertyList: [String: String]) throws -> ServerAddress? {
        guard let host = propertyList["host"], !host.isEmpty else { return nil }
        let port = propertyList["port"].map { $0.isEmpty ? "" : ":" + $0 } ?? ""
        let context = propertyList["wlServerContext"] ?? "/mfp/"
        guard let url = URL(string: "\(propertyList["protocol"] ?? "https")://\(host)\(port)\(context)") else {
            throw WLError(.illegalArgument, "mfpclient.plist names no URL.")
        }
        return try ServerAddress(server: url)
    }

    private static var hardware: String {
        #if arch(arm64)
            "arm64"
        #elseif arch(x86_64)
            "x86_64"
        #else
            "unknown"
        #endif
    }
}
