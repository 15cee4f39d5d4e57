import Foundation
import Passkeys
import Testing

/// Registrations and assertions of the vectors with a few bytes changed, left out, doubled or put in.
///
/// A trap ends the process, so that passing is the proof. One in sixteen is verified to the end: most of that time goes into
/// signatures that the change made wrong.
@Suite struct PasskeyFuzzTests {
    private static let isEndurance = ProcessInfo.processInfo.environment["ENDURANCE_ROUNDS"] != nil
    private static let rounds = isEndurance ? 1_000_000 : 100_000

    /// Bytes in memory, of this process.
    private static func memory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * 4096
    }

    private static func mutate(_ bytes: inout [UInt8], with random: inout Seeded) {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
            switch UInt8.random(in: 0..<6, using: &random) {
            case 0 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1 where !bytes.isEmpty: bytes[place] = .random(in: 0...255, using: &random)
            case 2 where !bytes.isEmpty: bytes.removeSubrange(place..<min(bytes.count, place + 8))
            case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 16)], at: place)
            // The greatest lengths that an initial byte of CBOR announces, and of DER.
            case 4: bytes.insert(contentsOf: [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], at: place)
            default: bytes = Array(bytes.prefix(place))
            }
        }
    }

    @Test
    func `no mutated registration or assertion is accepted by a signature, traps, or needs memory without bounds`()
        throws
    {
        var random = Seeded(state: 17)
        let vectors = Vector.supported
        let records = try vectors.map { try $0.register().credential }
        let policy = AttestationPolicy.direct(roots: try Example.roots())
        let signed = vectors.indices.filter { vectors[$0].isSigned }
        let before = try Self.memory()
        for round in 0..<Self.rounds {
            switch round % 32 {
            case 0:
                // A statement that is read before anything is verified, up to the certificates.
                let vector = vectors[signed[round / 32 % signed.count]]
                var response = vector.response
                Self.mutate(&response.attestationObject, with: &random)
                if response == vector.response { continue }
                // The AAGUID of U2F is not signed. Of a certificate the statement's signature holds the key alone: what else is changed in
                // it only the chain shows, which then leads to no root.
                let found = try? vector.register(response, policy: policy).credential.attestation
                #expect(found == nil || found?.format == "fido-u2f" || found?.trust == .untrusted, "\(round)")
            case 1:
                let place = round / 32 % vectors.count
                var response = vectors[place].assertion
                Self.mutate(&response.authenticatorData, with: &random)
                Self.mutate(&response.signature, with: &random)
                if response == vectors[place].assertion { continue }
                #expect(throws: PasskeyFault.self) { try vectors[place].signIn(response, with: records[place]) }
            case 2..<12:
                let vector = vectors[round % vectors.count]
                var response = vector.response
                Self.mutate(&response.attestationObject, with: &random)
                _ = try? vector.register(response)
            case 12..<18:
                var bytes = vectors[round % vectors.count].assertion.authenticatorData
                Self.mutate(&bytes, with: &random)
                _ = try? AuthenticatorData(bytes)
            case 18..<24:
                var bytes = records[round % vectors.count].publicKey
                Self.mutate(&bytes, with: &random)
                _ = try? COSEPublicKey(bytes)
            default:
                var bytes = vectors[round % vectors.count].assertion.clientDataJSON
                Self.mutate(&bytes, with: &random)
                _ = try? ClientData(bytes)
            }
        }
        // Other suites share the process but for `make endurance`, which runs this one alone.
        if Self.isEndurance { #expect(try Self.memory() - before < 32 << 20) }
    }
}
