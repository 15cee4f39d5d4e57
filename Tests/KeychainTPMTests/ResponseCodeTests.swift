import Testing

@testable import KeychainTPM

/// Part 2, clause 6.6, and what spec'd chips were seen to say.
@Suite struct ResponseCodeTests {
    @Test(arguments: [
        (UInt32(0x98E), UInt32(0x08E), TPMResponseCode.Subject.session(1)),
        (0x9A2, 0x0A2, .session(1)),
        (0x1DF, 0x09F, .parameter(1)),
        (0x2C4, 0x084, .parameter(2)),
        (0x18B, 0x08B, .handle(1)),
        (0x28B, 0x08B, .handle(2)),
        (0xFDF, 0x09F, .parameter(15)),
        (0x08E, 0x08E, nil),
        (0x0DF, 0x09F, nil),
        (0x88E, 0x08E, nil),
        // A resource manager speaks: the layer in the upper half does not change the meaning.
        (0x000B_018B, 0x08B, .handle(1)),
        (0x921, 0x921, nil),
        (0x101, 0x101, nil),
        (0x143, 0x143, nil),
        (0x000B_0143, 0x143, nil),
        (0xFFFF_FFFF, 0x0BF, .parameter(15)),
        (0, 0, nil),
    ])
    func `A code is taken apart`(_ raw: UInt32, _ base: UInt32, _ subject: TPMResponseCode.Subject?) {
        let code = TPMResponseCode(raw)
        #expect(code.base == base)
        #expect(code.subject == subject)
    }

    @Test(arguments: [(UInt32(0x922), true), (0x908, true), (0x909, true), (0x90A, true), (0x920, true), (0x923, true)])
    func `Some warnings ask for the same again`(_ raw: UInt32, _ retry: Bool) {
        #expect(TPMResponseCode(raw).asksForRetry == retry)
        #expect(TPMResponseCode(raw).isWarning)
    }

    @Test(arguments: [UInt32(0x921), 0x902, 0x98E, 0x101, 0x100, 0x1DF, 0, 0xFFFF_FFFF])
    func `Nothing else does`(_ raw: UInt32) {
        #expect(!TPMResponseCode(raw).asksForRetry)
    }

    @Test func `A lockout and a full TPM are warnings, a wrong authorization is none`() {
        #expect(TPMResponseCode(0x921).isWarning)
        #expect(TPMResponseCode(0x902).isWarning)
        #expect(TPMResponseCode(0x902).isOutOfMemory)
        #expect(!TPMResponseCode(0x98E).isWarning)
        #expect(!TPMResponseCode(0x101).isWarning)
        #expect(!TPMResponseCode(0xFFFF_FFFF).isWarning)
    }

    @Test(arguments: [
        (UInt32(0x98E), "0x98E (wrong authorization, session 1)"),
        (0x1DF, "0x1DF (integrity check failed, parameter 1)"),
        (0x28B, "0x28B (no such handle, handle 2)"), (0x921, "0x921 (locked out)"), (0x17F, "0x17F"),
    ])
    func `A code is printed with its meaning`(_ raw: UInt32, _ text: String) {
        #expect(TPMResponseCode(raw).description == text)
    }

    @Test func `What goes wrong is said with what to do, and without a secret`() {
        #expect(
            TPMError.wrongAuthorization(triesLeft: 2).description == "Wrong PIN. The TPM allows 2 more before it locks."
        )
        #expect("\(TPMError.lockedOut(retryAfter: 600))".contains("600 s"))
        #expect("\(TPMError.ownerAuthorizationRequired)".contains("0x81000001"))
        #expect(
            "\(TPMError.refused(TPMResponseCode(0x101), command: "Sign"))"
                == "The TPM refused Sign: 0x101 (in failure mode).")
    }
}
