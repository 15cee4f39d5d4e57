import BlockingTestSupport
import Foundation
import TPMTestSupport
import Testing

@testable import KeychainTPM

@Suite(.needsSoftwareTPM, .onOwnThreads)
struct SealingTests {
    @Test(arguments: [1, 32, 33, 128])
    func `A sealed secret comes back for its PIN only`(_ count: Int) throws {
        let chip = try SoftwareTPM()
        let secret = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
        let blob = try chip.tpm.seal(secret, pin: "482913")
        #expect(blob.hasAuthorization)
        #expect(try chip.tpm.unseal(blob, pin: "482913") == secret)
        #expect { try chip.tpm.unseal(blob, pin: "482914") } throws: {
            guard case .wrongAuthorization(_?) = $0 as? TPMError else { return false }
            return true
        }
        #expect(!blob.bytes.contains(secret) || count == 1)
    }

    @Test(arguments: [0, 129])
    func `What does not fit is refused`(_ count: Int) throws {
        let silent = TPM(transport: ScriptedTransport([]))
        #expect { try silent.seal([UInt8](repeating: 1, count: count), pin: "1") } throws: {
            guard case .invalidArgument = $0 as? TPMError else { return false }
            return true
        }
    }

    @Test func `Without a PIN the machine is all that it takes`() throws {
        let chip = try SoftwareTPM()
        let blob = try chip.tpm.seal([1, 2, 3], pin: "")
        #expect(!blob.hasAuthorization)
        #expect(try chip.tpm.unseal(blob, pin: "") == [1, 2, 3])
        // There is nothing to guess, so nothing is counted.
        #expect(throws: TPMError.wrongAuthorization(triesLeft: nil)) { try chip.tpm.unseal(blob, pin: "1") }
        #expect(try chip.tpm.status().failuresCounted == 0)
    }

    @Test func `What the caller computes from the secret may be anything, also what cannot be copied`() throws {
        struct Owned: ~Copyable {
            let sum: Int
        }
        let chip = try SoftwareTPM()
        let blob = try chip.tpm.seal([1, 2, 3], pin: "")
        let owned = try chip.tpm.unseal(blob, authorization: UnsafeRawBufferPointer(start: nil, count: 0)) {
            Owned(sum: $0.reduce(0) { $0 + Int($1) })
        }
        let sum = owned.sum
        #expect(sum == 6)
    }
}
