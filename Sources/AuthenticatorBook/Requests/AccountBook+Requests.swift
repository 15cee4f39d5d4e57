import Foundation
import Guardian
import KeychainServices

/// What comes while one watches.
public enum WatchEvent: Sendable {
    case request(SignInRequest)
    /// The account is watched no more.
    case ended(Account, DeviceFailure)
}

extension AccountBook {
    /// The longest reason in bytes.
    public static let reasonLimit = 500

    /// The accounts whose devices are asked about sign-ins.
    public func devices() async throws(AccountBookError) -> [Account] {
        try await accounts().filter { $0.device != nil }
    }

    /// What waits for these accounts now, the oldest first. Never prompts.
    ///
    /// - Returns: also why some could not be asked.
    public func waiting(
        for accounts: [Account], now: Date = Date()
    ) async -> (requests: [SignInRequest], failures: [(Account, DeviceFailure)]) {
        await withTaskGroup(of: (Account, Result<[SignInRequest], DeviceFailure>).self) { group in
            for account in accounts {
                group.addTask {
                    do {
                        let waiting = try await deviceAPI(of: account).notifications(waitingUpTo: 0).start()
                        return (
                            account,
                            .success(
                                waiting.notifications.map { SignInRequest($0, of: account, receivedAt: now) })
                        )
                    } catch {
                        return (account, .failure(DeviceFailure(error)))
                    }
                }
            }
            var (requests, failures): ([SignInRequest], [(Account, DeviceFailure)]) = ([], [])
            for await (account, result) in group {
                switch result {
                case .success(let waiting): requests += waiting
                case .failure(let failure): failures.append((account, failure))
                }
            }
            return (requests.sorted { $0.startedAt < $1.startedAt }, failures)
        }
    }

    /// Requests as they come, each once, of all these accounts at a time. Ends when all have ended; cancel the task to end
    /// it before. An outage is waited for.
    public func requests(of accounts: [Account]) -> AsyncStream<WatchEvent> {
        // More than a user ever has to answer at once; the next poll brings further ones.
        AsyncStream(bufferingPolicy: .bufferingOldest(1000)) { continuation in
            let task = Task {
                await withTaskGroup(of: Void.self) { group in
                    for account in accounts {
                        group.addTask {
                            do {
                                for try await notification in try await deviceAPI(of: account).notifications() {
                                    let request = SignInRequest(notification, of: account, receivedAt: Date())
                                    continuation.yield(.request(request))
                                }
                            } catch {
                                if !Task.isCancelled { continuation.yield(.ended(account, DeviceFailure(error))) }
                            }
                        }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Signs the answer, and sends it. Asks for the passcode where the device's key does, and tells the person what for.
    public func answer(_ request: SignInRequest, _ decision: Decision) async throws(DeviceFailure) {
        guard let device = request.account.device else {
            throw DeviceFailure(.refused, "\(request.account.label) answers no requests.")
        }
        let verb = if case .allow = decision { "Allow" } else { "Deny" }
        let from = [request.browser, request.place].compactMap(\.self).joined(separator: ", ")
        let reason = "\(verb) the sign-in to \(request.account.label)" + (from.isEmpty ? "" : " from \(from)")
        do {
            let key = try DeviceSigningKey(tag: Self.keyTag(request.account.id), reason: reason)
            let authentication = Guardian.authentication(
                url: device.server, device: Answering(signingKey: key, localIdentifier: device.identifier))
            switch decision {
            case .allow(let number?):
                _ = try await authentication.allow(notification: request.notification, number: number).start()
            case .allow(nil): _ = try await authentication.allow(notification: request.notification).start()
            case .deny(let reason):
                _ = try await authentication.reject(
                    notification: request.notification, withReason: reason.flatMap { $0.isEmpty ? nil : $0 }
                ).start()
            case .notMe:
                _ = try await authentication.reject(
                    notification: request.notification, withReason: RejectReason.notMe
                ).start()
            }
        } catch {
            throw DeviceFailure(error)
        }
    }

    private struct Answering: AuthenticationDevice {
        let signingKey: any SigningKey
        let localIdentifier: String
    }
}
