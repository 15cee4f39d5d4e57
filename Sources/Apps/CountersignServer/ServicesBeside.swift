import Logging
import ServiceLifecycle

/// A service that says its own name: ``description`` is what the log calls it.
protocol NamedService: Service, CustomStringConvertible {}

/// All that runs beside the HTTP server, as one service for it.
///
/// The library asks each service that it is handed for its name as text, and Swift's runtime goes through all conformances of the
/// program for each type to learn how; here the names are known. The order holds: the server ends first, then these, the last
/// of them first. Where one ends or fails, so does the whole.
struct ServicesBeside: NamedService {
    private let group: ServiceGroup

    var description: String { "Services" }

    /// - Parameter services: in the order in which they begin.
    init(_ services: [any NamedService], logger: Logger) {
        group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map {
                    ServiceGroupConfiguration.ServiceConfiguration(service: $0, serviceName: $0.description)
                }, logger: logger))
    }

    func run() async throws { try await group.run() }
}
