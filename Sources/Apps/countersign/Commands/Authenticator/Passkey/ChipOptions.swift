import ArgumentParser
import Foundation
import KeychainServices

#if !canImport(Security)
    import KeychainTPM
#endif

/// Where the keys of new passkeys are made, and those of older ones are found.
struct ChipOptions: ParsableArguments {
    enum Chip {
        case none
        #if !canImport(Security)
            case tpm(TPMConnection.Endpoint)
        #endif
    }

    @Option(
        help: ArgumentHelp(
            "The TPM's device, or the socket of swtpm (default: \(ChipOptions.device) where this user may open it).",
            valueName: "path"))
    var tpm: String?

    @Flag(help: "Keep keys in the vault's file, even if there is a TPM.")
    var noTpm = false

    static let device = "/dev/tpmrm0"

    func validate() throws {
        if tpm != nil, noTpm { throw ValidationError("Give one of --tpm and --no-tpm.") }
        #if canImport(Security)
            if tpm != nil || noTpm {
                throw ValidationError("This system has its own chip: leave out --tpm and --no-tpm.")
            }
        #endif
    }

    /// The chip that is asked for, or else the one that is there.
    var found: Chip {
        #if canImport(Security)
            return .none
        #else
            guard !noTpm else { return .none }
            if let tpm { return .tpm(Self.isSocket(tpm) ? .unixSocket(path: tpm) : .device(path: tpm)) }
            return access(Self.device, R_OK | W_OK) == 0 ? .tpm(.device(path: Self.device)) : .none
        #endif
    }

    /// Whether new keys are made in a chip. One that was named has to answer.
    var makesInChip: Bool {
        get async throws {
            #if canImport(Security)
                // The Secure Enclave makes every key that is never given out.
                return false
            #else
                guard tpm == nil else { return true }
                return (try? await KeychainVault.hardwareStatus()) != nil
            #endif
        }
    }

    #if !canImport(Security)
        private static func isSocket(_ path: String) -> Bool {
            let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            return type == .typeSocket
        }
    #endif
}
