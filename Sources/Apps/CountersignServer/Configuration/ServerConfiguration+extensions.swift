import Delivery
import Foundation
import NIOSSL

/// Where services of the developer's own may be called.
public struct ExtensionConfiguration: Sendable {
    /// Networks that may be called though they are not public.
    public var allowedNetworks: [AddressRange]
    /// The path of the authorities that may vouch for services, in PEM; nil for the system's.
    public var authorities: String?

    /// Allows these networks beside the public ones; without arguments, public addresses alone.
    public init(allowedNetworks: [AddressRange] = [], authorities: String? = nil) {
        self.allowedNetworks = allowedNetworks
        self.authorities = authorities
    }

    /// - Parameter publicURL: where clients reach the server; nil where that turns out later.
    func options(publicURL: String?) -> ExtensionCallOptions {
        var options = ExtensionCallOptions(
            rules: AddressRules(allowed: allowedNetworks), trustRoots: authorities.map { .file($0) })
        if let publicURL { options.publicURL = publicURL }
        return options
    }
}

/// How services of the developer's own are called.
public typealias ExtensionCallOptions = HTTPExtensionCaller.Options

extension ExtensionCallOptions {
    /// Only at public addresses, with the system's certificate authorities.
    public static let standard = ExtensionCallOptions()
}

extension ServerConfiguration {
    static func extensions(_ sources: inout ConfigurationSources) -> ExtensionConfiguration {
        let authorities = readableFile(.extensionsAuthorities, &sources)
        if let authorities, (try? NIOSSLCertificate.fromPEMFile(authorities.value))?.isEmpty ?? true {
            sources.report(
                authorities.place, "\"\(authorities.value)\" has no certificates", "name a file of certificates in PEM")
        }
        var networks: [AddressRange] = []
        if let found = sources.list(.extensionsAllowedNetworks) {
            for text in found.value where !text.isEmpty {
                if let network = AddressRange(text) {
                    networks.append(network)
                } else {
                    sources.report(
                        found.place, "\"\(text)\" is no network",
                        "write ones such as 10.1.0.0/16 or fd00::/8, with zeros after the prefix")
                }
            }
        }
        return ExtensionConfiguration(allowedNetworks: networks, authorities: authorities?.value)
    }
}
