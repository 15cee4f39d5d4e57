import BlockingTestSupport
import Foundation
import JSON
import Passkeys
import Testing

/// The client of PyPI `fido2`, with an authenticator of its own (`peer.py`, in the Python that `make deps` made).
@Suite(.onOwnThreads) struct PeerTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "peer.py")
    private static let python = script.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".build/test-python/bin/python")

    private struct Order: Encodable {
        var origin: String
        var alg: Int
        var create: CreationOptions
        var get: RequestOptions
    }

    private struct Answers: Decodable {
        var registration: RegistrationResponse
        var authentication: AuthenticationResponse
    }

    private func answers(_ order: Order) throws -> Answers {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fido2-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (given, said) = (folder.appending(path: "in"), folder.appending(path: "out"))
        try JSONEncoder().encode(order).write(to: given)
        try Data().write(to: said)
        let process = Process()
        process.executableURL = Self.python
        process.arguments = [Self.script.path]
        process.standardInput = try FileHandle(forReadingFrom: given)
        process.standardOutput = try FileHandle(forWritingTo: said)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try JSONDecoder().decode(Answers.self, from: Data(contentsOf: said))
    }

    @Test(arguments: [COSEAlgorithm.es256, .es384, .edDSA, .rs256])
    func `what fido2 makes of our options registers and signs in`(algorithm: COSEAlgorithm) throws {
        let party = try RelyingParty(id: "example.org", name: "Example", origins: ["https://login.example.org"])
        let handle = Array("user-1".utf8)
        let creation = CreationOptions(
            relyingParty: party, user: CreationOptions.User(id: handle, name: "ada", displayName: "Ada"),
            challenge: Array(0..<32), algorithms: COSEAlgorithm.recommended + [.es384, .es512], attestation: "direct")
        let request = RequestOptions(relyingParty: party, challenge: Array(32..<64))
        let made = try answers(
            Order(origin: "https://login.example.org", alg: algorithm.rawValue, create: creation, get: request))

        let registered = try party.verifyRegistration(
            made.registration, options: creation, attestation: .direct(roots: []), at: Site.time)
        #expect(registered.isUserVerified)
        #expect(registered.credential.attestation.trust == .selfAttested)
        #expect(registered.credential.aaguid == AAGUID([UInt8](0..<16)))
        #expect(try COSEPublicKey(registered.credential.publicKey).algorithm == algorithm)

        let signedIn = try party.verifyAssertion(
            made.authentication, options: request, credential: registered.credential)
        #expect(signedIn.isUserVerified)
        #expect(signedIn.credential.userHandle == handle)
        #expect(signedIn.credential.signCount == registered.credential.signCount + 1)
    }
}
