import CountersignCore
import ServiceLifecycle

/// Finds requests to waiting devices that other processes sent, and decisions there that pages wait for, while the server runs.
struct DeviceWatchService: NamedService {
    let watch: DeviceWatch

    /// What the log calls it.
    var description: String { "Device watch" }

    func run() async throws {
        await cancelWhenGracefulShutdown { await watch.run() }
    }
}
