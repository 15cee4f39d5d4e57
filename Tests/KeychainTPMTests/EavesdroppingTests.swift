import BlockingTestSupport
import Crypto
import Foundation
import TPMTestSupport
import Testing

@testable import KeychainTPM

/// An attacker with wires on the bus between processor and chip.
@Suite(.needsSoftwareTPM, .onOwnThreads)
struct EavesdroppingTests {
    let digest = SHA256.hash(data: Data("m".utf8))

    @Test func `Neither PIN nor secret is in any byte that is sent or received`() throws {
        let chip = try SoftwareTPM()
        let tap = TappedTransport(chip.connection)
        let tpm = TPM(transport: tap)
        let pin = "a stretched PIN of 32 bytes here"
        let secret = Array("the key that encrypts the vault.".utf8)
        #expect(pin.utf8.count == 32)

        let key = try tpm.makeSigningKey(.p256, pin: pin)
        _ = try tpm.sign(digest, with: key, pin: pin)
        let sealed = try tpm.seal(secret, pin: pin)
        #expect(try tpm.unseal(sealed, pin: pin) == secret)
        #expect(throws: TPMError.self) { try tpm.unseal(sealed, pin: "a wrong PIN but nearly 32 bytes.") }
        let random = try tpm.random(32)

        let heard = tap.bytes
        #expect(heard.contains(run: Array(digest)), "The tap hears what is not encrypted.")
        #expect(heard.contains(run: sealed.object.privateArea))
        // Half of each would be too much.
        for hidden in [Array(pin.utf8), secret, Array("a wrong PIN but nearly".utf8), random] {
            for start in stride(from: 0, to: hidden.count - 8, by: 4) {
                #expect(!heard.contains(run: Array(hidden[start..<start + 8])))
            }
        }
    }

    @Test func `No two sessions look alike`() throws {
        let chip = try SoftwareTPM()
        let tap = TappedTransport(chip.connection)
        let tpm = TPM(transport: tap)
        let key = try tpm.makeSigningKey(.p256, pin: "482913")
        for _ in 0..<3 { _ = try tpm.sign(digest, with: key, pin: "482913") }
        for code: CommandCode in [.startAuthSession, .sign] {
            // Without those that the TPM wanted to hear again.
            let commands = tap.exchanges.filter { $0.command.code == code.rawValue && $0.answer.code == 0 }
                .map(\.command)
            #expect(commands.count >= 3)
            #expect(Set(commands).count == commands.count)
        }
    }

    /// Every command in a session, with an operation that sends it.
    @Test(arguments: [CommandCode.create, .load, .sign, .unseal, .getRandom])
    func `An answer with a changed bit is not believed`(_ code: CommandCode) throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        let sealed = try chip.tpm.seal([1, 2, 3], pin: "482913")
        let reached = Locking(0)
        // In the HMAC, in its nonce, and in the parameters.
        for fromEnd in [1, 20, 40, 60, 72] {
            let tap = TappedTransport(chip.connection) { (_, command, answer) throws(TPMError) in
                guard command.code == code.rawValue, answer.code == 0 else { return answer }
                reached.withLock { $0 += 1 }
                var answer = answer
                answer[answer.count - fromEnd] ^= 0x10
                return answer
            }
            let tpm = TPM(transport: tap)
            #expect { try Self.use(code, tpm, key, sealed) } throws: {
                guard case .untrustedResponse = $0 as? TPMError else { return false }
                return true
            }
        }
        #expect(reached.withLock { $0 } == 5)
        #expect(try chip.occupiedSlots() == "")
    }

    @Test func `An answer that was true once is not believed again`() throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        let once = TappedTransport(chip.connection)
        _ = try TPM(transport: once).sign(digest, with: key, pin: "482913")
        let old = try #require(once.exchanges.last { $0.command.code == CommandCode.sign.rawValue }).answer
        let replay = TappedTransport(chip.connection) { (_, command, answer) throws(TPMError) in
            command.code == CommandCode.sign.rawValue ? old : answer
        }
        #expect(throws: TPMError.untrustedResponse("the HMAC of Sign is wrong")) {
            try TPM(transport: replay).sign(digest, with: key, pin: "482913")
        }
    }

    @Test func `An impostor's storage key does not get the PIN of a key that detects it`() throws {
        let (chip, impostor) = (try SoftwareTPM(), try SoftwareTPM())
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        let other = TappedTransport(impostor.connection)
        _ = try TPM(transport: other).makeSigningKey(.p256, pin: "1")
        let primary = try #require(
            other.exchanges.first { $0.command.code == CommandCode.createPrimary.rawValue }
        ).answer
        let swap = TappedTransport(chip.connection) { (_, command, answer) throws(TPMError) in
            command.code == CommandCode.createPrimary.rawValue ? primary : answer
        }
        #expect(throws: TPMError.foreignKey) { try TPM(transport: swap).sign(digest, with: key, pin: "482913") }
        // Without the name it goes further, but the true chip cannot read the salt, and nothing is revealed.
        let nameless = try TPMKeyBlob(keyFile: key.keyFile)
        #expect(throws: TPMError.self) { try TPM(transport: swap).sign(digest, with: nameless, pin: "482913") }
    }

    private static func use(
        _ code: CommandCode, _ tpm: TPM, _ key: TPMKeyBlob, _ sealed: TPMSealedBlob
    ) throws {
        switch code {
        case .create: _ = try tpm.makeSigningKey(.p256, pin: "482913")
        case .unseal: _ = try tpm.unseal(sealed, pin: "482913")
        case .getRandom: _ = try tpm.random(8)
        default: _ = try tpm.sign(SHA256.hash(data: Data("m".utf8)), with: key, pin: "482913")
        }
    }
}
