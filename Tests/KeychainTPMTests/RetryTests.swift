import Crypto
import TPMTestSupport
import Testing

@testable import KeychainTPM

/// Commands that the TPM was not ready for, with a clock that is written down instead of waited for.
@Suite struct RetryTests {
    private func tpm(_ transport: ScriptedTransport, _ pauses: Locking<[Double]>) -> TPM {
        var retry = RetryPolicy()
        retry.sleep = { pause in pauses.withLock { $0.append(pause) } }
        return TPM(transport: transport, retry: retry)
    }

    @Test(arguments: [UInt32(0x922), 0x908, 0x909, 0x90A, 0x920, 0x923])
    func `The same bytes are sent again until they are taken`(_ code: UInt32) throws {
        let pauses = Locking<[Double]>([])
        let transport = ScriptedTransport(
            [ScriptedTransport.refusal(code), ScriptedTransport.refusal(code)] + ScriptedTransport.status)
        let status = try tpm(transport, pauses).status()
        #expect(status.triesLeft == 3)
        #expect(transport.commands.count == 4)
        #expect(Set(transport.commands.prefix(3)).count == 1)
        #expect(pauses.withLock { $0 } == [0.01, 0.02])
    }

    @Test func `A TPM that is never ready is called busy after a bounded time`() throws {
        let pauses = Locking<[Double]>([])
        let transport = ScriptedTransport(Array(repeating: ScriptedTransport.refusal(0x922), count: 100))
        #expect(throws: TPMError.busy(TPMResponseCode(0x922))) { try tpm(transport, pauses).status() }
        #expect(transport.commands.count == 12)
        let waited = pauses.withLock { $0 }
        #expect(waited.count == 11)
        #expect(waited.max() == 1)
        #expect(waited.reduce(0, +) < 6)
    }

    @Test(arguments: [
        (UInt32(0x101), TPMError.refused(TPMResponseCode(0x101), command: "GetCapability")),
        (0x100, .refused(TPMResponseCode(0x100), command: "GetCapability")),
        (0x903, .outOfMemory(TPMResponseCode(0x903))),
        (0x921, .refused(TPMResponseCode(0x921), command: "GetCapability")),
    ])
    func `Other refusals are not repeated`(_ code: UInt32, _ error: TPMError) throws {
        let pauses = Locking<[Double]>([])
        let transport = ScriptedTransport([ScriptedTransport.refusal(code)] + ScriptedTransport.status)
        #expect(throws: error) { try tpm(transport, pauses).status() }
        #expect(transport.commands.count == 1)
        #expect(pauses.withLock { $0 }.isEmpty)
    }

    @Test func `A pause is bounded however many attempts there are`() {
        #expect(RetryPolicy().pause(after: 1) == 0.01)
        #expect(RetryPolicy().pause(after: 7) == 0.64)
        #expect(RetryPolicy().pause(after: 8) == 1)
        #expect(RetryPolicy().pause(after: 1_000_000) == 1)
    }

    @Test(arguments: [UInt32(0x1C4), 0x2C7, 0x1D2])
    func `A chip that does not know the parameters of a key is not asked to make it`(_ code: UInt32) throws {
        let transport = ScriptedTransport([ScriptedTransport.refusal(code)])
        #expect(throws: TPMError.unsupportedKey("it has no RSA-4096. Use P-256")) {
            try TPM(transport: transport).makeSigningKey(.rsa4096, pin: "1")
        }
        #expect(transport.commands.map(\.code) == [CommandCode.testParms.rawValue])
    }
}

@Suite struct StatusTests {
    @Test func `Properties are read page by page`() throws {
        let transport = ScriptedTransport([
            ScriptedTransport.properties([0x100: 0x322E_3000], more: true),
            ScriptedTransport.properties([0x105: 0x494E_5443, 0x106: 0x4142_0000, 0x107: 0x4344_0A1B], more: true),
            // A page without a last property has nothing more behind it that we want.
            ScriptedTransport.properties([0x10B: 0x0007_0002, 0x10C: 0x0003_0004, 0x10D: 1], more: true),
            ScriptedTransport.properties([0x200: 0x204, 0x20E: 7, 0x20F: 5, 0x210: 600, 0x211: 86400]),
        ])
        let status = try TPM(transport: transport).status()
        #expect(status.manufacturer == "INTC")
        // Nothing that moves the cursor.
        #expect(status.model == "ABCD")
        #expect(status.firmwareVersion == "7.2.3.4")
        #expect(status.isLockedOut)
        #expect(status.triesLeft == 0)
        #expect(status.lockoutAuthorizationSet)
        #expect(status.guessingLimit == .effective)
        #expect(status.lockoutAuthorizationRecovery == 86400)
    }

    @Test func `A TPM that always has more to say does not keep us`() throws {
        let same = ScriptedTransport.properties([0x100: 0x322E_3000], more: true)
        let transport = ScriptedTransport(Array(repeating: same, count: 1000))
        #expect(throws: TPMError.self) { try TPM(transport: transport).status() }
        #expect(transport.commands.count < 10)
    }

    @Test func `Without the count there is no report`() throws {
        var answers = ScriptedTransport.status
        answers[1] = ScriptedTransport.properties([0x200: 0, 0x20F: 5, 0x210: 10, 0x211: 15])
        let transport = ScriptedTransport(answers)
        #expect(throws: TPMError.malformedResponse("the property 0x20e is missing")) {
            try TPM(transport: transport).status()
        }
    }

    @Test func `A TPM of another family is none`() throws {
        let transport = ScriptedTransport([
            ScriptedTransport.properties([0x100: 0x312E_3200]), ScriptedTransport.status[1],
        ])
        #expect(throws: TPMError.unavailable("it is no TPM 2.0.")) { try TPM(transport: transport).status() }
    }
}
