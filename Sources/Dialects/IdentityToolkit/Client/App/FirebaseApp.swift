import ClientHTTP
import Foundation

/// An app's identity towards its project: a name and options. ``Auth`` keeps one signed-in user per app.
///
/// An app that configures nothing gets a default app from the environment (`COUNTERSIGN_URL`, `COUNTERSIGN_API_KEY`)
/// when it first calls `Auth.auth()`.
public final class FirebaseApp: NSObject, Sendable {
    /// What tells apps of one process apart, and their users in the keychain; `__FIRAPP_DEFAULT` for the default app.
    public let name: String
    private let stored: Locked<FirebaseOptions>

    /// A copy: changes to it do not reach the app.
    public var options: FirebaseOptions { stored.current.duplicate() }

    package init(name: String, options: FirebaseOptions) {
        self.name = name
        stored = Locked(options.duplicate())
    }

    static let defaultName = "__FIRAPP_DEFAULT"

    private struct Registry: Sendable {
        var apps: [String: FirebaseApp] = [:]
        /// Whether the default app was created because the program had configured none.
        var defaultIsImplied = false
    }

    private static let registry = Locked(Registry())

    /// Makes the default app from the main bundle's `GoogleService-Info.plist`; where there is none, the environment
    /// says what ``Auth`` needs.
    public static func configure() {
        configure(options: FirebaseOptions.defaultOptions() ?? FirebaseOptions())
    }

    /// Makes the default app.
    public static func configure(options: FirebaseOptions) {
        configure(name: defaultName, options: options)
    }

    /// Makes a further app. A name that is configured already keeps its first options, and the log says so.
    public static func configure(name: String, options: FirebaseOptions) {
        let isNew = registry.withLock { registry in
            let isImplied = name == defaultName && registry.defaultIsImplied
            if isImplied { registry.defaultIsImplied = false }
            if let app = registry.apps[name] {
                // Earlier callers of `Auth.auth()` hold this app, so the options must reach it.
                if isImplied { app.stored.withLock { $0 = options.duplicate() } }
                return isImplied
            }
            registry.apps[name] = FirebaseApp(name: name, options: options)
            return true
        }
        if !isNew { notice("The app \(name) is configured already; the later configuration is not used.") }
    }

    /// The default app, or nil where none is configured.
    public static func app() -> FirebaseApp? { app(name: defaultName) }

    /// The app that was configured under this name, or nil.
    public static func app(name: String) -> FirebaseApp? { registry.withLock { $0.apps[name] } }

    /// All configured apps by their names; nil where there is none.
    public static var allApps: [String: FirebaseApp]? {
        let apps = registry.current.apps
        return apps.isEmpty ? nil : apps
    }

    /// Forgets the app; its name can be configured again. False where it was not known.
    @discardableResult
    public func delete() async -> Bool {
        let wasKnown = Self.registry.withLock { registry in
            guard registry.apps[name] === self else { return false }
            registry.apps[name] = nil
            return true
        }
        Auth.forget(self)
        return wasKnown
    }

    /// As ``delete()``, and the handler runs on the main actor.
    public func delete(_ completion: @escaping @MainActor @Sendable (Bool) -> Void) {
        Task { await completion(delete()) }
    }

    /// The default app; created without options where the program configured none.
    static var defaultOrImplied: FirebaseApp {
        registry.withLock { registry in
            if let app = registry.apps[defaultName] { return app }
            let app = FirebaseApp(name: defaultName, options: FirebaseOptions())
            registry.apps[defaultName] = app
            registry.defaultIsImplied = true
            return app
        }
    }
}
