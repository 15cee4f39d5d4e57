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

    /// Where the server's page leads the user once the link was followed. It is absolute, and of a domain that the operator
    /// has listed.
    public var url: URL? {
        get { fields.current.url }
        set { fields.withLock { $0.url = newValue } }
    }

    /// Whether the link opens the app instead of a page. Sign-in links need it; this server makes the same link with it and
    /// without.
    public var handleCodeInApp: Bool {
        get { fields.current.handleCodeInApp }
        set { fields.withLock { $0.handleCodeInApp = newValue } }
    }

    /// The bundle id of an app on Apple's systems. It is sent; this server makes the same link with it and without.
    public var iOSBundleID: String? {
        get { fields.current.iOSBundleID }
        set { fields.withLock { $0.iOSBundleID = newValue } }
    }

    /// The package of an app on Android, as ``setAndroidPackageName(_:installIfNotAvailable:minimumVersion:)`` set it.
    /// It is sent; this server makes the same link with it and without.
    public var androidPackageName: String? { fields.current.androidPackageName }
    /// The oldest version of the Android app that opens the link; without effect on this server's links.
    public var androidMinimumVersion: String? { fields.current.androidMinimumVersion }
    /// Whether Android offers to install an app that is not there; sent only with a package, and without effect on this
    /// server's links.
    public var androidInstallIfNotAvailable: Bool { fields.current.androidInstallIfNotAvailable }

    /// The domain of the link; nil for the server's own. This server refuses every other.
    public var linkDomain: String? {
        get { fields.current.linkDomain }
        set { fields.withLock { $0.linkDomain = newValue } }
    }

    /// Sets ``iOSBundleID``, as the original spells it for Objective-C.
    public func setIOSBundleID(_ bundleID: String) { iOSBundleID = bundleID }

    /// Names the app on Android that opens the link, in place of the one named before.
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
