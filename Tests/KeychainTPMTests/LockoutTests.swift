import BlockingTestSupport
import Crypto
import Foundation
import TPMTestSupport
import Testing

@testable import KeychainTPM

@Suite(.needsSoftwareTPM, .onOwnThreads)
struct LockoutTests {
    let digest = SHA256.hash(data: Data("m".utf8))

    @Test func `Wrong PINs are counted, reported and end in a lockout that time takes back`() throws {
        let chip = try SoftwareTPM()
        let tpm = chip.tpm
        let key = try tpm.makeSigningKey(.p256, pin: "482913")
        let open = try tpm.makeSigningKey(.p256, pin: "")
        let sealed = try tpm.seal([1, 2, 3], pin: "482913")
        // Long enough that nothing is forgotten while we count.
        try chip.limitGuessing(tries: 3, recovery: 1000)
        #expect(try tpm.status().triesLeft == 3)
        for left in [2, 1, 0] {
            #expect(throws: TPMError.wrongAuthorization(triesLeft: left)) {
                try tpm.sign(digest, with: key, pin: "000000")
            }
            // The right one takes nothing back.
            if left > 0 { _ = try tpm.sign(digest, with: key, pin: "482913") }
            #expect(try tpm.status().triesLeft == left)
        }
        let status = try tpm.status()
        #expect(status.isLockedOut)
        #expect(status.failuresCounted == 3)
        #expect(status.maximumFailures == 3)
        #expect(throws: TPMError.lockedOut(retryAfter: 1000)) { try tpm.sign(digest, with: key, pin: "000000") }
        #expect(throws: TPMError.lockedOut(retryAfter: 1000)) { try tpm.sign(digest, with: key, pin: "482913") }
        #expect(throws: TPMError.lockedOut(retryAfter: 1000)) { try tpm.unseal(sealed, pin: "482913") }
        #expect(try tpm.status().failuresCounted == 3, "A refused try does not count.")
        // Others' wrong PINs do not stop what needs none.
        _ = try tpm.sign(digest, with: open, pin: "")
        _ = try tpm.makeSigningKey(.p256, pin: "1")

        try chip.limitGuessing(tries: 3, recovery: 1)
        let deadline = ProcessInfo.processInfo.systemUptime + 600
        while try tpm.status().isLockedOut, ProcessInfo.processInfo.systemUptime < deadline {
            Thread.sleep(forTimeInterval: 0.1)
        }
        _ = try tpm.sign(digest, with: key, pin: "482913")
        #expect(try tpm.unseal(sealed, pin: "482913") == [1, 2, 3])
    }

    @Test func `The first wrong PIN after a start is asked for twice, and counts once`() throws {
        let chip = try SoftwareTPM()
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        chip.stop()
        try chip.start()
        let tap = TappedTransport(chip.connection)
        #expect { try TPM(transport: tap).sign(digest, with: key, pin: "000000") } throws: {
            guard case .wrongAuthorization(_?) = $0 as? TPMError else { return false }
            return true
        }
        #expect(tap.exchanges.contains { $0.answer.code == TPMResponseCode.retry }, "The premise of this test.")
        #expect(try chip.tpm.status().failuresCounted == 1)
    }

    @Test func `A report says whether the limit on guessing can be reset by any user`() throws {
        let chip = try SoftwareTPM()
        try chip.limitGuessing(tries: 5, recovery: 600)
        var status = try chip.tpm.status()
        #expect(status.manufacturer == "IBM")
        #expect(status.model.hasPrefix("SW"))
        #expect(status.secondsPerForgottenFailure == 600)
        #expect(status.lockoutAuthorizationRecovery == 600)
        #expect(!status.lockoutAuthorizationSet)
        #expect(!status.ownerAuthorizationSet)
        #expect(status.guessingLimit == .resettable)

        try chip.run("tpm2_changeauth", ["-c", "lockout", "administrator"])
        status = try chip.tpm.status()
        #expect(status.lockoutAuthorizationSet)
        #expect(status.guessingLimit == .effective)

        try chip.run("tpm2_dictionarylockout", ["-s", "-n", "5", "-t", "0", "-l", "600", "-p", "administrator"])
        #expect(try chip.tpm.status().guessingLimit == .off)
    }

    @Test func `Nothing that we do changes the limit or a hierarchy's password`() throws {
        let chip = try SoftwareTPM()
        let before = try chip.run("tpm2_getcap", ["properties-variable"])
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        let sealed = try chip.tpm.seal([1], pin: "1")
        _ = try chip.tpm.sign(digest, with: key, pin: "482913")
        _ = try chip.tpm.unseal(sealed, pin: "1")
        _ = try? chip.tpm.sign(digest, with: key, pin: "0")
        let after = try chip.run("tpm2_getcap", ["properties-variable"])
        #expect(before != after)
        #expect(
            before.replacing("TPM2_PT_LOCKOUT_COUNTER: 0x0", with: "TPM2_PT_LOCKOUT_COUNTER: 0x1") == after,
            "The count of wrong PINs is all that differs.")
        #expect(try chip.run("tpm2_getcap", ["handles-persistent"]) == "")
    }
}
