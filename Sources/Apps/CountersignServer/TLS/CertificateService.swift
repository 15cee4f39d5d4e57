import CountersignCore
import Dispatch
import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Looks for another certificate now and again, and at once on SIGHUP; tells when the present one ends.
struct CertificateService: NamedService {
    let certificate: ServedCertificate
    let clock: any WallClock
    let logger: Logger
    /// Between two readings of the clock.
    var tick: Duration = .milliseconds(500)

    /// Seconds between two reads of the files.
    static let interval: TimeInterval = 10
    /// Seconds before the end from which on it is warned of, daily.
    static let notice: TimeInterval = 14 * 86_400
    static let warningInterval: TimeInterval = 86_400

    /// What the log calls it.
    var description: String { "TLS certificate" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { await watch() }
                tasks.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) {
                        logger.info("SIGHUP: reading the certificate again")
                        await look(isAsked: true)
                    }
                }
            }
        }
    }

    private func watch() async {
        var schedule = CertificateSchedule(startingAt: clock.now)
        repeat {
            let now = clock.now
            if schedule.isDue(at: now) { await look(isAsked: false) }
            if let expiry = certificate.expiresAt, schedule.warns(of: expiry, at: now) { warn(of: expiry, at: now) }
            // A cancelled sleep is the shutting down, and no error.
        } while (try? await Task.sleep(for: tick)) != nil
    }

    /// - Parameter isAsked: an administrator asked for it, and wants to see earlier refusals again.
    private func look(isAsked: Bool) async {
        let now = clock.now
        let certificate = certificate
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: certificate.reload(at: now)) }
        }
        switch result {
        case .replaced(let expiresAt):
            logger.notice(
                "new connections get the new certificate", metadata: ["expiresAt": "\(expiresAt.ISO8601Format())"])
        case .refused(let error):
            logger.error(
                """
                the certificate on disk is refused, and the one from before stays: \(error) Put a certificate and its key \
                there; they are read within seconds, or at once on SIGHUP.
                """)
        case .refusedBefore where isAsked:
            logger.error("the certificate on disk is still the refused one; the server keeps the previous one")
        case .unchanged where isAsked: logger.info("the certificate is the same")
        case .refusedBefore, .unchanged: break
        }
    }

    private func warn(of expiry: Date, at now: Date) {
        let days = Int((expiry.timeIntervalSince(now) / 86_400).rounded(.down))
        logger.warning(
            """
            the served certificate \(Self.ends(in: days)), on \(expiry.ISO8601Format()): \
            renew it, and put it and its key in place of the files; they are read within seconds
            """)
    }

    static func ends(in days: Int) -> String {
        days < 0 ? "has expired" : "expires in \(days) \(days == 1 ? "day" : "days")"
    }
}

/// When to read the files, and when to warn: pure, so that a moved clock does what the passing of time does.
struct CertificateSchedule: Sendable {
    private var lookedAt: Date
    private var warnedAt: Date?
    private var warnedOf: Date?

    init(startingAt now: Date) {
        lookedAt = now
    }

    /// Also where the clock was set back.
    mutating func isDue(at now: Date) -> Bool {
        guard abs(now.timeIntervalSince(lookedAt)) >= CertificateService.interval else { return false }
        lookedAt = now
        return true
    }

    /// Once a day for each certificate.
    mutating func warns(of expiry: Date, at now: Date) -> Bool {
        guard expiry.timeIntervalSince(now) < CertificateService.notice else { return false }
        if warnedOf == expiry, let warnedAt,
            abs(now.timeIntervalSince(warnedAt)) < CertificateService.warningInterval
        {
            return false
        }
        (warnedAt, warnedOf) = (now, expiry)
        return true
    }
}
