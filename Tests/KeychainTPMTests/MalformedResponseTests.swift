import BlockingTestSupport
import Crypto
import Foundation
import TPMTestSupport
import Testing

@testable import KeychainTPM

@Suite struct MalformedResponseTests {
    @Test(arguments: [
        ("nothing", [UInt8]()),
        ("half a header", [0x80, 0x01, 0, 0]),
        ("a size that is too large", [0x80, 0x01, 0, 0, 0, 11, 0, 0, 0, 0]),
        ("a size that is too small", [0x80, 0x01, 0, 0, 0, 10, 0, 0, 0, 0, 0]),
        ("a size of four gigabytes", [0x80, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]),
        ("the answer of a TPM 1.2", [0x00, 0xC4, 0, 0, 0, 10, 0, 0, 0, 0x1E]),
        ("a refusal with parameters", [0x80, 0x01, 0, 0, 0, 11, 0, 0, 1, 1, 0]),
        ("a refusal in a session", [0x80, 0x02, 0, 0, 0, 10, 0, 0, 1, 1]),
        ("more than a message may have", [0x80, 0x01, 0, 0, 0x10, 1] + [UInt8](repeating: 0, count: 4091)),
        ("an answer in a session that there is not", [0x80, 0x02, 0, 0, 0, 14, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("no parameters", [0x80, 0x01, 0, 0, 0, 10, 0, 0, 0, 0]),
        (
            "more properties than bytes",
            [0x80, 0x01, 0, 0, 0, 19, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 9]
        ),
        (
            "four thousand million properties",
            [0x80, 0x01, 0, 0, 0, 19, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0xFF, 0xFF, 0xFF, 0xFF]
        ),
    ])
    func `An answer that cannot be is an error`(_ what: String, _ answer: [UInt8]) {
        #expect {
            try TPM(transport: ScriptedTransport([answer])).status()
        } throws: {
            guard case .malformedResponse = $0 as? TPMError else { return false }
            return true
        }
    }

    @Test func `Noise of any length ends in an error`() {
        var generator = SeededGenerator(state: 42)
        for _ in 0..<2000 {
            let answer = (0..<Int.random(in: 0...120, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            #expect(throws: TPMError.self) { try TPM(transport: ScriptedTransport([answer])).status() }
            #expect(throws: TPMError.self) { try TPM(transport: ScriptedTransport([answer])).random(4) }
            // With a header that is right, the noise gets further.
            let framed = ScriptedTransport.success(answer)
            #expect(throws: TPMError.self) { try TPM(transport: ScriptedTransport([framed, framed])).status() }
            #expect(throws: TPMError.self) { try TPM(transport: ScriptedTransport([framed])).random(4) }
        }
    }

    @Test func `Noise is no key`() {
        var generator = SeededGenerator(state: 7)
        for _ in 0..<5000 {
            let noise = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            #expect(throws: TPMError.self) { try TPMKeyBlob(bytes: noise) }
            #expect(throws: TPMError.self) { try TPMSealedBlob(keyFile: Data(noise)) }
            #expect(throws: WireReader.Fault.self) { try PublicArea(reading: noise) }
        }
    }
}

/// True answers of a TPM, damaged on their way in every place that there is.
@Suite(.needsSoftwareTPM, .onOwnThreads)
struct DamagedResponseTests {
    let digest = SHA256.hash(data: Data("m".utf8))

    @Test func `Whatever happens to an answer, the operation ends in an error or in the truth`() throws {
        let chip = try SoftwareTPM()
        try chip.limitGuessing(tries: 1_000_000, recovery: 1000)
        let key = try chip.tpm.makeSigningKey(.p256, pin: "482913")
        let publicKey = try P256.Signing.PublicKey(derRepresentation: key.publicKey)
        let sealed = try chip.tpm.seal([1, 2, 3], pin: "482913")
        let generator = Locking(SeededGenerator(state: 1))
        var (errors, truths) = (0, 0)
        for round in 0..<240 {
            let target = round % 10
            let tap = TappedTransport(chip.connection) { (number, _, answer) throws(TPMError) in
                guard number == target else { return answer }
                return generator.withLock { Self.damage(answer, &$0) }
            }
            let tpm = TPM(transport: tap, retry: RetryPolicy(sleep: { _ in }))
            do {
                switch round % 3 {
                case 0:
                    let signature = try tpm.sign(digest, with: key, pin: "482913")
                    let raw = try P256.Signing.ECDSASignature(rawRepresentation: signature.rawRepresentation)
                    #expect(publicKey.isValidSignature(raw, for: digest))
                case 1: #expect(try tpm.unseal(sealed, pin: "482913") == [1, 2, 3])
                default:
                    let made = try tpm.makeSigningKey(.p256, pin: "1")
                    _ = try chip.tpm.sign(digest, with: made, pin: "1")
                }
                truths += 1
            } catch is TPMError { errors += 1 }
        }
        #expect(errors > 100)
        #expect(truths > 20)
        #expect(try chip.occupiedSlots() == "")
    }

    private static func damage(_ answer: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var answer = answer
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: answer.removeLast(Int.random(in: 1...answer.count, using: &generator))
        case 1:
            // Shortened or lengthened with a size that fits.
            answer.removeLast(Int.random(in: 0...answer.count - 10, using: &generator))
            if Bool.random(using: &generator) { answer += [UInt8](repeating: 0xA5, count: 9) }
            answer.replaceSubrange(2..<6, with: WireWriter.bytes { $0.put(UInt32(answer.count)) })
        case 2: answer[Int.random(in: 0..<answer.count, using: &generator)] ^= 0xFF
        case 3:
            for _ in 0..<4 {
                answer[Int.random(in: 0..<answer.count, using: &generator)] =
                    UInt8.random(in: .min ... .max, using: &generator)
            }
        default:
            // A length inside that is far too large.
            let position = Int.random(in: 6..<max(7, answer.count - 1), using: &generator)
            answer[position] = 0xFF
            if position + 1 < answer.count { answer[position + 1] = 0xFF }
        }
        return answer
    }
}

/// SplitMix64: the same sequence on every machine.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
