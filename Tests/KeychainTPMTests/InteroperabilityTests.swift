import BlockingTestSupport
import Crypto
import Foundation
import TPMTestSupport
import Testing

@testable import KeychainTPM

@Suite(.needsSoftwareTPM, .onOwnThreads)
struct InteroperabilityTests {
    let message = Data("transfer 100 to Ada".utf8)

    /// The storage key as tpm2-tools derive it.
    private func deriveStorageKey(_ chip: SoftwareTPM) throws {
        try chip.run(
            "tpm2_createprimary",
            [
                "-C", "o", "-g", "sha256", "-G", "ecc256", "-c", "primary.ctx", "-a",
                "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|restricted|decrypt|noda",
            ])
        try chip.run("tpm2_flushcontext", ["-t"])
    }

    @Test(arguments: [TPMKeyKind.rsa2048, .p256])
    func `tpm2-tools load our key and sign with it`(_ kind: TPMKeyKind) throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(kind, pin: "482913")
        try deriveStorageKey(chip)
        let publicArea = WireWriter.bytes { $0.putSized(key.object.publicArea.encoded) }
        let privateArea = WireWriter.bytes { $0.putSized(key.object.privateArea) }
        try chip.run(
            "tpm2_load",
            [
                "-C", "primary.ctx", "-u", try chip.write(publicArea, to: "key.pub"),
                "-r", try chip.write(privateArea, to: "key.priv"), "-c", "key.ctx",
            ])
        try chip.run("tpm2_flushcontext", ["-t"])
        try chip.run(
            "tpm2_sign",
            [
                "-c", "key.ctx", "-p", "482913", "-g", "sha256", "-s", kind == .p256 ? "ecdsa" : "rsassa",
                "-f", "plain", "-o", "theirs", try chip.write(message, to: "message"),
            ])
        let theirs = try Data(contentsOf: URL(fileURLWithPath: chip.folder + "/theirs"))
        #expect(try chip.verifies(theirs, of: message, with: key))
    }

    @Test(arguments: [("rsa2048:rsassa-sha256:null", TPMKeyKind.rsa2048), ("ecc256", .p256)])
    func `We sign with a key of tpm2-tools, whose scheme may be open`(_ algorithm: String, _ kind: TPMKeyKind) throws {
        let chip = try SoftwareTPM()
        try deriveStorageKey(chip)
        try chip.run(
            "tpm2_create",
            [
                "-C", "primary.ctx", "-G", algorithm, "-u", "key.pub", "-r", "key.priv", "-p", "482913", "-a",
                "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|sign",
            ])
        try chip.run("tpm2_flushcontext", ["-t"])
        let publicArea = try Data(contentsOf: URL(fileURLWithPath: chip.folder + "/key.pub"))
        let privateArea = try Data(contentsOf: URL(fileURLWithPath: chip.folder + "/key.priv"))
        let file = DER.sequence(
            TPMKeyFile.Content.loadableKey.objectIdentifier, DER.integer([0x40, 0, 0, 1]),
            DER.octetString(Array(publicArea)), DER.octetString(Array(privateArea)))
        let key = try TPMKeyBlob(keyFile: Data(file))
        #expect(key.kind == kind)
        let signature = try chip.tpm.sign(SHA256.hash(data: message), with: key, pin: "482913")
        #expect(try chip.verifies(signature, of: message, with: key))
    }

    @Test func `tpm2-tools unseal what we sealed`() throws {
        let chip = try SoftwareTPM()
        let blob = try chip.tpm.seal(Array("vault".utf8), pin: "482913")
        try deriveStorageKey(chip)
        let publicArea = WireWriter.bytes { $0.putSized(blob.object.publicArea.encoded) }
        let privateArea = WireWriter.bytes { $0.putSized(blob.object.privateArea) }
        try chip.run(
            "tpm2_load",
            [
                "-C", "primary.ctx", "-u", try chip.write(publicArea, to: "s.pub"),
                "-r", try chip.write(privateArea, to: "s.priv"), "-c", "s.ctx",
            ])
        try chip.run("tpm2_flushcontext", ["-t"])
        #expect(try chip.run("tpm2_unseal", ["-c", "s.ctx", "-p", "482913"]) == "vault")
    }

    @Test(.enabled(if: openSSLProvider, "OpenSSL's TPM provider (tpm2-openssl) is not installed"))
    func `OpenSSL's TPM provider signs with our key file`() throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        let file = try chip.write(Data(key.keyFilePEM.utf8), to: "key.tss2")
        try chip.run(
            "openssl",
            [
                "pkeyutl", "-provider", "tpm2", "-provider", "default", "-propquery", "?provider=tpm2", "-sign",
                "-rawin", "-digest", "sha256", "-inkey", file, "-passin", "pass:482913",
                "-in", try chip.write(message, to: "message"), "-out", "theirs",
            ])
        let theirs = try Data(contentsOf: URL(fileURLWithPath: chip.folder + "/theirs"))
        #expect(try chip.verifies(theirs, of: message, with: key))
    }

    private static let openSSLProvider: Bool = {
        // MODULESDIR: "/usr/lib/…/ossl-modules"
        let said = try? Tool("openssl").run(["version", "-m"], in: "/tmp").output
        guard let folder = said?.split(separator: "\"").dropFirst().first else { return false }
        return FileManager.default.fileExists(atPath: folder + "/tpm2.so")
    }()
}
