import AdminServer
import ArgumentParser

/// Signing keys.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "List, rotate and retire signing keys, the master key and the administrator's token.",
        subcommands: [Rotate.self, Retire.self, RotateMaster.self, RotateAdminToken.self, List.self])

    static func describe(_ keys: [KeySummary]) -> [String] {
        var table = Table("ID", "ALGORITHM", "STATE", "CREATED", "LEAVES THE JWKS")
        for key in keys {
            table.add(
                key.id, key.algorithm, key.isActive ? "signs" : "retired", key.createdAt.text, key.removedAfter?.text)
        }
        return table.lines
    }
}
