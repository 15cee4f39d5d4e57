import Crypto
import CryptoExtras
import Foundation
import PasskeyAuthenticator
import Passkeys

/// Assertions of passkeys that are verified whole, beside the bare verification of the system's OpenSSL.
enum PasskeyVerification {
    enum Kind: String {
        case es256, eddsa, rs256
    }

    /// From the parsed response to the verdict: client data, authenticator data, key, signature.
    static func assertion(_ bench: Workbench, _ kind: Kind) throws -> [Quantity: [Double]] {
        let party = try RelyingParty(id: "bench.example", name: "Bench", origins: ["https://login.bench.example"])
        let options = RequestOptions(relyingParty: party, challenge: Array(0..<32))
        let client = Array(
            #"{"type":"webauthn.get","challenge":"\#(base64URL(options.challenge))","origin":"https://login.bench.example","crossOrigin":false}"#
                .utf8)
        let data = Array(SHA256.hash(data: Data("bench.example".utf8))) + [0x05, 0, 0, 0, 0]
        let signed = Data(data + SHA256.hash(data: Data(client)))
        let (key, signature) = try made(kind, over: signed)
        let id = [UInt8](repeating: 7, count: 32)
        let response = AuthenticationResponse(
            rawID: id, clientDataJSON: client, authenticatorData: data, signature: signature, userHandle: [1])
        let record = CredentialRecord(
            id: id, publicKey: key.encoded, userHandle: [1], rpID: party.id, signCount: 0, uvInitialized: true,
            backupEligible: false, backupState: false)
        return try InProcess.rate(bench) {
            InProcess.blackHole(try party.verifyAssertion(response, options: options, credential: record))
        }
    }

    private static func made(_ kind: Kind, over message: Data) throws -> (key: CBORItem, signature: [UInt8]) {
        switch kind {
        case .es256:
            let key = P256.Signing.PrivateKey()
            let point = Array(key.publicKey.rawRepresentation)
            let cose = CBORItem.map([
                (.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(1)), (.int(-2), .bytes(Array(point[..<32]))),
                (.int(-3), .bytes(Array(point[32...]))),
            ])
            return (cose, Array(try key.signature(for: message).derRepresentation))
        case .eddsa:
            let key = Curve25519.Signing.PrivateKey()
            let cose = CBORItem.map([
                (.int(1), .int(1)), (.int(3), .int(-8)), (.int(-1), .int(6)),
                (.int(-2), .bytes(Array(key.publicKey.rawRepresentation))),
            ])
            return (cose, Array(try key.signature(for: message)))
        case .rs256:
            let key = BenchDevice.key
            let numbers = try key.publicKey.getKeyPrimitives()
            let cose = CBORItem.map([
                (.int(1), .int(3)), (.int(3), .int(-257)), (.int(-1), .bytes(Array(numbers.modulus))),
                (.int(-2), .bytes(Array(numbers.publicExponent))),
            ])
            let signature = try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
            return (cose, Array(signature.rawRepresentation))
        }
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// `openssl speed`, by the same clock: the program that the system has, for one second.
    @Sendable static func openSSL(_ kind: Kind) throws -> [Quantity: [Double]] {
        let name =
            switch kind {
            case .es256: "ecdsap256"
            case .eddsa: "ed25519"
            case .rs256: "rsa2048"
            }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "speed", "-elapsed", "-mr", "-seconds", "1", name]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try withoutBlockedSignals { try process.run() }
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard let verified = rate(in: text) else { throw NoOpenSSL() }
        return [.perSecond: [verified]]
    }

    /// A program inherits which signals the thread blocks that starts it, and threads of a pool block nearly all. `openssl speed` ends by
    /// an alarm.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    /// The last number of the line `+F4:3:256:SIGNATURES:VERIFICATIONS`, each for a second.
    static func rate(in text: String) -> Double? {
        text.split(whereSeparator: \.isNewline).last { $0.hasPrefix("+F") && !$0.hasPrefix("+F0") }
            .flatMap { $0.split(separator: ":").last }.flatMap { Double($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    struct NoOpenSSL: Error, CustomStringConvertible {
        let description = "`openssl speed` says nothing that can be compared: install OpenSSL 3"
    }
}
