import CountersignCore
import Logging
import ServiceLifecycle

/// Takes another administrator's token while the server runs, and writes it where administrators of this machine look for it.
struct AdminTokenService: NamedService {
    let opened: OpenedRealm
    let logger: Logger
    /// The interval between two reads of the store.
    var interval: Duration = .seconds(2)

    /// What the log calls it.
    var description: String { "Administrator's token" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // A cancelled sleep is the shutting down, and no error.
            while (try? await Task.sleep(for: interval)) != nil {
                do {
                    try await look()
                } catch is CancellationError {
                    return
                } catch {
                    logger.debug("the administrator's token could not be read: \(error)")
                }
            }
        }
    }

    /// One look; the file is written where the token is another than before.
    func look() async throws {
        guard let token = try await opened.realm.administratorToken.current(), opened.adminToken.replace(with: token)
        else { return }
        opened.realm.administratorToken.forgetUse()
        logger.notice("the administrator's token has changed")
        guard opened.directory.hasOther(adminToken: token) else { return }
        do {
            try opened.directory.write(adminToken: token, random: opened.realm.random)
        } catch {
            logger.warning("\(error) It still has the previous administrator's token, which is no longer valid.")
        }
    }
}
