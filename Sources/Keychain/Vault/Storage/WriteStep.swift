/// The system calls of a write, in their order. A test may stop before any of them.
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
}
