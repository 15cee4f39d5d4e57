import NIOCore

/// Keeps one timer for a ``ConnectionProgress``, on the event loop that it belongs to.
final class DeadlineTimer {
    private(set) var progress: ConnectionProgress
    private let eventLoop: any EventLoop
    private let expire: (ConnectionProgress.Deadline) -> Void
    private var scheduled: (task: Scheduled<Void>, at: NIODeadline)?
    private var isOver = false

    init(
        _ progress: ConnectionProgress, on eventLoop: any EventLoop,
        expire: @escaping (ConnectionProgress.Deadline) -> Void
    ) {
        (self.progress, self.eventLoop, self.expire) = (progress, eventLoop, expire)
        schedule()
    }

    func update(_ change: (inout ConnectionProgress, NIODeadline) -> Void) {
        change(&progress, eventLoop.now)
        schedule()
    }

    func cancel() {
        isOver = true
        scheduled?.task.cancel()
        scheduled = nil
    }

    /// A timer that fires too early looks again: so most requests make none.
    private func schedule() {
        guard !isOver, let deadline = progress.deadline else { return }
        if let scheduled {
            if scheduled.at <= deadline.at { return }
            scheduled.task.cancel()
        }
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: deadline.at) { self.fire() }
        scheduled = (task, deadline.at)
    }

    private func fire() {
        scheduled = nil
        guard !isOver else { return }
        if let deadline = progress.deadline, deadline.at <= eventLoop.now {
            // The end is announced first, awaited for a while, and then forced.
            progress.ends(at: eventLoop.now)
            isOver = deadline.expiry == .abort
            expire(deadline)
        }
        schedule()
    }
}
