import CountersignCore
import Foundation
import Logging
import PasswordHashing
import ServerHTTP
import TestSupport
import Testing

@testable import CountersignServer

@Suite struct ServerConfigurationTests {
    /// A directory that is there for one test.
    private final class Files: Sendable {
        let directory: URL

        init() throws {
            directory = try TestRun.place(for: "configuration")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }

        deinit {
            try? FileManager.default.removeItem(at: directory)
        }

        func write(_ text: String, to name: String) throws -> String {
            let url = directory.appendingPathComponent(name)
            try text.write(to: url, atomically: true, encoding: .utf8)
            return url.path
        }

        /// Readable for its owner alone.
        func writePrivately(_ text: String, to name: String) throws -> String {
            let path = try write(text, to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            return path
        }
    }

    private let files: Files

    init() throws {
        files = try Files()
    }

    private func load(
        flags: [ConfigurationKey: String] = [:], environment: [String: String] = [:], yaml: String? = nil,
        json: String? = nil
    ) async throws -> ServerConfiguration {
        let file =
            try yaml.map { try files.write($0, to: "server.yaml") }
            ?? json.map { try files.write($0, to: "server.json") }
        return try await ServerConfiguration.load(flags: flags, environment: environment, file: file)
    }

    /// The faults, with the directory left out of the files' names.
    private func faults(
        flags: [ConfigurationKey: String] = [:], environment: [String: String] = [:], yaml: String? = nil,
        json: String? = nil
    ) async throws -> [String] {
        do {
            _ = try await load(flags: flags, environment: environment, yaml: yaml, json: json)
            return []
        } catch let faults as ConfigurationFaults {
            return faults.faults.map { $0.description.replacing(files.directory.path + "/", with: "") }
        }
    }

    @Test func `The defaults are safe and complete`() async throws {
        let configuration = try await load()
        #expect(configuration.listen == ListenAddress(host: "127.0.0.1", port: 8080))
        #expect(configuration.dataDirectory == "./countersign-data")
        #expect(!configuration.isDevelopment)
        #expect(configuration.projectID == "countersign")
        #expect(configuration.tls == nil)
        #expect(!configuration.tlsIsEndedByProxy)
        #expect(configuration.proxy.header == .xForwardedFor)
        #expect(configuration.proxy.trusted.isEmpty)
        #expect(configuration.connections.maximum == nil)
        #expect(configuration.connections.maximumPerSource == nil)
        #expect(configuration.metricsListen == nil)
        #expect(configuration.masterKey == .dataDirectory)
        #expect(configuration.passwords.memoryKiB == 19 * 1024)
        #expect(configuration.passwords.operations == 2)
        #expect(configuration.passwords.queueLimit == 1024 * configuration.passwords.threads)
        #expect(configuration.logLevel == .info)
        #expect(configuration.logFormat == .text && !configuration.logsAccess)
        #expect(configuration.warnings.isEmpty)
        #expect(configuration.baseURLs(port: 8080).map(\.absoluteString) == ["http://127.0.0.1:8080"])
    }

    @Test func `A flag counts more than the environment and that more than the file`() async throws {
        let yaml = "data: from-file\nlisten: 127.0.0.1:1\nlog:\n  level: debug\n"
        let environment = ["COUNTERSIGN_DATA": "from-environment", "COUNTERSIGN_LISTEN": "127.0.0.1:2", "HOME": "/"]
        let configuration = try await load(flags: [.data: "from-flag"], environment: environment, yaml: yaml)
        #expect(configuration.dataDirectory == "from-flag")
        #expect(configuration.listen.port == 2)
        #expect(configuration.logLevel == .debug)
    }

    @Test func `Where each value comes from is known, and no secret is`() async throws {
        let configuration = try await load(
            flags: [.listen: "127.0.0.1:1"],
            environment: ["COUNTERSIGN_DEV": "true", "COUNTERSIGN_DATABASE": "postgres://u:hunter2@db/x"],
            yaml:
                "passwords:\n  memoryMiB: 64\nprojectID: mine\nlisten: 127.0.0.1:2\npublicURL:\n  - http://localhost:1\n"
        )
        #expect(configuration.written.map(\.key) == ConfigurationKey.allCases.map(\.rawValue))
        func value(_ key: ConfigurationKey) throws -> Deployment.Value {
            try #require(configuration.written.first { $0.key == key.rawValue })
        }
        #expect(try value(.listen).source == .flag && value(.listen).text == "127.0.0.1:1")
        #expect(try value(.listen).place == "--listen")
        #expect(try value(.dev).source == .environment && value(.dev).text == "true")
        #expect(try value(.passwordsMemory).source == .file && value(.passwordsMemory).text == "64")
        #expect(try value(.passwordsMemory).place.hasPrefix("passwords.memoryMiB in "))
        #expect(try value(.publicURL).text == "http://localhost:1")
        #expect(try value(.database).source == .environment && value(.database).text == nil)
        #expect(try value(.tlsKey).source == .standard && value(.tlsKey).text == nil)
    }

    @Test func `Yaml and JSON say the same`() async throws {
        let certificate = try files.write("", to: "certificate.pem")
        let key = try files.writePrivately("", to: "key.pem")
        let yaml = """
            # a comment
            listen: "[::1]:0"
            dev: true
            projectID: demo-project
            publicURL: [https://login.example.com/, "http://localhost:9"]
            tls: { certificate: \(certificate), key: \(key) }
            tls.endedByProxy: true
            masterKey:
              descriptor: 3
            passwords: { memoryMiB: 46, operations: 1, threads: 3, queueLimit: 7 }
            log:
              level: critical
            """
        let json = """
            {"listen": "[::1]:0", "dev": true, "projectID": "demo-project",
             "publicURL": ["https://login.example.com/", "http://localhost:9"],
             "tls": {"certificate": "\(certificate)", "key": "\(key)", "endedByProxy": true},
             "masterKey": {"descriptor": 3},
             "passwords": {"memoryMiB": 46, "operations": 1, "threads": 3, "queueLimit": 7},
             "log": {"level": "critical"}}
            """
        for configuration in [try await load(yaml: yaml), try await load(json: json)] {
            #expect(configuration.listen == ListenAddress(host: "::1", port: 0))
            #expect(configuration.isDevelopment)
            #expect(configuration.projectID == "demo-project")
            #expect(
                configuration.publicURLs.map(\.absoluteString) == ["https://login.example.com", "http://localhost:9"])
            #expect(configuration.baseURLs(port: 1) == configuration.publicURLs)
            #expect(configuration.tls == .init(certificate: certificate, key: key))
            #expect(configuration.tlsIsEndedByProxy)
            #expect(configuration.masterKey == .descriptor(3))
            #expect(configuration.passwords == .init(memoryKiB: 46 * 1024, operations: 1, threads: 3, queueLimit: 7))
            #expect(configuration.logLevel == .critical)
            #expect(configuration.warnings.count == 1)
        }
    }

    @Test func `Every key can be set by the environment`() async throws {
        let file = try files.write("", to: "file")
        let configuration = try await load(environment: [
            "COUNTERSIGN_LISTEN": "localhost:1", "COUNTERSIGN_DATA": "d", "COUNTERSIGN_DEV": "true",
            "COUNTERSIGN_DEV_ON_NETWORK": "false",
            "COUNTERSIGN_PUBLIC_URL": "https://a.example, https://b.example", "COUNTERSIGN_PROJECT_ID": "p",
            "COUNTERSIGN_TLS_CERTIFICATE": file, "COUNTERSIGN_TLS_KEY": file, "COUNTERSIGN_TLS_ENDED_BY_PROXY": "1",
            "COUNTERSIGN_MASTER_KEY_FILE": file, "COUNTERSIGN_PASSWORDS_MEMORY_MIB": "20",
            "COUNTERSIGN_PASSWORDS_OPERATIONS": "3", "COUNTERSIGN_PASSWORDS_THREADS": "4",
            "COUNTERSIGN_PASSWORDS_QUEUE_LIMIT": "5", "COUNTERSIGN_LOG_LEVEL": "trace",
            "COUNTERSIGN_LOG_FORMAT": "json", "COUNTERSIGN_LOG_ACCESS": "true",
            "COUNTERSIGN_URL": "http://elsewhere", "COUNTERSIGN_API_KEY": "theirs",
        ])
        #expect(configuration.publicURLs.map(\.absoluteString) == ["https://a.example", "https://b.example"])
        #expect(configuration.masterKey == .file(file))
        #expect(configuration.passwords == .init(memoryKiB: 20 * 1024, operations: 3, threads: 4, queueLimit: 5))
        #expect(configuration.logLevel == .trace)
        #expect(configuration.logFormat == .json && configuration.logsAccess)
    }

    @Test(arguments: [
        ("listne: 127.0.0.1:1", "listne in server.yaml: there is no such key; write listen"),
        ("public-url: https://a.example", "public-url in server.yaml: there is no such key; write publicURL"),
        ("projectId: a", "projectId in server.yaml: there is no such key; write projectID"),
        ("tls:\n  certfile: a", "tls.certfile in server.yaml: there is no such key; write tls.certificate"),
        ("tls:\n  ciphers: a", "tls.ciphers in server.yaml: there is no such key; leave it out"),
        (
            "tls:\n  ended-by-proxy: true",
            "tls.ended-by-proxy in server.yaml: there is no such key; write tls.endedByProxy"
        ),
        (
            "log: debug",
            "log in server.yaml: there is no such key; it is a section: write log.level or log.format or log.access"
        ),
        (
            "listen:\n  port: 1",
            "listen.port in server.yaml: there is no such key; listen has one value, without a section"
        ),
        ("dev: perhaps", "dev in server.yaml: the value is of another type; write true or false"),
        (
            "passwords:\n  threads: many",
            "passwords.threads in server.yaml: the value is of another type; write an integer from 1 to 256"
        ),
        (
            "passwords:\n  memoryMiB: 1025",
            "passwords.memoryMiB in server.yaml: 1025 is out of range; write an integer from 1 to 1024"
        ),
        (
            "data: ''",
            "data in server.yaml: the path is empty; write the path of a directory such as ./countersign-data"
        ),
        ("data: [a]", "data in server.yaml: the value is of another type; write text"),
        (
            "log:\n  level: loud",
            "log.level in server.yaml: there is no level \"loud\"; "
                + "write one of trace, debug, info, notice, warning, error, critical"
        ),
        ("log:\n  format: xml", "log.format in server.yaml: there is no format \"xml\"; write text or json"),
        (
            "tracing:\n  url: collector",
            "tracing.url in server.yaml: this is no URL of a collector; "
                + "write one such as http://127.0.0.1:4318 or https://otlp.example.com/v1/traces, without a login"
        ),
        (
            "tracing:\n  share: 0.5",
            "tracing.share in server.yaml: tracing.url is not set; write where the collector is, such as http://127.0.0.1:4318"
        ),
        (
            "tracing:\n  url: http://localhost\n  share: 2.5",
            "tracing.share in server.yaml: 2.5 is out of range; write a number from 0 to 1"
        ),
        (
            "tracing:\n  url: http://localhost\n  attributes: [production]",
            "tracing.attributes in server.yaml: \"production\" is no attribute; "
                + "write at most 32 of the form deployment.environment.name=production"
        ),
        ("log:\n  access: often", "log.access in server.yaml: the value is of another type; write true or false"),
        (
            "projectID: a/b",
            "projectID in server.yaml: \"a/b\" is no project id; write 1 to 63 letters, digits, hyphens, dots"
        ),
        (
            "serviceName: \"a\\x7Fb\"",
            "serviceName in server.yaml: the name is empty, long or of several lines; "
                + "write 1 to 60 characters on one line"
        ),
        (
            "publicURL: https://login.example.com/auth",
            "publicURL: https://login.example.com/auth has a path, and pages, their cookies and the issuer are those "
                + "of a whole host; give the server a host name of its own, and write it without a path"
        ),
        ("masterKey:\n  descriptor: 1", "masterKey.descriptor in server.yaml: 1 is for output; write 0, or 3 to 65535"),
    ])
    func `A fault says what to write instead`(yaml: String, expected: String) async throws {
        #expect(try await faults(yaml: yaml) == [expected])
    }

    @Test func `Unknown variables are refused and others are not ours`() async throws {
        let found = try await faults(environment: [
            "COUNTERSIGN_LISTN": "x", "COUNTERSIGN_WHATEVER": "x", "LISTEN": "x",
        ])
        #expect(
            found == [
                "COUNTERSIGN_LISTN: there is no such variable; write COUNTERSIGN_LISTEN",
                "COUNTERSIGN_WHATEVER: there is no such variable; unset it",
            ])
    }

    @Test func `All faults are reported at once`() async throws {
        let found = try await faults(
            flags: [.listen: "8080"], environment: ["COUNTERSIGN_DEV": "", "COUNTERSIGN_COLOR": "1"],
            yaml: "nothing: 1\ntls:\n  key: /nowhere\npublicURL: example.com\npasswords:\n  operations: 0\n")
        #expect(
            found.map { $0.prefix { $0 != ":" } } == [
                "COUNTERSIGN_COLOR", "nothing in server.yaml", "COUNTERSIGN_DEV", "--listen",
                "publicURL in server.yaml", "tls.key in server.yaml", "tls.key in server.yaml",
                "passwords.operations in server.yaml",
            ])
    }

    /// The last of them would count, which is not the one that an operator has found and changed.
    @Test func `A key that stands in a file twice is a fault`() async throws {
        #expect(
            try await faults(json: #"{"projectID": "a", "projectID": "b"}"#) == [
                "projectID in server.json: it stands there twice; leave one of them"
            ])
        #expect(
            try await faults(json: #"{"log": {"level": "info", "level": "trace"}}"#) == [
                "level in server.json: it stands there twice; leave one of them"
            ])
        let apart = "it stands there twice, in a section and with dots; leave one of them"
        #expect(
            try await faults(yaml: "log.level: info\nlog:\n  level: trace\n") == ["log.level in server.yaml: \(apart)"])
        #expect(
            try await faults(json: #"{"log.level": "info", "log": {"level": "trace"}}"#) == [
                "log.level in server.json: \(apart)"
            ])
    }

    @Test func `A fault of JSON is told with its line`() async throws {
        #expect(
            try await faults(json: "{\n  \"projectID\": \"a\"\n  \"dev\": true\n}") == [
                "server.json: it cannot be understood (no comma or brace after a member in line 3); "
                    + "write keys and values as docs/configuration.md shows"
            ])
    }

    @Test func `An unreadable file is a fault`() async throws {
        #expect(try await faults(yaml: "a: [").first?.hasPrefix("server.yaml: it cannot be understood (") == true)
        #expect(try await faults(json: "{").first?.hasPrefix("server.json: it cannot be understood (") == true)
        #expect(try await faults(json: "[]").first?.hasPrefix("server.json: it cannot be understood (") == true)
        #expect(try await faults(yaml: "# nothing but a comment\n\n").isEmpty)
        for (name, problem) in [
            ("nowhere.yaml", "the file cannot be read"), ("server.toml", "its name does not say what is in it"),
        ] {
            _ = try files.write("", to: "server.toml")
            let file = files.directory.appendingPathComponent(name).path
            let error = await #expect(throws: ConfigurationFaults.self) {
                try await ServerConfiguration.load(environment: [:], file: file)
            }
            #expect(error?.faults.map(\.problem) == [problem])
        }
    }

    @Test(arguments: [
        ("127.0.0.1:80", "127.0.0.1", 80, true, false),
        ("127.9.9.9:0", "127.9.9.9", 0, true, false),
        ("localhost:65535", "localhost", 65535, true, false),
        ("[::1]:8080", "::1", 8080, true, false),
        ("[::]:8080", "::", 8080, false, true),
        ("0.0.0.0:8080", "0.0.0.0", 8080, false, true),
        ("login.example.com:443", "login.example.com", 443, false, false),
    ])
    func `Listen addresses are read`(text: String, host: String, port: Int, isLoopback: Bool, isWildcard: Bool) throws {
        let address = try #require(ListenAddress(text))
        #expect(address == ListenAddress(host: host, port: port))
        #expect(address.isLoopback == isLoopback)
        #expect(address.isWildcard == isWildcard)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", ":", "8080", ":8080", "localhost", "localhost:", "localhost:-1", "localhost:65536", "localhost:99999999999",
        "::1:8080", "[::1]", "[::1:8080", "[localhost]:1", "[127.0.0.1]:1", "a b:1", "http://localhost:1", "ä:1",
    ])
    func `What is no listen address is refused`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test func `Plain HTTP is for loopback only unless configured otherwise`() async throws {
        let everywhere: [ConfigurationKey: String] = [.listen: "0.0.0.0:8080"]
        let found = try await faults(flags: everywhere)
        #expect(found.count == 1)
        #expect(found.first?.contains("set tls.certificate and tls.key, or tls.endedByProxy") == true)

        let developing = try await load(flags: everywhere.merging([.dev: "true", .devOnNetwork: "true"]) { $1 })
        #expect(developing.warnings.count == 3)
        #expect(developing.baseURLs(port: 1).map(\.absoluteString) == ["http://localhost:1"])

        let proxied = try await load(
            flags: everywhere, environment: ["COUNTERSIGN_PUBLIC_URL": "https://login.example.com"],
            yaml: "tls: { endedByProxy: true }")
        #expect(
            proxied.warnings == [
                "proxy.trusted is not set: every client that can connect to 0.0.0.0:8080 can set its address by x-forwarded-for"
            ])
        let named = try await load(
            flags: everywhere, environment: ["COUNTERSIGN_PUBLIC_URL": "https://login.example.com"],
            yaml: "tls: { endedByProxy: true }\nproxy: { trusted: 10.1.0.0/16 }")
        #expect(named.warnings.isEmpty)

        let pem = try files.writePrivately("", to: "tls.pem")
        let encrypted = try await load(flags: everywhere, yaml: "tls: { certificate: \(pem), key: \(pem) }")
        #expect(encrypted.baseURLs(port: 8443).map(\.absoluteString) == ["https://localhost:8443"])
        #expect(encrypted.warnings == ["publicURL is not set: issuers and links in mails say localhost"])
    }

    @Test func `Proxies connections and metrics are read`() async throws {
        let yaml = """
            tls: { endedByProxy: true }
            proxy: { header: Forwarded, trusted: [127.0.0.1, "fd00::/8"] }
            http: { maxConnections: 5000, maxConnectionsPerSource: 50 }
            metrics: { listen: "[::1]:9464" }
            """
        let environment = [
            "COUNTERSIGN_TLS_ENDED_BY_PROXY": "true", "COUNTERSIGN_PROXY_HEADER": "forwarded",
            "COUNTERSIGN_PROXY_TRUSTED": "127.0.0.1,fd00::/8", "COUNTERSIGN_HTTP_MAX_CONNECTIONS": "5000",
            "COUNTERSIGN_HTTP_MAX_CONNECTIONS_PER_SOURCE": "50", "COUNTERSIGN_METRICS_LISTEN": "[::1]:9464",
        ]
        for configuration in [try await load(yaml: yaml), try await load(environment: environment)] {
            #expect(configuration.proxy.header == .forwarded)
            #expect(configuration.proxy.trusted.count == 2)
            #expect(configuration.connections.maximum == 5000)
            #expect(configuration.connections.maximumPerSource == 50)
            #expect(configuration.metricsListen == ListenAddress(host: "::1", port: 9464))
            #expect(configuration.warnings.isEmpty)
        }
        #expect(
            try await load(yaml: "metrics.listen: 0.0.0.0:9464").warnings == [
                "every client that can connect to 0.0.0.0:9464 can read the metrics"
            ])
    }

    @Test(arguments: [
        ("proxy.header: forwarded", "proxy.header in server.yaml: no proxy is said to be there"),
        ("proxy.trusted: 10.0.0.1", "proxy.trusted in server.yaml: no proxy is said to be there"),
        (
            "tls.endedByProxy: true\nproxy.header: x-real-ip",
            "proxy.header in server.yaml: \"x-real-ip\" is no header that is understood; write x-forwarded-for or forwarded"
        ),
        (
            "tls.endedByProxy: true\nproxy.trusted: proxy.example.com",
            "proxy.trusted in server.yaml: \"proxy.example.com\" is no address and no network"
        ),
        ("http.maxConnections: 0", "http.maxConnections in server.yaml: 0 is out of range"),
        ("metrics.listen: 9464", "metrics.listen in server.yaml: "),
    ])
    func `Faults of proxies connections and metrics are told`(yaml: String, expected: String) async throws {
        let found = try await faults(yaml: yaml)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(expected) == true, "\(found)")
    }

    @Test func `Metrics have an address of their own`() async throws {
        let told = try await faults(yaml: "listen: 127.0.0.1:9090\nmetrics.listen: localhost:9090")
        #expect(
            told == [
                "metrics.listen: the server itself is to listen on 127.0.0.1:9090; write another port, or leave it out"
            ])
        for (first, second, collide) in [
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "0.0.0.0", true), ("[::]", "127.0.0.1", true),
            ("[::1]", "[0:0:0:0:0:0:0:1]", true), ("localhost", "[::1]", true), ("Login.test", "login.test", true),
            ("0.0.0.0", "localhost", true), ("127.0.0.1", "127.0.0.2", false), ("127.0.0.1", "[::1]", false),
            ("0.0.0.0", "[::1]", false), ("login.test", "127.0.0.1", false),
        ] {
            let listen = try #require(ListenAddress("\(first):9090"))
            let metrics = try #require(ListenAddress("\(second):9090"))
            #expect(listen.collides(with: metrics) == collide, "\(first) \(second)")
            #expect(metrics.collides(with: listen) == collide, "\(second) \(first)")
        }
        let free = ListenAddress(host: "127.0.0.1", port: 0)
        #expect(!free.collides(with: free))
    }

    @Test func `A development server is for this machine unless configured otherwise`() async throws {
        let everywhere: [ConfigurationKey: String] = [.listen: "0.0.0.0:8080", .dev: "true"]
        #expect(
            try await faults(flags: everywhere) == [
                "listen: on 0.0.0.0:8080 every client on the network could sign in as any user and read all mails, as dev is "
                    + "on; listen on loopback, or set devOnNetwork (--dev-on-network) if you intend that"
            ])
        // TLS makes no difference: every client that can connect is admitted.
        let pem = try files.writePrivately("", to: "tls.pem")
        let tls = "tls: { certificate: \(pem), key: \(pem) }\n"
        #expect(try await faults(flags: everywhere, yaml: tls).count == 1)
        let shown = try await load(flags: everywhere, environment: ["COUNTERSIGN_DEV_ON_NETWORK": "true"], yaml: tls)
        #expect(shown.warnings.first?.hasPrefix("dev is on, and on the network: every client that can connect") == true)
        #expect(
            try await faults(yaml: "devOnNetwork: true") == [
                "devOnNetwork in server.yaml: dev is not on; leave it out, or set dev too"
            ])
    }

    @Test func `Development has a directory of its own`() async throws {
        #expect(try await load(flags: [.dev: "true"]).dataDirectory == "./countersign-dev-data")
        #expect(try await load(flags: [.dev: "true"], environment: ["COUNTERSIGN_DATA": "d"]).dataDirectory == "d")
    }

    @Test func `Secrets that others may read are warned of with the command that mends them`() async throws {
        let (open, closed) = (
            try files.write("x", to: "open key.pem"), try files.writePrivately("x", to: "closed.pem")
        )
        let certificate = try files.write("", to: "certificate.pem")
        func warnings(_ yaml: String, isPrivate: Bool = false) async throws -> [String] {
            let path = files.directory.appendingPathComponent("server.yaml").path
            // What replaces a file may take over its permissions.
            try? FileManager.default.removeItem(atPath: path)
            _ = try files.write(yaml, to: "server.yaml")
            if isPrivate {
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            }
            return try await ServerConfiguration.load(environment: [:], file: path).warnings
        }
        let mail = "mail: { from: a@b.example, smtp: { url: smtp://m.example, user: u, "
        for (yaml, path) in [
            ("tls: { certificate: \(certificate), key: '\(open)' }", "'\(open)'"),
            ("masterKey: { file: '\(open)' }", "'\(open)'"), (mail + "passwordFile: '\(open)' } }", "'\(open)'"),
        ] {
            let found = try await warnings(yaml)
            #expect(found.count == 1 && found[0].hasSuffix("make it private with `chmod o-rwx \(path)`"), "\(found)")
            #expect(try await warnings(yaml.replacing(open, with: closed)).isEmpty)
        }
        let file = files.directory.appendingPathComponent("server.yaml").path
        for yaml in [
            mail + "password: s3cret } }", "database: postgres://u:s3cret@h/d",
            "database: 'postgres://h/d?password=s3cret'",
        ] {
            let found = try await warnings(yaml)
            #expect(
                found == [
                    "\(file) can be read by every user of this machine (mode 644) and holds a password: make it private "
                        + "with `chmod o-rwx \(file)`"
                ])
            #expect(try await warnings(yaml, isPrivate: true).isEmpty)
        }
        #expect(try await warnings("database: postgres://u@h/d").isEmpty)
    }

    @Test func `Public URLs are encrypted or on loopback`() async throws {
        #expect(try await faults(yaml: "publicURL: http://login.example.com").count == 1)
        #expect(try await faults(yaml: "publicURL: http://login.example.com\ndev: true").isEmpty)
        #expect(
            try await faults(yaml: "publicURL: ['http://[::1]:8080', 'http://localhost', 'http://127.0.0.1:1']").isEmpty
        )
        for text in [
            "login.example.com", "ftp://a.example", "https://", "https://a.example/?q", "https://u:p@a.example",
        ] {
            #expect(try await faults(environment: ["COUNTERSIGN_PUBLIC_URL": text]).count == 1)
        }
    }

    @Test func `A collector is a base or an endpoint and its share is a number`() async throws {
        #expect(try await load().tracing == nil)
        for (text, url) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("https://otlp.example.com/", "https://otlp.example.com/v1/traces"),
            ("https://otlp.example.com/in/traces?x=1", "https://otlp.example.com/in/traces?x=1"),
        ] {
            let tracing = try #require(try await load(yaml: "tracing:\n  url: \(text)\n").tracing)
            #expect(tracing.url.absoluteString == url && tracing.share == 1)
        }
        for share in ["0", "1", "0.25", "1.0"] {
            let yaml = "tracing: {url: http://localhost, share: \(share)}"
            let json = #"{"tracing": {"url": "http://localhost", "share": \#(share)}}"#
            let expected = Double(share)
            #expect(try await load(yaml: yaml).tracing?.share == expected)
            #expect(try await load(json: json).tracing?.share == expected)
            let environment = ["COUNTERSIGN_TRACING_URL": "http://localhost", "COUNTERSIGN_TRACING_SHARE": share]
            #expect(try await load(environment: environment).tracing?.share == expected)
        }
        #expect(try await load(yaml: "tracing: {url: http://collector.internal:4318}").warnings.count == 1)
        #expect(try await load(yaml: "tracing: {url: http://localhost:4318}").warnings.isEmpty)
    }

    @Test func `Headers for the collector come from a file and their faults are told without their text`() async throws
    {
        let good = try files.writePrivately("X-Api-Key: hunter2\n\nX-Scope: a:b\n", to: "headers")
        let tracing = try await load(yaml: "tracing: {url: http://localhost, headersFile: \(good)}").tracing
        #expect(tracing?.headers.map(\.name) == ["X-Api-Key", "X-Scope"])
        #expect(tracing?.headers.map { $0.value.reveal() } == ["hunter2", "a:b"])
        let bad = try files.writePrivately("X-A: 1\nhunter2\nX B: hunter3\n", to: "bad")
        let found = try await faults(yaml: "tracing: {url: http://localhost, headersFile: \(bad)}")
        #expect(found.map { $0.components(separatedBy: ": ").dropFirst().joined() }.count == 2)
        #expect(found[0].contains("line 2 of the file is no header") && found[1].contains("line 3"))
        #expect(!found.contains { $0.contains("hunter") })
    }

    @Test func `Cheap password hashes are warned of`() async throws {
        #expect(try await load(yaml: "passwords: { memoryMiB: 1, operations: 1 }").warnings.count == 1)
        #expect(try await load(yaml: "passwords: { memoryMiB: 7, operations: 5 }").warnings.isEmpty)
    }

    @Test func `The documentation lists exactly the keys that exist`() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/configuration.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let rows = lines.filter { $0.hasPrefix("| `") }.map { String($0) }
        let expected = ConfigurationKey.allCases.map { key in
            let (type, standard, range) = key.documentation
            return "| `\(key.rawValue)` | `\(key.environmentName)` | \(type) | \(standard) | \(range) |"
        }
        #expect(rows == expected)
        for key in ConfigurationKey.allCases {
            #expect(lines.contains { $0.contains("**`\(key.rawValue)`**") }, "\(key.rawValue) is not explained")
        }
    }

    @Test func `A file with every key as a comment sets nothing`() async throws {
        let text = ConfigurationFile.commented()
        #expect(text.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
        #expect(String(describing: try await load(yaml: text)) == String(describing: try await load()))
    }

    @Test func `Each line of that file is a setting without its number sign`() async throws {
        let text = ConfigurationFile.commented()
        for key in ConfigurationKey.allCases {
            let name = key.rawValue.split(separator: ".").last.map(String.init) ?? ""
            #expect(text.contains("\(name): \(key.example)"), "\(key.rawValue)")
        }
        // All keys at once, so that nesting is shown too: only what contradicts, or is not on this machine, is refused.
        let all = text.split(separator: "\n").filter { !$0.hasPrefix("##") }.map { $0.dropFirst() }
        let faults = try await faults(yaml: all.joined(separator: "\n"))
        let places = faults.map { $0.prefix { $0 != " " } }.sorted()
        #expect(
            places == [
                "mail.smtp.passwordFile", "mail.smtp.passwordFile", "mail.templates", "masterKey.descriptor",
                "masterKey.file", "proxy.header", "proxy.trusted", "theme.directory", "tls.certificate", "tls.key",
                "tracing.headersFile",
            ])
    }

    @Test func `What a packager sets stands in the file`() async throws {
        let text = ConfigurationFile.commented(setting: [.data: "/srv/data", .logLevel: "notice"])
        let configuration = try await load(yaml: text)
        #expect(configuration.dataDirectory == "/srv/data")
        #expect(configuration.logLevel == .notice)
    }
}
