import CountersignCore

/// Which writes wait, and whether a thread is taking them: the rules of group commit, without the database.
///
/// The writer takes a group at a time; whatever arrives meanwhile goes into the next group.
struct WriteQueue<Write> {
    /// What to do about a write that arrived.
    enum Admission {
        /// It waits, and the writer sleeps: wake it.
        case wakeWriter
        /// It waits, and the writer will come to it.
        case waits
        case refused(StoreError)
    }

    /// How many may wait beside the group that is under way.
    let capacity: Int
    /// How many go into one commit. More would not be faster, and one commit would hold the disk for long.
    let groupSize: Int
    private(set) var waiting: [Write] = []
    private var isWriterAwake = false
    private var isClosed = false

    init(capacity: Int, groupSize: Int) {
        self.capacity = capacity
        self.groupSize = groupSize
    }

    mutating func add(_ write: Write) -> Admission {
        guard !isClosed else { return .refused(.closedStore) }
        guard waiting.count < capacity else {
            return .refused(StoreError(.overloaded, "\(waiting.count) writes wait already"))
        }
        return append(write)
    }

    /// Admits one more write, the last.
    /// - Returns: nil where the queue was closed before.
    mutating func close(with write: Write) -> Admission? {
        guard !isClosed else { return nil }
        isClosed = true
        return append(write)
    }

    /// The next group, in the order of arrival.
    mutating func takeGroup() -> [Write] {
        guard waiting.count > groupSize else {
            // All that wait: to take them out of the array would copy it, as the group has it too.
            defer { waiting = [] }
            return waiting
        }
        let group = Array(waiting.prefix(groupSize))
        waiting.removeFirst(group.count)
        return group
    }

    /// Called when a group is done.
    /// - Returns: whether the writer has to come again.
    mutating func finishGroup() -> Bool {
        isWriterAwake = !waiting.isEmpty
        return isWriterAwake
    }

    private mutating func append(_ write: Write) -> Admission {
        waiting.append(write)
        if isWriterAwake { return .waits }
        isWriterAwake = true
        return .wakeWriter
    }
}
