import AdminServer
import CountersignCore
import Foundation

extension Setup {
    /// Reads what a server has, of all kinds.
    init(of administration: any Administration) async throws {
        self.init()
        kinds = Set(Kind.allCases)
        var after: String?
        repeat {
            let page = try await administration.perform(ListGroups(limit: 1000, after: after))
            entries += page.groups.map { group in
                Entry(
                    kind: .groups, name: group.name,
                    members: ["group": .string(group.name), "summary": .string(group.summary)])
            }
            after = page.next
        } while after != nil
        repeat {
            let page = try await administration.perform(ListApplications(limit: 1000, after: after))
            // What registered itself comes and goes by itself: no file says that it is to be there.
            entries += try page.applications.filter { $0.origin == nil }.map(Self.entry)
            after = page.next
        } while after != nil
        entries += try await administration.perform(ListResources()).resources.map { resource in
            let texts = resource.scopes.reduce(into: [String: [String: String]]()) { texts, scope in
                var own = scope.texts ?? [:]
                own[""] = scope.text
                if !own.isEmpty { texts[scope.name] = own }
            }
            let claims = resource.scopes.reduce(into: [String: [String]]()) { $0[$1.name] = $1.claims }
            let (common, apart) = PutResource.assurance(of: resource.scopeACRs, among: resource.scopes.map(\.name))
            let put = PutResource(
                uri: resource.uri, displayName: resource.name, scopes: resource.scopes.map(\.name),
                scopeTexts: texts.isEmpty ? nil : texts, scopeClaims: claims.isEmpty ? nil : claims,
                minimumACR: common.isEmpty ? nil : common, scopeACRs: apart.isEmpty ? nil : apart,
                owner: resource.owner, lifetime: resource.lifetime, tokenFormat: resource.tokenFormat,
                tokenAlgorithm: resource.tokenAlgorithm)
            return Entry(kind: .resources, name: resource.uri, members: try SetupMembers.of(put))
        }
        for listed in try await administration.perform(ListExtensions()).extensions {
            do {
                entries.append(try Self.extensionEntry(await administration.perform(ShowExtension(id: listed.id))))
            } catch let error as AdministrationError where error.code == .notFound {
                // Removed since it was listed.
            }
        }
        entries += try await administration.perform(ShowSettings()).settings.map { setting in
            var members = ["value": SetupMembers.normal(setting.value)]
            // For `export`: what stands by itself is not written.
            let isDefault = SetupMembers.normal(setting.defaultValue) == members["value"]
            // A preset that no longer holds calls itself so: it is what the other settings say.
            if isDefault || setting.value == .string("custom") { members["isDefault"] = .bool(true) }
            return Entry(kind: .settings, name: setting.key, members: members)
        }
    }

    private static func extensionEntry(_ shown: ShowExtension.Answer) throws -> Entry {
        let made = shown.extension
        let add = AddExtension(
            event: made.event, targetURL: made.targetURL, displayName: made.displayName, resourceID: made.resourceID,
            applications: made.applications, timeout: made.timeout, retries: made.retries, onError: made.onError,
            claims: made.claims, tokens: made.tokens)
        return Entry(
            kind: .extensions, name: "\(made.event) \(made.targetURL)", members: try SetupMembers.of(add),
            id: made.id, revision: shown.revision)
    }

    private static func entry(_ application: ApplicationSummary) throws -> Entry {
        var members = try SetupMembers.of(application)
        if case .object(let oauth)? = members.removeValue(forKey: "oauth") { members.merge(oauth) { own, _ in own } }
        for name in [
            "createdAt", "isConfidential", "keyIDs", "hasLogo", "logo", "idTokenAlgorithmInUse", "lastUsedAt",
            "protocols",
        ] {
            members[name] = nil
        }
        // A list of versions has sets in it.
        if let versions = members["versions"] { members["versions"] = SetupMembers.normal(versions) }
        let hasKeys = application.keyIDs != nil || application.oauth.jwksURI != nil
        var entry = Entry(kind: .applications, name: application.id, members: members)
        entry.hasSecret = application.isConfidential && !hasKeys
        return entry
    }
}
