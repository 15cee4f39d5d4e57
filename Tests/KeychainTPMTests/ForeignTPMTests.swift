import BlockingTestSupport
import Crypto
import Foundation
import TPMTestSupport
import Testing

@testable import KeychainTPM

@Suite(.needsSoftwareTPM, .onOwnThreads)
struct ForeignTPMTests {
    let digest = SHA256.hash(data: Data("m".utf8))

    @Test func `Another TPM refuses the key before it hears anything of the PIN`() throws {
        let (home, abroad) = (try SoftwareTPM(), try SoftwareTPM())
        let key = try home.tpm.makeSigningKey(.p256, pin: "482913")
        let sealed = try home.tpm.seal([1, 2, 3], pin: "482913")
        let tap = TappedTransport(abroad.connection)
        #expect(throws: TPMError.foreignKey) { try TPM(transport: tap).sign(digest, with: key, pin: "482913") }
        #expect(throws: TPMError.foreignKey) { try TPM(transport: tap).unseal(sealed, pin: "482913") }
        #expect(!tap.exchanges.contains { $0.command.code == CommandCode.startAuthSession.rawValue })
        #expect(try abroad.tpm.status().failuresCounted == 0)
        #expect(try abroad.occupiedSlots() == "")
    }

    @Test func `Another TPM refuses also a key whose storage key we do not know by name`() throws {
        let (home, abroad) = (try SoftwareTPM(), try SoftwareTPM())
        let key = try TPMKeyBlob(keyFile: home.tpm.makeSigningKey(.p256, pin: "482913").keyFile)
        let tap = TappedTransport(abroad.connection)
        #expect(throws: TPMError.foreignKey) { try TPM(transport: tap).sign(digest, with: key, pin: "482913") }
        #expect(tap.exchanges.contains { $0.answer.code == 0x1DF }, "The chip's own word: integrity check failed.")
        _ = try home.tpm.sign(digest, with: key, pin: "482913")
    }

    @Test func `A TPM that was cleared is another TPM`() throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        try chip.run("tpm2_clear", [])
        #expect(throws: TPMError.foreignKey) { try chip.tpm.sign(digest, with: key, pin: "482913") }
    }

    @Test func `Two halves of different keys are no key, and a sealed secret does not take another's PIN`() throws {
        let chip = try SoftwareTPM()
        let (one, two) = (
            try chip.tpm.seal([1], pin: "1").object, try chip.tpm.seal([2], pin: "2").object
        )
        let mixed = try TPMSealedBlob(
            try TPMObject(
                publicArea: one.publicArea, privateArea: two.privateArea, parent: .ownerPrimary,
                parentName: one.parentName, hasAuthorization: true))
        for pin in ["1", "2"] {
            #expect(throws: TPMError.foreignKey) { try chip.tpm.unseal(mixed, pin: pin) }
        }
        #expect(try chip.occupiedSlots() == "")
    }

    @Test func `A flipped bit anywhere in a stored key gives an error and no signature`() throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        let bytes = Array(key.bytes)
        var refusals = 0
        for position in stride(from: 0, to: bytes.count, by: 3) {
            var damaged = bytes
            damaged[position] ^= 1
            // The flag whether a PIN is needed is a hint for the one who asks, not part of the key.
            guard position != 9 else { continue }
            do {
                let blob = try TPMKeyBlob(bytes: damaged)
                _ = try chip.tpm.sign(digest, with: blob, pin: "482913")
                Issue.record("byte \(position) does not matter")
            } catch { refusals += 1 }
        }
        #expect(refusals > 50)
        #expect(try chip.tpm.status().failuresCounted == 0)
        #expect(try chip.occupiedSlots() == "")
    }

    @Test func `With a password on the owner hierarchy, a persistent storage key serves`() throws {
        let chip = try SoftwareTPM()
        try chip.run(
            "tpm2_createprimary",
            [
                "-C", "o", "-g", "sha256", "-G", "ecc256", "-c", "primary.ctx", "-a",
                "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|restricted|decrypt|noda",
            ])
        try chip.run("tpm2_evictcontrol", ["-C", "o", "-c", "primary.ctx", "0x81000001"])
        try chip.run("tpm2_flushcontext", ["-t"])
        try chip.run("tpm2_changeauth", ["-c", "owner", "administrator"])
        #expect(try chip.tpm.status().ownerAuthorizationSet)
        #expect(throws: TPMError.ownerAuthorizationRequired) { try chip.tpm.makeSigningKey(.p256, pin: "482913") }

        let tpm = TPM(transport: chip.connection, parent: .persistent)
        let key = try tpm.makeSigningKey(.p256, pin: "482913")
        #expect(key.parent == .persistent)
        let message = Data("m".utf8)
        // The key says under which storage key it belongs, whatever the TPM value makes new ones under.
        let signature = try chip.tpm.sign(SHA256.hash(data: message), with: key, pin: "482913")
        #expect(try chip.verifies(signature, of: message, with: key))
        #expect(try TPMKeyBlob(keyFilePEM: key.keyFilePEM).parent == .persistent)
        #expect(try chip.occupiedSlots() == "")

        let parent = try #require(TPMParent(rawValue: 0x8100_0002))
        #expect(throws: TPMError.unusableParent("there is none at 0x81000002")) {
            try TPM(transport: chip.connection, parent: parent).makeSigningKey(.p256, pin: "482913")
        }
    }

    @Test func `A persistent storage key of RSA, or with a password, is refused in words`() throws {
        let chip = try SoftwareTPM()
        for (handle, arguments) in [
            ("0x81000001", ["-G", "rsa2048"]), ("0x81000002", ["-G", "ecc256", "-p", "secret"]),
        ] {
            try chip.run("tpm2_createprimary", ["-C", "o", "-c", "primary.ctx"] + arguments)
            try chip.run("tpm2_evictcontrol", ["-C", "o", "-c", "primary.ctx", handle])
            try chip.run("tpm2_flushcontext", ["-t"])
        }
        for handle: UInt32 in [0x8100_0001, 0x8100_0002] {
            let parent = try #require(TPMParent(rawValue: handle))
            #expect {
                try TPM(transport: chip.connection, parent: parent).makeSigningKey(.p256, pin: "482913")
            } throws: {
                guard case .unusableParent = $0 as? TPMError else { return false }
                return true
            }
        }
        #expect(try chip.occupiedSlots() == "")
    }
}
