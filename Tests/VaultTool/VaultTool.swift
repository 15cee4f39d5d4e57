import Foundation
import KeychainTypes
import SecretVault

/// What the tests of the vault start as a process of its own.
@main enum VaultTool {
    static func main() throws {
        var arguments = CommandLine.arguments.dropFirst()
        switch arguments.popFirst() {
        case "prompt": try Prompt.run(Array(arguments))
        case "step": try Write.dieAtStep(Array(arguments))
        case "write": try Write.forEver(Array(arguments))
        case "share": try Write.share(Array(arguments))
        case "guess": try Guess.run(Array(arguments))
        case "full": try Write.full(Array(arguments))
        case "fill": try Write.fill(Array(arguments))
        #if DEBUG
            case "image": try Image.run(Array(arguments))
            case "mutate": try Mutate.run(Array(arguments))
        #endif
        default:
            FileHandle.standardError.write(Data("usage: vault-tool prompt …\n".utf8))
            exit(2)
        }
    }
}
