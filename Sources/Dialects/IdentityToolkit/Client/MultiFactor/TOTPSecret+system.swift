import Foundation

#if os(macOS)
    import AppKit
#elseif os(iOS)
    import UIKit
#endif

extension TOTPSecret {
    /// Opens an `otpauth` URL as the system does it.
    @MainActor
    static func openBySystem(_ url: URL) {
        #if os(macOS)
            NSWorkspace.shared.open(url)
        #elseif os(iOS)
            // App extensions have no shared application and may not name it: it is asked for by its name.
            guard Bundle.main.bundleURL.pathExtension != "appex",
                let shared = UIApplication.perform(NSSelectorFromString("sharedApplication")),
                let application = shared.takeUnretainedValue() as? UIApplication
            else { return }
            application.open(url, options: [:], completionHandler: nil)
        #else
            notice("No app here opens an otpauth URL. Set TOTPSecret.opener.")
        #endif
    }
}
