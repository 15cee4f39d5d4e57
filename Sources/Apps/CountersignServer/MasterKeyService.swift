import CountersignCore
import Foundation
import Logging
import ServiceLifecycle

/// Reads master keys that come while the server runs, and says which ones it knows, so that one is put in place only when
/// every server does.
struct MasterKeyService: NamedService {
    let opened: OpenedRealm
    let logger: Logger
    /// The interval between two reads of the key file.
    var interval: Duration = .seconds(1)

    /// What the log calls it.
    var description: String { "Master keys" }

    func run() async throws {
        var report = ServerReport(
            id: opened.realm.random.bytes(8).hex,
            name: "\(ProcessInfo.processInfo.hostName) (process \(ProcessInfo.processInfo.processIdentifier))")
        await cancelWhenGracefulShutdown { [report] in await self.watch(report) }
        report.masterKeys = []
        try? await opened.realm.serverReports.remove([report.id])
    }

    private func watch(_ initial: ServerReport) async {
        var report = initial
        var stamp: FileStamp?
        var reportedAt: ContinuousClock.Instant?
        var known = 0
        while !Task.isCancelled {
            if let file = opened.masterKeyFile {
                let present = file.stamp
                if present != stamp {
                    stamp = present
                    await read(file)
                }
            }
            let keys = opened.realm.sealer.keys.all.count
            let isDue = reportedAt.map { .now - $0 >= .seconds(ServerReports.interval) } ?? true
            if isDue || keys != known {
                do {
                    try await opened.realm.serverReports.put(&report)
                    (reportedAt, known) = (.now, keys)
                } catch {
                    logger.debug("this server's report could not be written: \(error)")
                }
            }
            // A cancelled sleep is the shutting down, and no error.
            try? await Task.sleep(for: interval)
        }
    }

    private func read(_ file: MasterKeyFile) async {
        do {
            for key in opened.realm.sealer.keys.learn(try await file.readEntries().map(\.key)) {
                logger.notice("loaded a master key", metadata: ["key": "\(key.id)"])
            }
        } catch {
            logger.warning(
                "the master key file was changed and cannot be used; the server keeps the previous keys: \(error)")
        }
    }
}
