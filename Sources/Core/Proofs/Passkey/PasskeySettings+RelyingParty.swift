import Foundation
import Passkeys

/// What the settings and the server's address make together.
extension PasskeySettings {
    /// The site that passkeys belong to, on a server that browsers find at these addresses.
    ///
    /// Under `--dev` it is `localhost` wherever the server listens on this machine: browsers take no address of numbers, and no
    /// certificate is needed there.
    /// - Returns: nil where nothing was set and the server has no domain to take.
    /// - Throws: what cannot be as it is set.
    func relyingParty(at site: PublicSite, mode: RealmMode) throws(RelyingPartyFault) -> RelyingParty? {
        let pages = site.baseURLs.compactMap { PageOrigin($0, takesLoopback: mode == .development) }
        guard let id = rpID ?? pages.first?.host, rpID != nil || Self.isDomain(id) else { return nil }
        if site.isPublicSuffix(id) { throw .publicSuffix(id) }
        let own = pages.filter { $0.host == id || $0.host.hasSuffix("." + id) }.map(\.text)
        return try RelyingParty(
            id: id, name: rpName ?? site.name ?? id, origins: origins ?? own, relatedOrigins: relatedOrigins ?? [],
            framing: framingOrigins.map { .allowed(topOrigins: Set($0)) } ?? .refused)
    }

    /// Whether it is said which authenticators are trusted, without which attestation cannot be enforced.
    public var namesTrustedModels: Bool { !(allowedAAGUIDs ?? []).isEmpty && !(attestationRoots ?? []).isEmpty }

    /// Why the settings cannot be together, as a sentence; nil where they can. What depends on the server's address shows at its start.
    /// - Parameter site: knows the public suffixes.
    public func fault(at site: PublicSite) -> String? {
        if attestation == .enforced, !namesTrustedModels {
            return
                "passkeys.attestation cannot be enforced without passkeys.allowedAAGUIDs and passkeys.attestationRoots. "
                + "Set them first."
        }
        guard let rpID else { return nil }
        do throws(RelyingPartyFault) {
            if site.isPublicSuffix(rpID) { throw .publicSuffix(rpID) }
            _ = try RelyingParty(
                id: rpID, name: rpName ?? rpID, origins: origins ?? [], relatedOrigins: relatedOrigins ?? [])
            return nil
        } catch { return "\(error)." }
    }

    var offered: [COSEAlgorithm] { (algorithms ?? Self.standardAlgorithms).compactMap { Self.algorithmNames[$0] } }

    var attestationPolicy: AttestationPolicy {
        let roots = (attestationRoots ?? []).compactMap { text in
            [UInt8](base64URL: text, accepting: .all).flatMap { try? TrustAnchor(der: $0) }
        }
        return switch attestation {
        case .none: .none
        case .direct: .direct(roots: roots)
        case .enforced:
            .enforced(
                roots: roots, allowedAAGUIDs: Set((allowedAAGUIDs ?? []).compactMap { AAGUID($0) }),
                allowsBackupEligible: allowsSynced)
        }
    }
}

/// Scheme, host and port of a base URL, as browsers write an origin.
private struct PageOrigin {
    let host: String
    let text: String

    /// - Parameter takesLoopback: whether the numeric addresses of this machine are taken for its name.
    init?(_ url: String, takesLoopback: Bool) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), let host = parts.host
        else { return nil }
        let isLoopback = ["127.0.0.1", "::1", "[::1]"].contains(host)
        self.host = isLoopback && takesLoopback ? "localhost" : host.lowercased()
        let standard = scheme == "https" ? 443 : 80
        let port = parts.port.flatMap { $0 == standard ? nil : ":\($0)" } ?? ""
        text = "\(scheme)://\(self.host)\(port)"
    }
}

/// Where passkeys can be asked for, for pages.
public struct PasskeySite: Sendable, Equatable {
    /// The domain that they belong to.
    public let domain: String
    /// The origins that may ask.
    public let origins: Set<String>
}

extension Realm {
    /// Where passkeys can be asked for by these settings; nil where they are off.
    public func passkeySite(in settings: RealmSettings) -> PasskeySite? {
        guard settings.secondFactors.offersPasskeys, let site = relyingParty(settings), !site.origins.isEmpty else {
            return nil
        }
        return PasskeySite(domain: site.id, origins: site.origins)
    }

    /// Why passkeys cannot be used although they are offered, as a sentence for operators; nil where they can, or are off.
    public func passkeyWarning() async throws -> String? {
        let settings = try await settings()
        guard settings.secondFactors.offersPasskeys else { return nil }
        do throws(RelyingPartyFault) {
            guard let site = try settings.passkeys.relyingParty(at: site, mode: mode) else {
                return "Passkeys are off: the server has no domain. Set the public URL, or passkeys.rpID."
            }
            if site.origins.isEmpty {
                return "Passkeys cannot be used: no public URL is at \(site.id) or below. Set passkeys.origins."
            }
            // Browsers promise to look at so many registrable names (WebAuthn Level 3, section 5.11.1).
            let names = Set((settings.passkeys.relatedOrigins ?? []).compactMap(RelyingParty.host(ofOrigin:)))
            return names.count > 5
                ? "passkeys.relatedOrigins has \(names.count) hosts: browsers may look at the first five names alone."
                : nil
        } catch { return "Passkeys are off: \(error)." }
    }

    /// The site that passkeys belong to; nil where they are off, or there is none.
    public func relyingParty() async throws -> RelyingParty? {
        let settings = try await settings()
        guard settings.secondFactors.offersPasskeys else { return nil }
        return relyingParty(settings)
    }

    func relyingParty(_ settings: RealmSettings) -> RelyingParty? {
        try? settings.passkeys.relyingParty(at: site, mode: mode)
    }
}
