import BlockingTestSupport
import Crypto
import Foundation
import TPMTestSupport
import Testing

@testable import KeychainTPM

/// A TPM without a resource manager has three slots for objects and three for sessions. These are on a plain socket.
@Suite(.needsSoftwareTPM, .onOwnThreads)
struct SlotTests {
    let digest = SHA256.hash(data: Data("m".utf8))

    @Test func `Sixty operations, every third a failure, leave nothing behind`() throws {
        let chip = try SoftwareTPM()
        try chip.limitGuessing(tries: 100, recovery: 1000)
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        let sealed = try chip.tpm.seal([1, 2, 3], pin: "482913")
        let abroad = try SoftwareTPM()
        let foreign = try TPMKeyBlob(keyFile: abroad.tpm.makeSigningKey(.p256, pin: "482913").keyFile)
        for round in 0..<10 {
            _ = try chip.tpm.sign(digest, with: key, pin: "482913")
            #expect(throws: TPMError.wrongAuthorization(triesLeft: 99 - round)) {
                try chip.tpm.sign(digest, with: key, pin: "000000")
            }
            _ = try chip.tpm.unseal(sealed, pin: "482913")
            #expect(throws: TPMError.foreignKey) { try chip.tpm.sign(digest, with: foreign, pin: "482913") }
            _ = try chip.tpm.random(4)
            _ = try chip.tpm.seal([1], pin: "")
        }
        #expect(try chip.occupiedSlots() == "")
    }

    @Test func `An answer that was lost on its way leaves nothing behind either`() throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        // Whichever of the commands it is whose answer does not come: what it made is found and freed.
        for lost in 0..<12 {
            let tap = TappedTransport(chip.connection) { (number, _, answer) throws(TPMError) in
                if number == lost { throw .timedOut(seconds: 1) }
                return answer
            }
            _ = try? TPM(transport: tap).sign(digest, with: key, pin: "482913")
            #expect(try chip.occupiedSlots() == "", "answer \(lost)")
        }
        for cut in 0..<12 {
            let tap = TappedTransport(chip.connection) { (number, _, answer) throws(TPMError) in
                number == cut ? Array(answer.dropLast()) : answer
            }
            _ = try? TPM(transport: tap).sign(digest, with: key, pin: "482913")
            #expect(try chip.occupiedSlots() == "", "answer \(cut)")
        }
    }

    @Test func `Other programs' objects are left alone, and a full TPM is called full`() throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        try chip.run("tpm2_createprimary", ["-C", "o", "-G", "ecc256", "-c", "primary.ctx"])
        let occupied = try chip.occupiedSlots()
        #expect(occupied != "")
        _ = try chip.tpm.sign(digest, with: key, pin: "482913")
        let tap = TappedTransport(chip.connection) { (number, _, answer) throws(TPMError) in
            number == 3 ? Array(answer.dropLast()) : answer
        }
        _ = try? TPM(transport: tap).sign(digest, with: key, pin: "482913")
        #expect(try chip.occupiedSlots() == occupied)

        try chip.run("tpm2_createprimary", ["-C", "o", "-G", "ecc256", "-c", "primary.ctx"])
        #expect(throws: TPMError.outOfMemory(TPMResponseCode(0x902))) {
            try chip.tpm.sign(digest, with: key, pin: "482913")
        }
        try chip.run("tpm2_flushcontext", ["-t"])
        _ = try chip.tpm.sign(digest, with: key, pin: "482913")
    }
}
