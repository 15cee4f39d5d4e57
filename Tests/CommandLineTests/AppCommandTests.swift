import Foundation
import Testing

@Suite struct AppCommandTests {
    private let directory: TestDirectory

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    @Test func anApplicationIsAddedChangedAndRemoved() async throws {
        let added = try await directory.run(
            "app", "add", "--id", "shop", "--name", "Shop", "--secret", "--redirect-uri",
            "https://shop.example.com/back",
            "--redirect-uri", "com.example.shop://back", "--challenge-types", "oob password,redirect", "--scopes",
            "openid profile", "--attribute", "city:string:required", "--attribute", "age:integer", "--require-mfa")
        #expect(added.status == 0, "\(added.error)")
        #expect(
            added.lines.dropLast(2) == [
                "id                 shop",
                "name               Shop",
                "client             confidential (has a secret)",
                "redirect URIs      https://shop.example.com/back com.example.shop://back",
                "challenge types    oob password redirect",
                "scopes             openid profile",
                "attributes         city:string:required age:integer",
                "requires MFA       yes",
                "reveals addresses  no",
            ])
        #expect(added.lines.last?.hasPrefix("The client secret, which is shown only now: ") == true)

        let changed = try await directory.run(
            "app", "set", "shop", "--no-require-mfa", "--scopes", "", "--no-secret", "--json"
        ).json()
        let application = try #require(changed["application"] as? [String: Any])
        #expect(changed["secret"] == nil)
        #expect(application["isConfidential"] as? Bool == false)
        #expect(application["requiresSecondFactor"] as? Bool == false)
        #expect(application["scopes"] as? [String] == [])
        #expect(application["displayName"] as? String == "Shop", "What is not given stays.")
        #expect((application["redirectURIs"] as? [String])?.count == 2)

        let list = try await directory.run("app", "list")
        #expect(list.lines.first?.hasPrefix("ID ") == true)
        #expect(list.lines.count == 3, "The first application is there too.")
        #expect(try await directory.run("app", "remove", "shop").output == "Removed the application shop.\n")
        #expect(try await directory.run("app", "show", "shop").status == 4)
    }

    @Test func revealingAddressesIsWarnedOfAndLogged() async throws {
        let added = try await directory.run("app", "add", "--id", "shop", "--reveal-addresses", "--json")
        #expect(added.status == 0)
        #expect(added.error.hasPrefix("warning: shop reveals addresses: whoever asks it learns"))
        #expect((try added.json()["warnings"] as? [String])?.count == 1)
        let hidden = try await directory.run("app", "set", "shop", "--no-reveal-addresses")
        #expect(hidden.error.isEmpty)
        let log = try await directory.run("audit", "tail").lines.suffix(2)
        #expect(log.first?.hasSuffix("application=shop  revealsAddresses=true") == true)
        #expect(log.last?.hasSuffix("application=shop  revealsAddresses=false") == true)
    }

    @Test func aSecretOfOnesOwnHasToBeLong() async throws {
        let short = try directory.write("hunter2\n", to: "short")
        #expect(try await directory.run("app", "add", "--secret-file", short).status == 2)
        let long = try directory.write("0123456789abcdefghijklmnop\n", to: "long")
        let added = try await directory.run("app", "add", "--id", "shop", "--secret-file", long, "--json").json()
        #expect(added["secret"] == nil, "Whoever gave the secret knows it.")
        #expect((added["application"] as? [String: Any])?["isConfidential"] as? Bool == true)
    }

    @Test(arguments: [
        (["--attribute", "city"], "Write NAME:TYPE or NAME:TYPE:required"),
        (["--attribute", "city:text"], "There are string, integer, boolean."),
        (["--challenge-types", "sms"], "There are oob, password, redirect."),
        (["--redirect-uri", "javascript:alert(1)"], "is no redirect URI"),
        (["--redirect-uri", "https://shop.example.com/#part"], "is no redirect URI"),
        (["--scopes", "a\"b"], "is no scope"),
        (["--id", "a b"], "is no client id"),
        (["--secret", "--secret-file", "x"], "Give one of --secret and --secret-file."),
    ])
    func whatIsNotRightIsRefusedAsUsage(options: [String], reason: String) async throws {
        let transcript = try await Program.run(
            ["app", "add"] + options + ["--data", directory.data], in: directory)
        #expect(transcript.status == 2)
        #expect(transcript.error.contains(reason), "\(transcript.error)")
        #expect(transcript.output.isEmpty)
    }

    @Test func unknownApplicationsAreNotFoundAndKnownOnesAreTaken() async throws {
        let missing = try await directory.run("app", "set", "nope", "--require-mfa")
        #expect(missing.status == 4)
        #expect(missing.error.contains("There is no application nope."))
        #expect(try await directory.run("app", "remove", "nope").status == 4)
        _ = try await directory.run("app", "add", "--id", "shop")
        #expect(try await directory.run("app", "add", "--id", "shop").status == 1)
    }
}
