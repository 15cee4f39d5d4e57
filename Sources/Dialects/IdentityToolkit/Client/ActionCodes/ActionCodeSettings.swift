import ClientHTTP
import Foundation
import IdentityToolkitWire

/// Where the link of a mail leads once it was followed, and whether the app opens it. Source: Firebase API reference
/// for Swift, `ActionCodeSettings`.
public final class ActionCodeSettings: NSObject, Sendable {
    private struct Fields: Sendable {
        var url: URL?
        var handleCodeInApp = false
        var iOSBundleID: String?
        var androidPackageName: String?
        var androidMinimumVersion: String?
        var androidInstallIfNotAvailable = false
        var linkDomain: String?
    }

    private let fields = Locked(Fields())

    public override init() {}

    /// The link's continue URL.
    public var url: URL? {
        get { fields.current.url }
        set { fields.withLock { $0.url = newValue } }
    }

    /// Whether the link opens the app instead of a page. Sign-in links need it.
    public var handleCodeInApp: Bool {
        get { fields.current.handleCodeInApp }
        set { fields.withLock { $0.handleCodeInApp = newValue } }
    }

    public var iOSBundleID: String? {
        get { fields.current.iOSBundleID }
        set { fields.withLock { $0.iOSBundleID = newValue } }
    }

    public var androidPackageName: String? { fields.current.androidPackageName }
    public var androidMinimumVersion: String? { fields.current.androidMinimumVersion }
    public var androidInstallIfNotAvailable: Bool { fields.current.androidInstallIfNotAvailable }

    /// The domain of the link; nil for the server's own.
    public var linkDomain: String? {
        get { fields.current.linkDomain }
        set { fields.withLock { $0.linkDomain = newValue } }
    }

    public func setIOSBundleID(_ bundleID: String) { iOSBundleID = bundleID }

    public func setAndroidPackageName(
        _ androidPackageName: String, installIfNotAvailable: Bool, minimumVersion: String?
    ) {
        fields.withLock {
            $0.androidPackageName = androidPackageName
            $0.androidInstallIfNotAvailable = installIfNotAvailable
            $0.androidMinimumVersion = minimumVersion
        }
    }

    func apply(to request: inout SendOobCodeRequest) {
        let fields = fields.current
        request.continueUrl = fields.url?.absoluteString
        request.canHandleCodeInApp = fields.handleCodeInApp
        request.iOSBundleId = fields.iOSBundleID
        request.androidPackageName = fields.androidPackageName
        request.androidMinimumVersion = fields.androidMinimumVersion
        request.androidInstallApp = fields.androidPackageName == nil ? nil : fields.androidInstallIfNotAvailable
        request.linkDomain = fields.linkDomain
    }
}
