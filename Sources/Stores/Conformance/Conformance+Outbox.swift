import CountersignCore
import Foundation

extension StoreConformance {
    static let outbox: [Check] = [
        Check("A message comes back as it was inserted, with every member set and with every member absent") { store in
            let full = OutboxMessage(
                id: "2", channel: .push, recipient: Sample.text, createdAt: Sample.instants[0], attempts: .max,
                nextAttemptAt: Sample.instants[1], deliveredAt: Sample.instants[3], sealedContent: Sample.largeBlob,
                userID: UserID(rawValue: Sample.text))
            let bare = OutboxMessage(
                id: "1", channel: .email, recipient: "", createdAt: Sample.instants[3],
                nextAttemptAt: Sample.instants[3], sealedContent: Data())
            let answers = try await store.write {
                [try $0.insert(full), try $0.insert(bare), try $0.insert(full)]
            }
            try requireEqual(answers, [true, true, false], "the answers to three inserts")
            let kept = try await store.read { try $0.outboxMessages(limit: 10) }
            try require(kept == [bare, full], "the messages came back changed or in another order")
        },

        Check("The newest messages are listed, the oldest of them first") { store in
            try await store.write { transaction in
                for number in [3, 1, 5, 2, 4] { _ = try transaction.insert(Sample.message("\(number)")) }
            }
            let listed = try await store.read { try $0.outboxMessages(limit: 3) }
            try requireEqual(listed.map(\.id), ["3", "4", "5"], "the newest three")
        },

        Check("The newest messages to a recipient by one channel are listed, the oldest of them first") { store in
            func message(
                _ id: String, to recipient: String = "dev_1", by channel: OutboxMessage.Channel = .push, at: Int64
            )
                -> OutboxMessage
            {
                OutboxMessage(
                    id: id, channel: channel, recipient: recipient, createdAt: Sample.instant(at),
                    nextAttemptAt: Sample.instant(at), deliveredAt: id == "2" ? Sample.instant(9) : nil,
                    sealedContent: Data())
            }
            let messages = [
                message("1", at: 10), message("2", at: 20), message("3", at: 30), message("4", at: 40),
                message("5", to: "dev_2", at: 40), message("6", by: .email, at: 40),
            ]
            try await store.write { transaction in
                for message in messages { _ = try transaction.insert(message) }
            }
            for (limit, expected) in [(9, ["2", "3", "4"]), (2, ["3", "4"])] {
                let listed = try await store.read {
                    try $0.outboxMessages(to: "dev_1", by: .push, createdSince: Sample.instant(20), limit: limit)
                }
                try requireEqual(listed.map(\.id), expected, "at most \(limit) messages")
            }
        },

        Check("The newest messages of a channel are told by id and recipient, the newest first") { store in
            let messages = (1...4).map { number in
                OutboxMessage(
                    id: "\(number)", channel: number == 4 ? .email : .push, recipient: "dev_\(number)",
                    createdAt: Sample.instant(Int64(number) * 10), nextAttemptAt: Sample.instant(),
                    sealedContent: Data())
            }
            try await store.write { transaction in
                for message in messages { _ = try transaction.insert(message) }
            }
            for (since, limit, expected) in [(20, 9, ["3", "2"]), (0, 2, ["3", "2"]), (31, 9, [])] {
                let found = try await store.read {
                    try $0.outboxArrivals(by: .push, createdSince: Sample.instant(Int64(since)), limit: limit)
                }
                try requireEqual(
                    found, expected.map { OutboxArrival(id: $0, recipient: "dev_\($0)") },
                    "at most \(limit) since \(since)")
            }
        },

        Check("Messages of a channel are due until they are delivered, from their next attempt on") { store in
            try await store.write { transaction in
                _ = try transaction.insert(
                    OutboxMessage(
                        id: "0", channel: .push, recipient: "dev_1", createdAt: Sample.instant(),
                        nextAttemptAt: Sample.instant(2), sealedContent: Data()))
                for message in [
                    Sample.message("4", nextAttemptAt: Sample.instant(10)),
                    Sample.message("1", nextAttemptAt: Sample.instant(9)),
                    Sample.message("2", nextAttemptAt: Sample.instant(1), deliveredAt: Sample.instant(2)),
                    Sample.message("3", nextAttemptAt: Sample.instant(11)),
                    Sample.message("5", nextAttemptAt: Sample.instant(0)),
                ] { _ = try transaction.insert(message) }
            }
            func due(_ limit: Int, by channel: OutboxMessage.Channel = .email) async throws -> [String] {
                try await store.read { transaction in
                    try transaction.outboxMessages(by: channel, dueAt: Sample.instant(10), limit: limit).map(\.id)
                }
            }
            for (limit, expected) in [(9, ["5", "1", "4"]), (2, ["5", "1"]), (0, [])] {
                try requireEqual(try await due(limit), expected, "at most \(limit) messages due")
            }
            try requireEqual(try await due(9, by: .push), ["0"], "the push messages due")
            let counts = try await store.read { transaction in
                try OutboxMessage.Channel.allCases.map { try transaction.countOutboxMessages(waitingFor: $0) }
            }
            try requireEqual(counts, [4, 1, 0, 0], "how many wait, by channel")
            let delivered = OutboxMessage(
                id: "1", channel: .email, recipient: "someone@example.org", createdAt: Sample.instant(), attempts: 3,
                nextAttemptAt: Sample.instant(20), deliveredAt: Sample.instant(12),
                sealedContent: Data("sealed".utf8))
            let answers = try await store.write { transaction in
                [
                    try transaction.update(delivered, after: 1), try transaction.update(delivered, after: 0),
                    try transaction.update(delivered, after: 3),
                    try transaction.update(Sample.message("nothing"), after: 0),
                ]
            }
            try requireEqual(answers, [false, true, false, false], "the answers to four updates")
            try requireEqual(try await due(9), ["5", "4"], "what is due after a delivery")
            let kept = try await store.read { try $0.outboxMessages(limit: 10) }
            try require(kept.contains(delivered), "the delivered message changed")
            let removed = try await store.write { transaction in
                // In the order in which all transactions lock rows.
                [
                    try transaction.deleteOutboxMessage("1", after: 3),
                    try transaction.deleteOutboxMessage("5", after: 1),
                    try transaction.deleteOutboxMessage("5", after: 0),
                    try transaction.deleteOutboxMessage("5", after: 0),
                ]
            }
            try requireEqual(removed, [false, false, true, false], "the answers to four removals")
            try requireEqual(try await due(9), ["4"], "what is due after a removal")
        },

        Check("Old messages are removed, no more than asked for at a time, and no others") { store in
            try await store.write { transaction in
                for number in 0..<7 {
                    _ = try transaction.insert(
                        Sample.message("\(number)", createdAt: Sample.instant(Int64(number))))
                }
            }
            var removed: [Int] = []
            for _ in 0..<3 {
                removed.append(
                    try await store.write {
                        try $0.deleteOutboxMessages(createdBefore: Sample.instant(5), limit: 3)
                    })
            }
            try requireEqual(removed, [3, 2, 0], "how many were removed each time")
            let left = try await store.read { try $0.outboxMessages(limit: 10) }
            try requireEqual(left.map(\.id), ["5", "6"], "what is left")
        },

        Check("Old messages of one channel are removed, and no others") { store in
            try await store.write { transaction in
                for number in 0..<6 {
                    let instant = Sample.instant(Int64(number))
                    _ = try transaction.insert(
                        OutboxMessage(
                            id: "\(number)", channel: number.isMultiple(of: 2) ? .push : .email, recipient: "x",
                            createdAt: instant, nextAttemptAt: instant, sealedContent: Data()))
                }
            }
            var removed: [Int] = []
            for limit in [1, 9, 9] {
                removed.append(
                    try await store.write {
                        try $0.deleteOutboxMessages(by: .push, createdBefore: Sample.instant(4), limit: limit)
                    })
            }
            try requireEqual(removed, [1, 1, 0], "how many were removed each time")
            let left = try await store.read { try $0.outboxMessages(limit: 10) }
            try requireEqual(left.map(\.id), ["1", "3", "4", "5"], "what is left")
        },

        Check("Messages of a user are found and removed by the user, and by the recipient where they have no user") {
            store in
            let (ada, bert) = (UserID(rawValue: "ada"), UserID(rawValue: "bert"))
            try await store.write { transaction in
                for message in [
                    Sample.message("1", to: "former@example.org", of: ada),
                    Sample.message("2", to: "a@example.org", of: ada),
                    Sample.message("3", to: "a@example.org"), Sample.message("4", to: "a@example.org", of: bert),
                    Sample.message("5", to: "b@example.org"),
                ] { _ = try transaction.insert(message) }
            }
            let found = try await store.read { transaction in
                [
                    try transaction.outboxMessages(of: ada, recipient: "a@example.org", limit: 10),
                    try transaction.outboxMessages(of: ada, recipient: "a@example.org", limit: 2),
                    try transaction.outboxMessages(of: ada, recipient: nil, limit: 10),
                    try transaction.outboxMessages(of: UserID(rawValue: "nobody"), recipient: nil, limit: 10),
                ]
            }
            try requireEqual(
                found.map { $0.map(\.id) }, [["3", "2", "1"], ["3", "2"], ["2", "1"], []], "the messages of a user")
            try await store.write { try $0.deleteOutboxMessages(of: ada, recipient: "a@example.org") }
            let left = try await store.read { try $0.outboxMessages(limit: 10) }
            try requireEqual(left.map(\.id), ["4", "5"], "what is left")
            try await store.write { transaction in
                for recipient in ["a@example.org", "b@example.org"] {
                    try transaction.assignOutboxMessages(to: recipient, of: ada)
                }
            }
            let assigned = try await store.read { try $0.outboxMessages(limit: 10) }
            try requireEqual(assigned.map(\.userID), [bert, ada], "whose they are")
        },
    ]
}
