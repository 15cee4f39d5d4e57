import Crypto
import Foundation

#if canImport(UIKit) && !os(watchOS)
    import UIKit
#endif

/// What this device calls itself.
enum LocalDevice {
    /// A UUID in upper case that is the same on every start: `identifierForVendor` on iOS; elsewhere made from the
    /// machine's own identifier and the program's name, so that it says nothing to others. Where a machine has none, it
    /// is drawn again with each process; servers note the difference and go by the key.
    static var identifier: String { vendorIdentifier ?? made }

    /// What its owner calls it.
    static var name: String {
        #if canImport(UIKit) && !os(watchOS)
            if let name = system?.value(forKey: "name") as? String { return name }
        #endif
        return ProcessInfo.processInfo.hostName
    }

    #if canImport(UIKit) && !os(watchOS)
        /// `UIDevice.current`, asked for by name: it may be named on the main actor alone, and these two members are good on
        /// every thread.
        private static var system: NSObject? {
            let device = (UIDevice.self as AnyObject).perform(NSSelectorFromString("currentDevice"))
            return device?.takeUnretainedValue() as? NSObject
        }
    #endif

    private static var vendorIdentifier: String? {
        #if canImport(UIKit) && !os(watchOS)
            (system?.value(forKey: "identifierForVendor") as? UUID)?.uuidString
        #else
            nil
        #endif
    }

    private static let made: String = {
        guard let machine else { return UUID().uuidString }
        let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return identifier(machine: machine, program: program)
    }()

    /// A UUID of the kind that is made from what its maker likes (RFC 9562, version 8).
    static func identifier(machine: String, program: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("countersign guardian \(program)".utf8), using: SymmetricKey(data: Data(machine.utf8)))
        var bytes = Array(code.prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        let hex = bytes.map { String(format: "%02X", $0) }.joined()
        var rest = hex[...]
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }

    /// The identifier of a machine; keep it confidential.
    private static var machine: String? {
        #if os(Linux)
            for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
                guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
                let id = text.trimmingCharacters(in: .whitespacesAndNewlines)
                if !id.isEmpty { return id }
            }
            return nil
        #elseif os(macOS)
            var uuid = [UInt8](repeating: 0, count: 16)
            var wait = timespec()
            guard gethostuuid(&uuid, &wait) == 0 else { return nil }
            return uuid.map { String(format: "%02x", $0) }.joined()
        #else
            return nil
        #endif
    }
}
