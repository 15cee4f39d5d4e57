import AdminServer
import ArgumentParser
import CountersignCore
import Foundation

extension AuditCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Check the sealed log from its beginning to its end.",
            discussion: """
                Servers seal what happened within a few minutes. It finds events that were changed, removed or put in by an attacker who can \
                write the database and does not have the master key, and says where the first one is; then it ends with 1.

                The last line is the newest seal. Keep it elsewhere: with --head a later check tells whether the log still leads there, or \
                an attacker has cut off its end or sealed it anew.

                  countersign audit verify
                  countersign audit verify --head 1204:5f0c… --json
                """)

        @Option(help: ArgumentHelp("A seal of a check before.", valueName: "number:digest"))
        var head: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        private var expected: (seal: Int, digest: String)? {
            guard let head else { return nil }
            let parts = head.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let seal = Int(parts[0]), seal > 0 else { return nil }
            return (seal, String(parts[1]))
        }

        func validate() throws {
            guard head == nil || expected != nil else {
                throw ValidationError("--head takes the number of a seal and its digest, with a colon between.")
            }
        }

        func run() async throws {
            var report = AuditReport()
            try await realm.withAdministration { administration in
                // What is sealed meanwhile is checked with it; how far it is goes by what was there.
                let standing = try await administration.perform(ShowAuditSeals())
                report.head = standing.seal.flatMap { seal in standing.digest.map { .init(seal: seal, digest: $0) } }
                report.waitingSince = standing.waitingSince
                var meter = ProgressMeter("checked", isSilent: output.json)
                var part = VerifyAuditLog(seal: expected?.seal, digest: expected?.digest)
                while true {
                    let answer = try await administration.perform(part)
                    report.add(answer)
                    meter.show(report.events, fraction: report.fraction(of: standing.sealedThrough))
                    guard let next = answer.next else { break }
                    part = VerifyAuditLog(afterSeal: next)
                }
                meter.clear()
            }
            try output.show(report) { report.lines }
            if !report.holds { throw ExitCode(ExitStatus.refused.rawValue) }
        }
    }

    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Say that you have looked at a range of the sealed log that does not hold.",
            discussion: """
                Servers and the console do not tell of it any more, and of the next one if there is one. The log says who accepted it. \
                `audit verify` goes on to report it.
                """)

        @Argument(help: "The number of the seal.")
        var seal: Int

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try output.show(try await realm.perform(AcceptAuditFault(seal: seal))) {
                ["Accepted: servers do not tell of seal \(seal) any more."]
            }
        }
    }
}

/// What `audit verify` says.
struct AuditReport: Encodable {
    struct Head: Encodable {
        let seal: Int
        let digest: String
    }

    /// Whether the whole log holds.
    var holds: Bool { fault == nil }
    private(set) var seals = 0
    private(set) var events = 0
    private(set) var late = 0
    private(set) var from: Timestamp?
    private(set) var through: Timestamp?
    private(set) var fault: AuditFaultSummary?
    /// The newest seal when the check began.
    var head: Head?
    var waitingSince: Timestamp?

    private enum CodingKeys: CodingKey { case holds, seals, events, late, from, through, fault, head, waitingSince }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(holds, forKey: .holds)
        try members.encode(seals, forKey: .seals)
        try members.encode(events, forKey: .events)
        try members.encode(late, forKey: .late)
        try members.encodeIfPresent(from, forKey: .from)
        try members.encodeIfPresent(through, forKey: .through)
        try members.encodeIfPresent(fault, forKey: .fault)
        try members.encodeIfPresent(head, forKey: .head)
        try members.encodeIfPresent(waitingSince, forKey: .waitingSince)
    }

    mutating func add(_ part: VerifyAuditLog.Answer) {
        seals += part.seals
        events += part.events
        late += part.late
        from = from ?? part.from
        through = part.through ?? through
        fault = part.fault
    }

    /// How much of the time was checked; nil where that is not known.
    func fraction(of end: Timestamp?) -> Double? {
        guard let from, let through, let end, end.date > from.date else { return nil }
        return through.date.timeIntervalSince(from.date) / end.date.timeIntervalSince(from.date)
    }

    var lines: [String] {
        var lines: [String] = []
        if let from, let through {
            let late = late > 0 ? ", \(late) of which came late" : ""
            lines.append("It holds from \(from.text) to \(through.text): \(events) events\(late), \(seals) seals.")
        } else if fault == nil {
            lines.append("Nothing is sealed yet.")
        }
        if let fault {
            let place = [("after", fault.after), ("through", fault.through)].compactMap { word, time in
                time.map { "\(word) \($0.text)" }
            }
            lines.append(
                "It does not hold at seal \(fault.seal)\(place.isEmpty ? "" : ", ")\(place.joined(separator: " ")): "
                    + (Self.sentences[fault.kind] ?? fault.kind.printable) + ".")
            if !fault.events.isEmpty {
                lines.append("Events: " + fault.events.map(\.printable).joined(separator: " "))
            }
        }
        if let waitingSince { lines.append("Not sealed yet: what happened since \(waitingSince.text).") }
        if let head { lines.append("Newest seal: \(head.seal):\(head.digest.printable)") }
        return lines
    }

    private static let sentences = [
        "changed": "an event is not as it was sealed", "removed": "an event is gone",
        "inserted": "an event was put in afterwards",
        "altered-seal": "the seal was altered, or made with another key",
        "broken-chain": "the seal does not follow the one before it, or that one is gone",
        "unknown-key": "the seal names a master key that is not here",
        "cut-off": "the seal is gone or another one: the end was cut off or replaced, or a backup was restored",
    ]
}
