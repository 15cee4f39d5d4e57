import BlockingTestSupport
import Crypto
import Foundation
import TPMTestSupport
import Testing

@testable import KeychainTPM

@Suite(.needsSoftwareTPM, .onOwnThreads)
struct SigningTests {
    let message = Data("transfer 100 to Ada".utf8)

    @Test(arguments: [TPMKeyKind.rsa2048, .rsa3072, .p256])
    func `OpenSSL verifies what the TPM signs`(_ kind: TPMKeyKind) throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(kind, pin: "482913")
        #expect(key.kind == kind)
        #expect(key.hasAuthorization)
        let signature = try chip.tpm.sign(SHA256.hash(data: message), with: key, pin: "482913")
        #expect(try chip.verifies(signature, of: message, with: key))
        #expect(try !chip.verifies(signature, of: message + [0], with: key))
    }

    @Test func `An ECDSA signature comes in the form of JWS and in DER`() throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        let publicKey = try P256.Signing.PublicKey(derRepresentation: key.publicKey)
        for _ in 0..<10 {
            let signature = try chip.tpm.sign(SHA256.hash(data: message), with: key, pin: "482913")
            #expect(signature.rawRepresentation.count == 64)
            let raw = try P256.Signing.ECDSASignature(rawRepresentation: signature.rawRepresentation)
            #expect(publicKey.isValidSignature(raw, for: message))
            #expect(raw.derRepresentation == signature.derRepresentation)
        }
    }

    @Test func `A key that the TPM lacks is refused by name`() throws {
        let chip = try SoftwareTPM()
        let capabilities = try chip.run("swtpm", ["socket", "--tpm2", "--print-capabilities"])
        guard !capabilities.contains("rsa-keysize-4096") else { return }
        #expect(throws: TPMError.unsupportedKey("it has no RSA-4096. Use P-256")) {
            try chip.tpm.makeSigningKey(.rsa4096, pin: "482913")
        }
    }

    @Test func `A chip that cannot be asked for what it has is asked to make the key`() throws {
        let chip = try SoftwareTPM()
        let mute = TappedTransport(chip.connection) { (_, command, answer) throws(TPMError) in
            command.code == CommandCode.testParms.rawValue ? ScriptedTransport.refusal(0x143) : answer
        }
        let key = try TPM(transport: mute).makeSigningKey(.p256, pin: "482913")
        _ = try chip.tpm.sign(SHA256.hash(data: message), with: key, pin: "482913")
        // And refuses with the parameter that holds the template.
        let poor = TappedTransport(mute) { (_, command, answer) throws(TPMError) in
            command.code == CommandCode.create.rawValue ? ScriptedTransport.refusal(0x2C4) : answer
        }
        #expect(
            throws: TPMError.unsupportedKey("it does not make the key, 0x2C4 (value out of range, parameter 2)")
        ) { try TPM(transport: poor).makeSigningKey(.rsa3072, pin: "482913") }
    }

    @Test func `A key keeps working from its bytes, after the TPM was switched off and on`() throws {
        let chip = try SoftwareTPM()
        let rsa = try chip.tpm.makeSigningKey(.rsa2048, pin: "482913").bytes
        let sealed = try chip.tpm.seal(Array("the vault's key".utf8), pin: "1").bytes
        chip.stop()
        #expect(throws: TPMError.self) { try chip.tpm.status() }
        try chip.start()
        let key = try TPMKeyBlob(bytes: rsa)
        let signature = try chip.tpm.sign(SHA256.hash(data: message), with: key, pin: "482913")
        #expect(try chip.verifies(signature, of: message, with: key))
        #expect(try chip.tpm.unseal(try TPMSealedBlob(bytes: sealed), pin: "1") == Array("the vault's key".utf8))
    }

    @Test func `An authorization value with zeros at its end, or as long as can be, is that value`() throws {
        let chip = try SoftwareTPM()
        try chip.limitGuessing(tries: 100, recovery: 1000)
        // The TPM takes zeros off the end; the two must not come to disagree about an HMAC for that.
        for pin in ["482913\0\0", String(repeating: "x", count: 32), String(repeating: "x", count: 31) + "\0", "\0a"] {
            let key = try chip.tpm.makeSigningKey(.p256, pin: pin)
            let signature = try chip.tpm.sign(SHA256.hash(data: message), with: key, pin: pin)
            #expect(try chip.verifies(signature, of: message, with: key))
            #expect(throws: TPMError.self) { try chip.tpm.sign(SHA256.hash(data: message), with: key, pin: "y") }
        }
    }

    @Test func `What cannot be right is refused before the TPM hears of it`() throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        let silent = TPM(transport: ScriptedTransport([]))
        #expect { try silent.sign([UInt8](repeating: 1, count: 20), with: key, pin: "482913") } throws: {
            guard case .invalidArgument = $0 as? TPMError else { return false }
            return true
        }
        for pin in [String(repeating: "x", count: 33), "\0", "\0\0\0"] {
            #expect { try silent.makeSigningKey(.p256, pin: pin) } throws: {
                guard case .invalidArgument = $0 as? TPMError else { return false }
                return true
            }
        }
    }

    @Test func `Calls from many threads are carried out one after the other`() async throws {
        let chip = try SoftwareTPM()
        let (tpm, other) = (chip.tpm, chip.tpm)
        let key = try tpm.makeSigningKey(.p256, pin: "482913")
        let publicKey = try P256.Signing.PublicKey(derRepresentation: key.publicKey)
        try await withThrowingTaskGroup { group in
            for number in 0..<12 {
                group.addTask {
                    let message = Data("message \(number)".utf8)
                    // Some share a TPM, the others come over a connection of their own.
                    let signature = try (number % 3 == 0 ? other : tpm)
                        .sign(SHA256.hash(data: message), with: key, pin: "482913")
                    let raw = try P256.Signing.ECDSASignature(rawRepresentation: signature.rawRepresentation)
                    #expect(publicKey.isValidSignature(raw, for: message))
                }
            }
            try await group.waitForAll()
        }
        #expect(try chip.occupiedSlots() == "")
    }

    @Test func `Random bytes come in the number asked for, and differ`() throws {
        let chip = try SoftwareTPM()
        let some = try chip.tpm.random(100)
        #expect(some.count == 100)
        #expect(try chip.tpm.random(100) != some)
        #expect(throws: TPMError.self) { try chip.tpm.random(0) }
        #expect(throws: TPMError.self) { try chip.tpm.random(1025) }
    }

    @Test func `A TPM at a TCP port of this machine works as well`() throws {
        // A port that was free a moment ago may be taken by now. Those from 20,000 on belong to servers of other tests that come back to theirs.
        for attempt in 1...5 {
            do {
                let chip = try SoftwareTPM(port: UInt16.random(in: 18_000..<20_000))
                #expect(try chip.tpm.random(8).count == 8)
                return
            } catch {
                if attempt == 5 { throw error }
            }
        }
    }
}

extension SoftwareTPM {
    /// What OpenSSL says, which knows nothing of TPMs here.
    func verifies(_ signature: TPMSignature, of message: Data, with key: TPMKeyBlob) throws -> Bool {
        try verifies(signature.derRepresentation, of: message, with: key)
    }

    func verifies(_ signature: Data, of message: Data, with key: TPMKeyBlob) throws -> Bool {
        let pem =
            "-----BEGIN PUBLIC KEY-----\n"
            + key.publicKey.base64EncodedString(options: .lineLength64Characters) + "\n-----END PUBLIC KEY-----\n"
        let outcome = try Tool("openssl").run(
            [
                "dgst", "-sha256", "-verify", try write(Data(pem.utf8), to: "key.pem"),
                "-signature", try write(signature, to: "signature"), try write(message, to: "message"),
            ], in: folder)
        return outcome.status == 0 && outcome.output.contains("Verified OK")
    }
}
