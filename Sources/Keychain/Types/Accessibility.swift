/// When an item's secret can be had at all, whatever else its access control asks. The raw values are those that Apple
/// stores and its constants carry (Apple, "Restricting keychain item accessibility").
public enum Accessibility: String, Sendable, Hashable, CaseIterable, Codable {
    /// While unlocked, and only as long as a passcode is set: removing the passcode destroys the item.
    case whenPasscodeSetThisDeviceOnly = "akpu"
    /// While unlocked; the item never leaves this machine in a backup.
    case whenUnlockedThisDeviceOnly = "aku"
    /// While unlocked. The system's default.
    case whenUnlocked = "ak"
    /// From the first unlock on, until the process ends (Apple: until the next restart); never in a backup.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// From the first unlock on, until the process ends (Apple: until the next restart).
    case afterFirstUnlock = "ck"

    /// Whether the item is left out when the device's backup is restored elsewhere.
    public var isThisDeviceOnly: Bool { rawValue.hasSuffix("u") }
}
