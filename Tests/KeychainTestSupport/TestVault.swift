#if !canImport(Security)
    import Crypto
    @_spi(Testing) import KeychainServices
    import KeychainTypes
    import SecretVault
    import Synchronization
    import Testing

    /// A vault in a folder of its own, for the time of a closure.
    package enum TestVault {
        package static let application = "facade-tests"

        package static func with(
            _ presence: ScriptedPresence, factors: [Factor] = [.passcode], mapsBiometryToPasscode: Bool = false,
            hardware: (any HardwareKeystore)? = nil, log: @escaping @Sendable (String) -> Void = { _ in },
            _ body: @Sendable (_ directory: String) async throws -> Void
        ) async throws {
            let directory = FileManager.default.temporaryDirectory
                .appendingPathComponent("facade-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: directory) }
            try await configure(
                presence, factors: factors, mapsBiometryToPasscode: mapsBiometryToPasscode, hardware: hardware,
                directory: directory, log: log)
            defer { KeychainVault.reset() }
            try await body(directory)
        }

        package static func configure(
            _ presence: ScriptedPresence, factors: [Factor] = [.passcode], mapsBiometryToPasscode: Bool = false,
            hardware: (any HardwareKeystore)? = nil, directory: String,
            log: @escaping @Sendable (String) -> Void = { _ in }
        ) async throws(KeychainError) {
            var configuration = try VaultConfiguration(
                application: application, presence: presence, factors: factors, directory: directory)
            configuration.keyDerivation = .weakForTests
            configuration.mapsBiometryToPasscode = mapsBiometryToPasscode
            configuration.hardware = hardware
            configuration.log = log
            try await KeychainVault.configure(configuration)
        }
    }

    /// A finger that can be enrolled again.
    package final class TestFinger: SecurityKeyFactor {
        package init() {}

        private let state = Mutex((enrolment: [UInt8]("first".utf8), touches: 0, isThere: true))

        package var touches: Int { state.withLock { $0.touches } }

        /// Takes the reader away, which says nothing about what is enrolled.
        package func unplug() { state.withLock { $0.isThere = false } }

        package func enrolAnother() { state.withLock { $0.enrolment = Array("second".utf8) } }

        package func enrolment() throws(PresenceError) -> [UInt8]? {
            let (enrolment, _, isThere) = state.withLock { $0 }
            guard isThere else { throw .unavailable("unplugged") }
            return enrolment
        }

        package func keyMaterial(salt: [UInt8], reason: String?) throws(PresenceError) -> LockedBytes {
            let enrolment = state.withLock { state in
                state.touches += 1
                return state.enrolment
            }
            return LockedBytes(
                Array(HMAC<SHA256>.authenticationCode(for: salt, using: SymmetricKey(data: enrolment))))
        }
    }

    package final class TestLog: Sendable {
        package init() {}

        private let state = Mutex<[String]>([])
        package var lines: [String] { state.withLock { $0 } }
        package func append(_ line: String) { state.withLock { $0.append(line) } }
    }
#endif
