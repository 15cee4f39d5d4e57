import AdminServer
import ArgumentParser

/// Custom authentication extensions.
struct ExtensionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extension",
        abstract: "Involve your own services in sign-ins and sign-ups.",
        discussion: "docs/custom-extensions.md describes the calls and their answers.",
        subcommands: [Add.self, List.self, Show.self, Check.self, Remove.self])

    static func describe(_ summary: ExtensionSummary) -> [String] {
        var table = Table()
        table.add("id", summary.id)
        table.add("listener", summary.listenerID)
        table.add("name", summary.displayName)
        table.add("event", summary.event)
        table.add("URL", summary.targetURL)
        table.add("resource id", summary.resourceID)
        table.add("applications", summary.applications.isEmpty ? "all" : summary.applications.joined(separator: " "))
        table.add("time-out", "\(summary.timeout) ms")
        table.add("retries", "\(summary.retries)")
        if summary.event == "otp-send" { table.add("on error", summary.onError) }
        if summary.event == "token-issuance-start" {
            table.add("claims", summary.claims.map(text).joined(separator: " "))
            table.add("claims in", summary.tokens.joined(separator: " "))
        }
        table.add("created", summary.createdAt.text)
        return table.lines
    }

    private static func text(_ claim: ExtensionSummary.Claim) -> String {
        if let value = claim.value { return "\(claim.jwtClaimType ?? "")=\(value)" }
        return [claim.id ?? "", claim.renamed].compactMap { $0 }.joined(separator: ":")
    }
}
