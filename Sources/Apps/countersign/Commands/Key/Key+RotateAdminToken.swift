import ArgumentParser
import CountersignCore
import CountersignServer

extension KeyCommand {
    struct RotateAdminToken: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-admin-token",
            abstract: "Create a new administrator's token for all servers.",
            discussion: """
                Running servers refuse the previous token within seconds. Each server writes the new one to admin-token in \
                its data directory.

                  countersign key rotate-admin-token --data /var/lib/countersign
                """)

        @OptionGroup var realm: RealmOptions

        func run() async throws {
            let path = try await realm.withOpenedRealm { opened in
                let token = Secret(opened.realm.random.bytes(32).base64URL)
                try await opened.realm.administratorToken.replace(with: token, by: .commandLine)
                // A machine without a server has no file, and needs none.
                guard opened.directory.hasAdminToken else { return String?.none }
                try opened.directory.write(adminToken: token, random: opened.realm.random)
                return opened.directory.adminTokenPath
            }
            Terminal.print("The administrator has a new token. Servers accept it within seconds.")
            if let path { Terminal.print("It is in \(path).") }
        }
    }
}
