import Crypto
import Foundation
import NIOCore
import NIOPosix

/// Another identity server that does the same work, glewlwyd 2.7 of Debian, with its data in SQLite: measured in the same rounds as
/// ours, where it is asked for and installed. What it is compared by, and how it is set up, is in Benchmarks/RESULTS.md.
struct PeerServer: Sendable {
    let server: ServerProcess
    let people: Turns

    private static let program = "/usr/bin/glewlwyd"
    private static let database = "/usr/bin/sqlite3"
    private static let schema = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
    private static let modules = "/usr/lib/glewlwyd"

    static var isInstalled: Bool {
        [program, database].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
            && FileManager.default.isReadableFile(atPath: schema)
    }

    /// Makes its data and starts it.
    init(in scratch: String, people count: Int, indexed: Bool, load: Load) async throws {
        let folder = "\(scratch)/peer"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let port = try await Self.freePort()
        let files = (data: "\(folder)/peer.db", made: "\(folder)/peer.sql", settings: "\(folder)/peer.conf")
        try Self.statements(people: count, indexed: indexed, port: port)
            .write(toFile: files.made, atomically: true, encoding: .utf8)
        try await Self.run(Self.database, ["-bail", files.data, ".read \(files.made)"])
        try Self.settings(port: port, database: files.data)
            .write(toFile: files.settings, atomically: true, encoding: .utf8)
        server = try ServerProcess(Self.program, ["--config-file=\(files.settings)"], port: port)
        people = Turns(0..<count)
        for attempt in 1... {
            do {
                _ = try await load.run(port: port, connections: 1, seconds: 10) { _ in
                    Getting(PeerRequest.keys, times: 1)
                }
                return
            } catch {
                // It does not say when it listens.
                guard attempt < 500 else { throw error }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }

    private static func run(_ program: String, _ arguments: [String]) async throws {
        let process = try Process.started(program, arguments)
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        guard process.terminationStatus == 0 else { throw Unavailable(description: "\(program) failed") }
    }

    /// Without a log, and with its own defaults.
    private static func settings(port: Int, database: String) -> String {
        """
        port=\(port)
        bind_address="127.0.0.1"
        external_url="http://127.0.0.1:\(port)/"
        login_url="login.html"
        api_prefix="api"
        log_mode="console"
        log_level="NONE"
        cookie_secure=0
        session_expiration=2419200
        session_key="GLEWLWYD2_SESSION_ID"
        admin_scope="g_admin"
        profile_scope="g_profile"
        user_module_path="\(modules)/user"
        client_module_path="\(modules)/client"
        user_auth_scheme_module_path="\(modules)/scheme"
        plugin_module_path="\(modules)/plugin"
        hash_algorithm="SHA512"
        database = { type = "sqlite3"; path = "\(database)"; };

        """
    }

    /// Its own schema and what an administrator would enter: a scope that wants password and code, an application whose refresh tokens
    /// are used once, users who have allowed it. The password's hash is the least that it takes: PBKDF2 with one iteration.
    private static func statements(people: Int, indexed: Bool, port: Int) throws -> String {
        let key = P256.Signing.PrivateKey()
        let plugin: [String: Any] = [
            "iss": "http://127.0.0.1:\(port)/api/oidc", "jwt-type": "ecdsa", "jwt-key-size": "256",
            "key": key.pemRepresentation, "cert": key.publicKey.pemRepresentation, "access-token-duration": 3600,
            "refresh-token-duration": 1_209_600, "code-duration": 600, "refresh-token-rolling": true,
            "refresh-token-one-use": "always", "allow-non-oidc": false, "auth-type-code-enabled": true,
            "auth-type-token-enabled": false, "auth-type-implicit-enabled": false, "auth-type-password-enabled": false,
            "auth-type-client-enabled": false, "auth-type-device-enabled": false, "auth-type-refresh-enabled": true,
            "subject-type": "public", "jwks-show": true, "pkce-allowed": true, "pkce-method-plain-allowed": false,
        ]
        // One step to either side, as ours.
        let authenticator =
            #"{"issuer":"bench","secret-minimum-size":16,"otp-length":6,"hotp-allow":false,"#
            + #""totp-allow":true,"totp-window":30,"window":1,"totp-start-offset":0}"#
        let parameters = String(decoding: try JSONSerialization.data(withJSONObject: plugin), as: UTF8.self)
        let salt = Data("sixteen-bytes-of".utf8)
        // The first block of PBKDF2 with one iteration (RFC 8018, section 5.2).
        let hash = HMAC<SHA256>.authenticationCode(
            for: salt + Data([0, 0, 0, 1]), using: SymmetricKey(data: Data(Person.password.utf8)))
        let password = (Data(hash) + salt).base64EncodedString() + ",1"
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(people))"
        return """
            PRAGMA journal_mode=WAL;
            .read \(schema)
            BEGIN;
            INSERT INTO g_user_auth_scheme_module_instance
              (guasmi_id, guasmi_module, guasmi_expiration, guasmi_name, guasmi_display_name, guasmi_parameters)
              VALUES (100, 'otp', 600, 'otp', 'otp', '\(authenticator)');
            INSERT INTO g_scope (gs_id, gs_name, gs_display_name, gs_password_required, gs_password_max_age)
              VALUES (100, 'bench', 'bench', 1, 600);
            INSERT INTO g_scope_group (gsg_id, gs_id, gsg_name) VALUES (100, 100, 'second');
            INSERT INTO g_scope_group_auth_scheme_module_instance (gsg_id, guasmi_id) VALUES (100, 100);
            INSERT INTO g_plugin_module_instance (gpmi_module, gpmi_name, gpmi_display_name, gpmi_parameters)
              VALUES ('oidc', 'oidc', 'oidc', '\(parameters)');
            INSERT INTO g_client (gc_id, gc_client_id, gc_name) VALUES (100, 'bench', 'bench');
            INSERT INTO g_client_property (gc_id, gcp_name, gcp_value) VALUES
              (100, 'redirect_uri', 'https://app.bench.example/callback'), (100, 'authorization_type', 'code'),
              (100, 'authorization_type', 'refresh_token'), (100, 'token_endpoint_auth_method', 'none');
            INSERT INTO g_user_scope (gus_id, gus_name) VALUES (100, 'bench'), (101, 'openid');
            \(numbers) INSERT INTO g_user (gu_id, gu_username, gu_email)
              SELECT 100 + i, 'person' || i, 'person' || i || '@bench.example' FROM n;
            \(numbers) INSERT INTO g_user_password (gu_id, guw_password) SELECT 100 + i, '\(password)' FROM n;
            \(numbers) INSERT INTO g_user_scope_user (gu_id, gus_id)
              SELECT 100 + i, s.gus_id FROM n, g_user_scope s WHERE s.gus_id >= 100;
            \(numbers) INSERT INTO gs_otp
              (gso_mod_name, gso_issued_at, gso_last_used, gso_username, gso_otp_type, gso_secret,
              gso_totp_time_step_size)
              SELECT 'otp', 0, 0, 'person' || i, 1, '\(Person.base32Secret)', 30 FROM n;
            \(numbers) INSERT INTO g_client_user_scope (gs_id, gcus_username, gcus_client_id)
              SELECT s.gs_id, 'person' || i, 'bench' FROM n, g_scope s WHERE s.gs_name IN ('bench', 'openid');
            \(indexed ? indexes : "")
            COMMIT;
            PRAGMA wal_checkpoint(TRUNCATE);

            """
    }

    /// Its schema has none for these look-ups, each of which would read a whole table: with them its cost does not grow with users and
    /// sessions, which is in its favour.
    private static let indexes = """
        CREATE INDEX bench_user ON g_user(UPPER(gu_username));
        CREATE INDEX bench_otp ON gs_otp(UPPER(gso_username));
        CREATE INDEX bench_password ON g_user_password(gu_id);
        CREATE INDEX bench_scope ON g_user_scope_user(gu_id);
        CREATE INDEX bench_session ON g_user_session(gus_session_hash);
        CREATE INDEX bench_scheme ON g_user_session_scheme(gus_id);
        """

    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }
}
