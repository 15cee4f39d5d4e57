/// The system calls of a write, in their order. A test may stop before any of them, or let one fail
/// with the code of a `POSIXError`.
package enum WriteStep: String, Sendable, CaseIterable {
    case lock
    case removeStaleTemporary
    case createTemporary
    case writeTemporary
    case syncTemporary
    case removeStaleBackup
    case linkBackup
    case renameBackup
    case rename
    case syncDirectory
    case removeBackup
    case syncRemoval
    case unlock
    // Instead of linkBackup's link, where the file system has none.
    case createBackupCopy
    case writeBackupCopy
    case syncBackupCopy

    /// What happens only where there are no hard links.
    package static let copying: [WriteStep] = [.createBackupCopy, .writeBackupCopy, .syncBackupCopy]
}
