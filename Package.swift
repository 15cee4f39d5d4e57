// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Countersign: one server, the client SDKs that apps already know, and an authenticator for the terminal.
// The folders are explained in docs/architecture.md.

/// The products of other packages that targets below use, named once.
extension Target.Dependency {
    static let crypto: Self = .product(name: "Crypto", package: "swift-crypto")
    static let cryptoExtras: Self = .product(name: "CryptoExtras", package: "swift-crypto")
    static let jwtKit: Self = .product(name: "JWTKit", package: "jwt-kit")
    static let x509: Self = .product(name: "X509", package: "swift-certificates")
    static let asn1: Self = .product(name: "SwiftASN1", package: "swift-asn1")
    static let logging: Self = .product(name: "Logging", package: "swift-log")
    static let grdb: Self = .product(name: "GRDB", package: "GRDB.swift")
    static let grdbSQLite: Self = .product(name: "GRDBSQLite", package: "GRDB.swift")
    static let hummingbird: Self = .product(name: "Hummingbird", package: "hummingbird")
    static let hummingbirdCore: Self = .product(name: "HummingbirdCore", package: "hummingbird")
    static let hummingbirdTLS: Self = .product(name: "HummingbirdTLS", package: "hummingbird")
    static let hummingbirdHTTP2: Self = .product(name: "HummingbirdHTTP2", package: "hummingbird")
    static let hummingbirdTesting: Self = .product(name: "HummingbirdTesting", package: "hummingbird")
    static let httpTypes: Self = .product(name: "HTTPTypes", package: "swift-http-types")
    static let asyncHTTPClient: Self = .product(name: "AsyncHTTPClient", package: "async-http-client")
    static let nioHTTP1: Self = .product(name: "NIOHTTP1", package: "swift-nio")
    static let nioCore: Self = .product(name: "NIOCore", package: "swift-nio")
    static let nioEmbedded: Self = .product(name: "NIOEmbedded", package: "swift-nio")
    static let nioHTTPTypes: Self = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
    static let nioHTTPTypesHTTP1: Self = .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
    static let nioPosix: Self = .product(name: "NIOPosix", package: "swift-nio")
    static let nioSSL: Self = .product(name: "NIOSSL", package: "swift-nio-ssl")
    static let nioTLS: Self = .product(name: "NIOTLS", package: "swift-nio")
    static let serviceLifecycle: Self = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let unixSignals: Self = .product(name: "UnixSignals", package: "swift-service-lifecycle")
    static let coreMetrics: Self = .product(name: "CoreMetrics", package: "swift-metrics")
    static let tracing: Self = .product(name: "Tracing", package: "swift-distributed-tracing")
    static let mustache: Self = .product(name: "Mustache", package: "swift-mustache")
    static let argumentParser: Self = .product(name: "ArgumentParser", package: "swift-argument-parser")
    static let configuration: Self = .product(name: "Configuration", package: "swift-configuration")
    static let yams: Self = .product(name: "Yams", package: "Yams")
}

/// The triple of a dialect: what goes over the wire, the server that speaks it, and the client with the vendor's API.
func dialect(
    _ name: String, client: String?, server: [Target.Dependency] = [], exclude: [String] = [],
    clientSide: [Target.Dependency] = []
) -> [Target] {
    let folder = "Sources/Dialects/\(name)"
    let clients: [Target] =
        client.map {
            [
                .target(
                    name: $0, dependencies: [.target(name: "\(name)Wire"), "ClientHTTP", "JSON"] + clientSide,
                    path: "\(folder)/Client")
            ]
        } ?? []
    return [
        .target(name: "\(name)Wire", dependencies: ["JSON"], path: "\(folder)/Wire"),
        .target(
            name: "\(name)Server",
            dependencies: [
                .target(name: "\(name)Wire"), "CountersignCore", "JSON", "ServerHTTP",
                .hummingbird, .httpTypes, .logging, .nioCore,
            ] + server,
            path: "\(folder)/Server", exclude: exclude),
    ] + clients
}

/// What the environment of the build says, as a literal of C: hexadecimal digits and hyphens alone.
func stamp(_ variable: String) -> String {
    "\"\((Context.environment[variable] ?? "").filter { $0.isHexDigit || $0 == "-" })\""
}

let package = Package(
    name: "countersign",
    // The server needs what macOS 15 brings; client modules keep to what iOS 16 has (scripts/check-platforms).
    platforms: [.macOS(.v15), .iOS(.v16)],
    // What apps take: SwiftPM makes an app download whatever a product of ours reaches, used or not. So no product here
    // reaches a server; those that do are products of Server/Package.swift (at the end).
    products: [
        .library(name: "OneTimePassword", targets: ["OneTimePassword"]),
        .library(name: "Passkeys", targets: ["Passkeys"]),
        .library(name: "KeychainServices", targets: ["KeychainServices"]),
        .library(name: "CountersignClient", targets: ["CountersignClient"]),
        .library(name: "FirebaseAuth", targets: ["FirebaseAuth"]),
        .library(name: "FirebaseCore", targets: ["FirebaseCore"]),
        .library(name: "Guardian", targets: ["Guardian"]),
        .library(name: "MSAL", targets: ["MSAL"]),
        .library(name: "IBMMobileFirstPlatformFoundation", targets: ["IBMMobileFirstPlatformFoundation"]),
        .library(name: "IBMMobileFoundationSwift", targets: ["IBMMobileFoundationSwift"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["JSON", "YAML"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // What reads YAML for swift-configuration.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // JSON, Base64 for URLs, the parts of a JWS: what servers and clients read and write alike.
        .target(name: "JSON"),
        // Signed tokens as whoever receives one judges them: claims, keys, proofs of possession. Also what clients sign themselves.
        .target(name: "SignedTokens", dependencies: ["JSON", .crypto, .cryptoExtras]),
        // What is true whatever the protocol.
        .target(
            name: "CountersignCore",
            dependencies: [
                "CLibCrypto", "JSON", "OneTimePassword", "Passkeys", "SignedTokens", .asn1, .crypto, .cryptoExtras,
                .jwtKit, .x509,
            ],
            path: "Sources/Core"),
        .target(name: "OneTimePassword", dependencies: ["JSON", .crypto]),
        // A relying party of WebAuthn: what servers verify of passkeys.
        .target(name: "Passkeys", dependencies: ["JSON", .asn1, .crypto, .cryptoExtras]),
        // The other side: what an authenticator answers, without the keys. Shares no code with what verifies its answers.
        .target(name: "PasskeyAuthenticator", dependencies: ["JSON", .crypto]),

        // Checks that guard scopes for registered clients: a framework above the core, and checks of its own.
        .target(
            name: "SecurityChecks",
            dependencies: ["CountersignCore", "JSON", "OneTimePassword", .crypto, .cryptoExtras]),

        // Keys and secrets that only a present user can use: Apple's own on its systems, a vault elsewhere.
        .target(
            name: "KeychainTypes", dependencies: [.target(name: "CSodium", condition: .when(platforms: [.linux]))],
            path: "Sources/Keychain/Types"),
        .target(
            name: "SecretVault", dependencies: ["KeychainTypes", "CKeychainShims", "CSodium", .crypto],
            path: "Sources/Keychain/Vault"),
        .target(name: "KeychainTPM", dependencies: [.crypto, .cryptoExtras], path: "Sources/Keychain/TPM"),
        .target(
            name: "KeychainServices",
            dependencies: [
                "KeychainTypes", .target(name: "SecretVault", condition: .when(platforms: [.linux])),
                .target(name: "KeychainTPM", condition: .when(platforms: [.linux])), .asn1, .crypto, .cryptoExtras,
            ],
            path: "Sources/Keychain/Services"),
        .systemLibrary(name: "CKeychainShims", path: "Sources/CSystem/CKeychainShims"),

        // What remembers.
        .target(name: "StoreSQL", dependencies: ["CountersignCore"], path: "Sources/Stores/SQL"),
        .target(
            name: "StoreSQLite", dependencies: ["StoreSQL", "CountersignCore", .grdb, .grdbSQLite, .logging],
            path: "Sources/Stores/SQLite"),
        .target(
            name: "StorePostgres",
            dependencies: ["StoreSQL", "CountersignCore", "CLateLibraries", "CPostgres", .logging],
            path: "Sources/Stores/Postgres"),
        .target(name: "StoreConformance", dependencies: ["CountersignCore"], path: "Sources/Stores/Conformance"),

        // What several parts share.
        .target(
            name: "ServerHTTP",
            dependencies: [
                "CBuildStamp", "CountersignCore", "JSON", "Traces", .coreMetrics, .hummingbird, .hummingbirdCore,
                .httpTypes, .logging, .nioCore, .nioHTTP1, .nioHTTPTypes, .serviceLifecycle, .tracing,
            ],
            path: "Sources/Shared/ServerHTTP"),
        // Spans, and OpenTelemetry's form of them.
        .target(name: "Traces", dependencies: ["JSON", .tracing], path: "Sources/Shared/Traces"),
        // What `make` tells of the commit. In C, since a manifest can give a value to C alone.
        .target(
            name: "CBuildStamp", path: "Sources/CSystem/CBuildStamp",
            cSettings: [
                .define("COUNTERSIGN_COMMIT", to: stamp("COUNTERSIGN_COMMIT")),
                .define("COUNTERSIGN_COMMIT_DATE", to: stamp("COUNTERSIGN_COMMIT_DATE")),
            ]),
        // What protocols with OAuth's endpoints share: forms, and the table of grants.
        .target(
            name: "OAuthHTTP", dependencies: ["CountersignCore", "ServerHTTP", .hummingbird, .httpTypes],
            path: "Sources/Shared/OAuthHTTP"),
        // The files of pages and mails, embedded by C.
        .target(name: "CPageFiles", path: "Sources/CSystem/CPageFiles"),
        // The frame of pages: layout, style sheet, fields, languages and the catalogues of their words.
        .target(
            name: "WebPages",
            dependencies: [
                "CPageFiles", "CountersignCore", "HTMLText", "JSON", "Pictures", "ServerHTTP", .crypto, .hummingbird,
                .httpTypes, .mustache, .nioCore,
            ],
            path: "Sources/Shared/WebPages",
            // What CPageFiles has of them.
            exclude: [
                "Templates",
                "Words/messages-account-activity.json",
                "Words/messages-account-factors.json",
                "Words/messages-account.json",
                "Words/messages-console-applications.json",
                "Words/messages-console-rights.json",
                "Words/messages-console-server.json",
                "Words/messages-console-users.json",
                "Words/messages-events.json",
                "Words/messages-lists.json",
                "Words/messages-sign-in.json",
                "Words/messages-sign-up.json",
                "Words/said-doctor-authentication.json",
                "Words/said-doctor-nist.json",
                "Words/said-doctor-tokens.json",
                "Words/said-extensions.json",
                "Words/said-import.json",
                "Words/said-reasons.json",
                "Words/said-settings.json",
                "Words/said-warnings.json",
            ]),
        .target(name: "ClientHTTP", dependencies: ["JSON"], path: "Sources/Shared/ClientHTTP"),
        .target(
            name: "ClientStorage", dependencies: ["ClientHTTP", "KeychainServices"],
            path: "Sources/Shared/ClientStorage"),
        .target(
            name: "Delivery",
            dependencies: [
                "CPageFiles", "CountersignCore", "CCurl", "CLateLibraries", "HTMLText", "JSON", "OutboundTLS", "Traces",
                .asyncHTTPClient, .crypto, .jwtKit, .logging,
                .mustache, .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
            ],
            path: "Sources/Shared/Delivery",
            exclude: ["Mail/Templates"]),
        .systemLibrary(
            name: "CCurl", path: "Sources/CSystem/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .target(
            name: "PasswordHashing",
            dependencies: [
                "CountersignCore", "CSodium", "CArgon2", "CHugePages",
                .target(name: "CCrypt", condition: .when(platforms: [.linux])),
                .crypto, .cryptoExtras,
            ],
            path: "Sources/Shared/PasswordHashing"),
        .target(
            name: "PrometheusMetrics", dependencies: [.coreMetrics], path: "Sources/Shared/PrometheusMetrics"),
        // TLS as every connection speaks it that is made to others.
        .target(name: "OutboundTLS", dependencies: [.nioSSL], path: "Sources/Shared/OutboundTLS"),
        // The one escape of HTML, and templates that have it.
        .target(name: "HTMLText", dependencies: [.mustache], path: "Sources/Shared/HTMLText"),
        .target(name: "QRCode", dependencies: ["CQREncode", "HTMLText"], path: "Sources/Shared/QRCode"),
        .target(name: "Pictures", dependencies: ["CPNG"], path: "Sources/Shared/Pictures"),
        .target(name: "TerminalQRCode", dependencies: ["QRCode"], path: "Sources/Shared/TerminalQRCode"),
        .systemLibrary(
            name: "CPostgres", path: "Sources/CSystem/CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // Both are opened when they are needed, in a release.
        .target(
            name: "CLateLibraries", dependencies: ["CCurl", "CPostgres"], path: "Sources/CSystem/CLateLibraries"),
        // OpenSSL, opened when it first signs, where it is there.
        .target(name: "CLibCrypto", path: "Sources/CSystem/CLibCrypto"),
        // Memory for hashes in huge pages.
        .target(name: "CHugePages", path: "Sources/CSystem/CHugePages"),
        .systemLibrary(
            name: "CSodium", path: "Sources/CSystem/CSodium", pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        // Both only for imported password hashes. macOS has no libcrypt: bcrypt is unsupported there.
        .systemLibrary(
            name: "CArgon2", path: "Sources/CSystem/CArgon2", pkgConfig: "libargon2",
            providers: [.apt(["libargon2-dev"]), .brew(["argon2"])]),
        .systemLibrary(
            name: "CCrypt", path: "Sources/CSystem/CCrypt", pkgConfig: "libcrypt",
            providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(
            name: "CQREncode", path: "Sources/CSystem/CQREncode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        .systemLibrary(
            name: "CPNG", path: "Sources/CSystem/CPNG", pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),

        // The accounts of the authenticator for the terminal, and the files of other authenticators.
        .target(
            name: "AuthenticatorBook",
            dependencies: [
                "KeychainServices", "KeychainTypes",
                .target(name: "SecretVault", condition: .when(platforms: [.linux])),
                "OneTimePassword", "PasskeyAuthenticator", "Guardian", "GuardianWire", "CSodium", "JSON", .crypto,
            ]),

        // Calls to custom authentication extensions, as Entra writes them.
        .target(
            name: "NativeAuthExtensions", dependencies: ["CountersignCore", "JSON"],
            path: "Sources/Dialects/NativeAuth/Extensions"),

        // Resources of any Swift server behind scopes, whoever issued the tokens.
        .target(
            name: "ScopeProtection",
            dependencies: [
                "ClientHTTP", "JSON", "OutboundTLS", "SignedTokens", .asyncHTTPClient, .httpTypes, .hummingbird,
                .logging, .nioCore, .nioHTTP1,
            ],
            path: "Sources/Shared/ScopeProtection"),

        // The composition root, and the program.
        .target(
            name: "AdminServer",
            dependencies: [
                "CountersignCore", "SecurityChecks", "OAuthHTTP", "Pictures", "ServerHTTP", "OneTimePassword",
                .httpTypes,
                .hummingbird,
                .jwtKit, .logging, .nioCore,
            ],
            path: "Sources/Dialects/Admin/Server"),
        .target(
            name: "AccountServer",
            dependencies: [
                "CPageFiles", "CountersignCore", "OAuthHTTP", "OneTimePassword", "QRCode", "ServerHTTP", "WebPages",
                .httpTypes, .hummingbird, .nioCore,
            ],
            path: "Sources/Dialects/Account",
            exclude: ["Templates"]),
        .target(
            name: "ConsoleServer",
            dependencies: [
                "AdminServer", "CountersignCore", "JSON", "ServerHTTP", "WebPages", .httpTypes, .hummingbird, .nioCore,
            ],
            path: "Sources/Dialects/Console/Server"),
        .target(
            name: "CountersignServer",
            dependencies: [
                "CPageFiles", "CountersignCore", "StoreSQL", "StoreSQLite", "StorePostgres", "ServerHTTP",
                "PasswordHashing", "Delivery",
                "OutboundTLS", "PrometheusMetrics",
                "IdentityToolkitServer", "GuardianServer", "NativeAuthServer", "OAuthServer",
                "SecurityChecks",
                "SecurityChecksServer",
                "ScopeProtection",
                "AccountServer", "AdminServer", "ConsoleServer", "NativeAuthExtensions", "WebPages", .crypto,
                "OneTimePassword", "Traces",
                .configuration,
                .hummingbird,
                .hummingbirdCore, .hummingbirdTLS, .hummingbirdHTTP2,
                .httpTypes, .logging, .nioCore, .nioHTTP1, .nioPosix,
                .nioSSL, .nioTLS, .serviceLifecycle, .tracing, .unixSignals, .asn1, .x509,
            ],
            path: "Sources/Apps/CountersignServer",
            exclude: ["Development/Templates"]),
        .executableTarget(
            name: "countersign",
            dependencies: [
                "CountersignServer", "CountersignCore", "AccountServer", "AdminServer", "AuthenticatorBook",
                "ClientHTTP",
                "CountersignClient", "FirebaseAuth", "MSAL", "IBMMobileFoundationSwift",
                "KeychainServices", "KeychainTypes",
                .target(name: "SecretVault", condition: .when(platforms: [.linux])),
                .target(name: "KeychainTPM", condition: .when(platforms: [.linux])),
                "JSON", "OneTimePassword", "PasskeyAuthenticator", "ServerHTTP", "TerminalQRCode", "StoreSQLite",
                .argumentParser, .hummingbird, .logging, .nioCore, .yams,
            ],
            path: "Sources/Apps/countersign"),

        // The keychain beside its bare primitives; a part of `make bench`.
        .executableTarget(
            name: "keychain-bench",
            dependencies: ["KeychainServices", "SecretVault", "CSodium", .crypto, .cryptoExtras],
            path: "Benchmarks/Keychain"),
        // A service beside the server, whose resource asks for a scope.
        .executableTarget(
            name: "balance-service", dependencies: ["ScopeProtection", .hummingbird], path: "Examples/balance-service"),
        // An API of its own behind a scope of OAuth, for docs/openid.md.
        .executableTarget(
            name: "notes-service", dependencies: ["ScopeProtection", .hummingbird], path: "Examples/notes-service"),
        // An MCP server whose clients make themselves known, for docs/openid.md.
        .executableTarget(
            name: "mcp-service", dependencies: ["ScopeProtection", .hummingbird, .httpTypes],
            path: "Examples/mcp-service"),
        // Examples/PinCode; no products, so nobody's app builds them.
        .executableTarget(
            name: "pincode-server",
            dependencies: [
                "CountersignServer", "CountersignCore", "OneTimePassword", "ScopeProtection", "SecurityChecks",
                "SecurityChecksServer", .hummingbird, .logging,
            ],
            path: "Examples/PinCode/Server"),
        .executableTarget(
            name: "pincode-client", dependencies: ["IBMMobileFoundationSwift"], path: "Examples/PinCode/Client"),
        // `make bench`; no product, so nobody's app builds it.
        .executableTarget(
            name: "countersign-bench",
            dependencies: [
                "CountersignServer", "CountersignCore", "SecurityChecks", "OneTimePassword", "PasswordHashing",
                "StoreSQLite",
                "StorePostgres", "CSodium", "ClientHTTP", "JSON", "Guardian", "IBMMobileFirstPlatformFoundation",
                "PasskeyAuthenticator", "Passkeys", "ScopeProtection", "SecurityChecksServer", .argumentParser, .crypto,
                .cryptoExtras, .hummingbird, .logging, .nioCore, .nioPosix,
            ],
            path: "Benchmarks/countersign-bench"),

        // Import lines of apps for the originals.
        .target(
            name: "FirebaseCore", dependencies: ["FirebaseAuth"], path: "Sources/Dialects/IdentityToolkit/FirebaseCore"),
        .target(
            name: "IBMMobileFoundationSwift", dependencies: ["IBMMobileFirstPlatformFoundation"],
            path: "Sources/Dialects/SecurityChecks/IBMMobileFoundationSwift"),

        // Tests.
        .target(
            name: "TestSupport",
            dependencies: [
                "CPostgres", "CountersignCore", "StorePostgres", .asn1, .crypto, .cryptoExtras, .logging, .x509,
            ],
            path: "Tests/TestSupport", exclude: ["smtp_server.py"]),
        .target(
            name: "ServerTestSupport",
            dependencies: [
                "CountersignCore", "CountersignServer", "PasswordHashing", "StorePostgres", "TestSupport", .logging,
            ],
            path: "Tests/ServerTestSupport"),
        // A realm whose clock and randomness belong to the test, for the tests of the core and of what is above it.
        .target(
            name: "CoreTestSupport",
            dependencies: [
                "CountersignCore", "NativeAuthExtensions", "OneTimePassword", "StorePostgres", "StoreSQL",
                "StoreSQLite", "TestSupport", .crypto,
            ],
            path: "Tests/CoreTestSupport"),
        // A whole server without sockets, and a client of each protocol as the tests of all protocols use them.
        .target(
            name: "DialectTestSupport",
            dependencies: [
                "CountersignCore", "CountersignServer", "SecurityChecks", "NativeAuthWire", "OneTimePassword",
                "PasswordHashing", "ServerHTTP",
                "TestSupport", .crypto, .httpTypes, .hummingbird, .hummingbirdTesting, .logging, .nioCore,
            ],
            path: "Tests/DialectTestSupport"),
        .testTarget(name: "JSONTests", dependencies: ["JSON"]),
        .testTarget(name: "HTMLTextTests", dependencies: ["HTMLText", .mustache]),
        .testTarget(name: "TracesTests", dependencies: ["JSON", "Traces", .tracing]),
        .testTarget(name: "OneTimePasswordTests", dependencies: ["OneTimePassword"]),
        .testTarget(
            name: "PasskeysTests",
            dependencies: [
                "BlockingTestSupport", "PasskeyAuthenticator", "Passkeys", "PasskeyTestSupport", "JSON", .asn1, .crypto,
                .x509,
            ],
            exclude: ["webauthn-l3-vectors.json", "webauthn-l3-vectors.NOTICE", "peer.py"]),
        // An authenticator in software that shares no code with what verifies its answers.
        .target(
            name: "PasskeyTestSupport", dependencies: ["PasskeyAuthenticator", .crypto],
            path: "Tests/PasskeyTestSupport"),
        .testTarget(
            name: "CoreTests",
            dependencies: [
                "CountersignCore", "CoreTestSupport", "NativeAuthExtensions", "OneTimePassword", "Passkeys",
                "PasskeyTestSupport", "StoreSQL",
                "StoreSQLite", "StorePostgres", "TestSupport",
                .crypto,
                .jwtKit,
                .logging,
            ]),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "CountersignCore", "StoreSQL", "StoreSQLite", "StorePostgres", "StoreConformance", "TestSupport",
                .logging,
            ]),
        .testTarget(name: "PrometheusMetricsTests", dependencies: ["PrometheusMetrics", .coreMetrics]),
        .testTarget(name: "PicturesTests", dependencies: ["Pictures"]),
        .testTarget(
            name: "PasswordHashingTests", dependencies: ["PasswordHashing", "CHugePages", "CountersignCore"]),
        .testTarget(
            name: "DeliveryTests",
            dependencies: [
                "Delivery", "CountersignCore", "CCurl", "OutboundTLS", "TestSupport", "Traces", .crypto, .hummingbird,
                .hummingbirdCore,
                .hummingbirdTLS, .httpTypes, .jwtKit, .logging, .nioCore, .nioSSL, .serviceLifecycle, .tracing,
            ]),
        .testTarget(
            name: "ServerHTTPTests",
            dependencies: [
                "ServerHTTP", "CountersignServer", "CountersignCore", "Delivery", "JSON", "PasswordHashing",
                "ServerTestSupport",
                "TestSupport", "Traces",
                .hummingbird, .hummingbirdCore,
                .hummingbirdTesting, .httpTypes, .logging, .nioCore, .nioEmbedded, .nioHTTP1, .nioHTTPTypes,
                .nioHTTPTypesHTTP1, .serviceLifecycle, .tracing,
            ]),
        .testTarget(
            name: "WebPagesTests",
            dependencies: [
                "WebPages", "AccountServer", "GuardianServer", "CountersignCore", .hummingbird, .httpTypes, .nioCore,
            ]),
        .testTarget(
            name: "IdentityToolkitTests",
            dependencies: [
                "IdentityToolkitServer", "IdentityToolkitWire", "CountersignServer", "CountersignCore",
                "OneTimePassword", "PasskeyTestSupport", "PasswordHashing", "ServerHTTP", "CoreTestSupport",
                "DialectTestSupport", "TestSupport", .crypto, .hummingbird,
                .hummingbirdTesting, .asn1, .httpTypes, .jwtKit, .logging, .nioCore, .x509,
            ]),
        // What tests start as a process of its own: prompts at a terminal, writers that are killed, images of memory.
        .executableTarget(
            name: "vault-tool", dependencies: ["SecretVault", "KeychainTypes"], path: "Tests/VaultTool"),
        .testTarget(
            name: "SecretVaultTests", dependencies: ["SecretVault", "KeychainTypes", .crypto]),
        .testTarget(
            name: "SecretVaultAdversaryTests",
            dependencies: ["BlockingTestSupport", "SecretVault", "KeychainTypes", "vault-tool", .crypto]),
        // Threads for tests that block, and programs that they start.
        .target(name: "BlockingTestSupport", path: "Tests/BlockingTestSupport"),
        // The one keychain of a process, for the tests of all that use it.
        .target(
            name: "KeychainTestSupport", dependencies: ["KeychainServices", "KeychainTypes", "SecretVault", .crypto],
            path: "Tests/KeychainTestSupport"),
        // A TPM in software for one test, and the programs that look at it from outside.
        .target(
            name: "TPMTestSupport", dependencies: ["BlockingTestSupport", "KeychainTPM"], path: "Tests/TPMTestSupport"),
        .testTarget(
            name: "KeychainTPMTests",
            dependencies: ["BlockingTestSupport", "KeychainTPM", "TPMTestSupport", .crypto, .cryptoExtras]),
        .testTarget(
            name: "KeychainServicesTests",
            dependencies: [
                "KeychainServices", "SecretVault", "KeychainTPM", "KeychainTypes", "TPMTestSupport", "FirebaseAuth",
                "MSAL", "ClientHTTP", "ClientStorage", "JSON", "OneTimePassword", "Guardian", "GuardianReferencePage",
                "KeychainTestSupport", "TestSupport", .crypto, .cryptoExtras,
            ]),
        .testTarget(
            name: "AuthenticatorBookTests",
            dependencies: [
                "AuthenticatorBook", "JSON", "KeychainServices", "KeychainTestSupport", "KeychainTypes",
                "OneTimePassword", "PasskeyAuthenticator", "Passkeys", "SecretVault", "TPMTestSupport",
            ],
            exclude: ["peer.py"]),
        .testTarget(
            name: "GuardianTests",
            dependencies: [
                "GuardianServer", "GuardianWire", "CountersignServer", "CountersignCore", "Delivery", "OneTimePassword",
                "PasswordHashing", "ServerHTTP", "WebPages", "CoreTestSupport", "DialectTestSupport", "TestSupport",
                .crypto, .cryptoExtras,
                .hummingbird,
                .hummingbirdHTTP2,
                .hummingbirdTesting, .hummingbirdTLS, .httpTypes, .jwtKit, .logging, .nioCore, .nioSSL,
                .serviceLifecycle,
            ]),
        .testTarget(
            name: "OAuthTests",
            dependencies: [
                "AccountServer", "AdminServer", "OAuthServer", "OAuthWire", "CountersignServer", "CountersignCore",
                "JSON", "OneTimePassword",
                "PasskeyTestSupport", "ServerHTTP", "SignedTokens", "WebPages",
                "CoreTestSupport", "DialectTestSupport", "TestSupport", .crypto, .cryptoExtras, .httpTypes,
                .hummingbird, .hummingbirdTesting,
            ]),
        .testTarget(
            name: "CountersignClientTests",
            dependencies: [
                "CountersignClient", "ClientHTTP", "CountersignCore", "DialectTestSupport", "JSON", "SignedTokens",
                "TestSupport", .crypto, .httpTypes,
            ]),
        // The vendor's page, compiled as an app with its compiler's defaults compiles it.
        .target(name: "GuardianReferencePage", dependencies: ["Guardian"], path: "Tests/GuardianReferencePage"),
        .testTarget(
            name: "GuardianSDKTests",
            dependencies: [
                "Guardian", "GuardianReferencePage", "GuardianWire", "ClientHTTP", "JSON", "KeychainServices",
                "CountersignServer", "CountersignCore", "OneTimePassword", "ServerTestSupport", "TestSupport", .crypto,
                .cryptoExtras, .hummingbird, .hummingbirdTesting, .httpTypes, .logging, .nioCore,
            ]),
        .testTarget(
            name: "NativeAuthTests",
            dependencies: [
                "NativeAuthServer", "NativeAuthWire", "CountersignServer", "CountersignCore", "Delivery",
                "OneTimePassword", "PasskeyTestSupport", "PasswordHashing", "ServerHTTP", "CoreTestSupport",
                "DialectTestSupport", "TestSupport", .crypto, .hummingbird,
                .hummingbirdCore,
                .hummingbirdTesting, .hummingbirdTLS, .httpTypes, .jwtKit, .logging, .nioCore, .nioSSL,
                .serviceLifecycle,
            ]),
        .testTarget(
            name: "ScopeProtectionTests",
            dependencies: [
                "ScopeProtection", "ClientHTTP", "CountersignCore", "JSON", "SignedTokens", "TestSupport", .crypto,
                .hummingbird, .hummingbirdTesting, .httpTypes, .nioCore,
            ]),
        .testTarget(
            name: "SecurityChecksTests",
            dependencies: [
                "SecurityChecksServer", "SecurityChecksWire", "ScopeProtection", "ClientHTTP", "CountersignServer",
                "CountersignCore", "SecurityChecks", "OneTimePassword", "PasswordHashing", "ServerHTTP", "StoreSQL",
                "StoreSQLite", "CoreTestSupport", "DialectTestSupport", "TestSupport", .crypto,
                .cryptoExtras, .hummingbird, .hummingbirdTesting, .httpTypes, .logging, .nioCore,
            ]),
        .testTarget(
            name: "AccountPagesTests",
            dependencies: [
                "AccountServer", "AdminServer", "ConsoleServer", "CountersignCore", "CountersignServer",
                "DialectTestSupport",
                "OneTimePassword", "PasskeyTestSupport", "SecurityChecks", "ServerHTTP", "WebPages", .httpTypes,
                .logging, .serviceLifecycle,
            ]),
        // What one protocol gave out, at the endpoints of all.
        .testTarget(
            name: "CrossDialectTests",
            dependencies: [
                "CountersignServer", "CountersignCore", "SecurityChecks", "NativeAuthWire", "OneTimePassword",
                "Passkeys", "PasskeyTestSupport", "PasswordHashing", "ServerHTTP",
                "DialectTestSupport", "TestSupport", .crypto, .hummingbird, .hummingbirdTesting, .httpTypes, .logging,
                .nioCore,
            ]),
        // Databases of earlier versions, and what was pending in them.
        .testTarget(
            name: "KeptDataTests",
            dependencies: [
                "CountersignServer", "CountersignCore", "PasswordHashing", "StoreSQL", "TestSupport",
                .hummingbird, .hummingbirdTesting, .httpTypes, .logging, .nioCore,
            ], exclude: ["make_kept_data.py", "Kept"]),
        .testTarget(
            name: "FirebaseAuthTests",
            dependencies: [
                "FirebaseAuth", "IdentityToolkitWire", "ClientHTTP", "JSON", "CountersignServer", "CountersignCore",
                "OneTimePassword", "PasskeyTestSupport", "ServerTestSupport",
            ]),
        .testTarget(
            name: "MSALTests",
            dependencies: [
                "MSAL", "NativeAuthWire", "Guardian", "ClientHTTP", "JSON", "CountersignServer", "CountersignCore",
                "OneTimePassword",
                "ServerTestSupport",
            ]),
        // The vendor's page, compiled as an app with its compiler's defaults compiles it.
        .target(
            name: "MobileFirstReferencePage", dependencies: ["IBMMobileFoundationSwift"],
            path: "Tests/MobileFirstReferencePage"),
        .testTarget(
            name: "MobileFirstTests",
            dependencies: [
                "IBMMobileFirstPlatformFoundation", "MobileFirstReferencePage", "SecurityChecksWire", "ClientHTTP",
                "JSON",
                "KeychainServices", "CountersignServer", "CountersignCore", "SecurityChecks", "ScopeProtection",
                "SecurityChecksServer",
                "ServerTestSupport", "TestSupport", "pincode-server", "pincode-client", .httpTypes, .hummingbird,
            ]),
        .testTarget(
            name: "AdminTests",
            dependencies: [
                "AdminServer", "CountersignCore", "CoreTestSupport", "DialectTestSupport", "OneTimePassword",
                "SecurityChecks", "ServerHTTP", "TestSupport", .httpTypes,
            ]),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "countersign", "AccountServer", "AdminServer", "AuthenticatorBook", "ClientHTTP", "CountersignServer",
                "CountersignCore", "SecurityChecks",
                "OneTimePassword",
                "Guardian", "KeychainTypes", "SecretVault", "StoreSQLite", "TerminalQRCode", "TestSupport",
                "ServerHTTP", .argumentParser, .httpTypes, .logging,
            ], exclude: ["browser.py", "terminal.py"]),
        .testTarget(
            name: "BenchmarkTests",
            dependencies: ["countersign", "countersign-bench"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "BlockingTestSupport", "countersign", "CountersignCore", "CountersignServer", "OneTimePassword", "JSON",
                "PasskeyTestSupport", "ServerTestSupport", "StorePostgres", "TestSupport", .asyncHTTPClient, .crypto,
                .nioCore, .nioHTTP1,
            ],
            exclude: [
                "Auth0Python/auth0_python_test.py", "Browser", "Connections/connections.py",
                "FirebaseAdmin/firebase_admin_test.py", "FirebaseAdmin/verify_by_certificates.py", "hook_peer.py",
                "metrics_peer.py", "openapi_peer.py", "pages.py", "passkey_peer.py", "peer_steps.py",
                "Traces/otlp_collector.py",
                "verify_token.py",
            ]),
    ]
        + dialect(
            "IdentityToolkit", client: "FirebaseAuth", server: ["OneTimePassword", "Passkeys"],
            clientSide: ["ClientStorage"])
        + dialect(
            "Guardian", client: "Guardian",
            server: ["OAuthHTTP", "OneTimePassword", "QRCode", "WebPages", "CPageFiles"],
            exclude: ["Templates"],
            clientSide: ["KeychainServices", "OneTimePassword", .crypto])
        + dialect(
            "OAuth", client: "CountersignClient", server: ["OAuthHTTP", "Passkeys", "WebPages"],
            clientSide: ["ClientStorage", "SignedTokens", .crypto])
        + dialect("NativeAuth", client: "MSAL", clientSide: ["ClientStorage"])
        + dialect(
            "SecurityChecks", client: "IBMMobileFirstPlatformFoundation",
            server: ["SecurityChecks", "ScopeProtection"],
            clientSide: ["ClientStorage", "KeychainServices"]),
    swiftLanguageModes: [.v6]
)

// Server/Package.swift is this file, read from a folder beside these sources: the package for servers that embed this one
// (docs/decisions/0142). It has every module of the sources, and neither tests nor examples. Its folder has the name and no
// tests, since a copy of the whole may be called Server too.
if Context.packageDirectory.hasSuffix("/Server"),
    !FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/Tests")
{
    package.products += [
        .executable(name: "countersign", targets: ["countersign"]),
        .library(name: "CountersignServer", targets: ["CountersignServer", "SecurityChecks", "SecurityChecksServer"]),
        .library(name: "CountersignCore", targets: ["CountersignCore"]),
        .library(name: "ScopeProtection", targets: ["ScopeProtection"]),
        .library(name: "StoreConformance", targets: ["StoreConformance"]),
    ]
    package.targets.removeAll { $0.type == .test || $0.path.map { !$0.hasPrefix("Sources/") } ?? false }
}

// The vault locks memory and calls prctl: what a Mac has instead is the keychain itself. Whoever depends on it imports it
// where there is no Security framework.
#if !os(Linux)
    let linuxAlone = [
        "CKeychainShims", "SecretVault", "SecretVaultTests", "SecretVaultAdversaryTests", "vault-tool",
        "keychain-bench",
    ]
    package.targets.removeAll { linuxAlone.contains($0.name) }
    for target in package.targets {
        target.dependencies.removeAll { dependency in
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): linuxAlone.contains(name)
            default: false
            }
        }
    }
#endif

// Warnings are errors where this repository builds itself (the Makefile says so), and not in an app that takes the package by
// its path: a newer compiler that warns of more must not break that.
let warningsAreErrors = Context.environment["WARNINGS_ARE_ERRORS"] == "1"

for target in package.targets where target.type != .system && !target.name.hasSuffix("ReferencePage") {
    target.swiftSettings =
        [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility")]
        + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])
}
