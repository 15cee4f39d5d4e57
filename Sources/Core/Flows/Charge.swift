import Foundation

/// The name of one charge, drawn before its transaction.
package struct ChargeID: Sendable {
    package let name: String
    /// Where to begin with a limit that has several counters.
    package let part: Int

    package init(random: any RandomSource) {
        let bytes = random.bytes(12)
        name = bytes.base64URL
        part = Int(bytes[0])
    }
}

/// What was counted for an answer before it was judged, until the answer is settled.
struct Charge: Sendable {
    let id: ChargeID
    /// Each with the name of the one counter that it was counted in.
    let counted: [Allowance]
    /// The flow whose answers it is one of.
    let flow: Data?
}

extension StoreTransaction {
    /// Ends a charge in each of these counters where it is open; false where it is open in none.
    @discardableResult
    package func end(_ name: String, in keys: [String], _ end: ChargeEnd) throws -> Bool {
        var wasOpen = false
        try readCounters(keys)
        for key in keys {
            guard var counter = try counter(key), counter.end(name, end) else { continue }
            wasOpen = true
            // Those of factors are not cleaned away, and this factor may be deleted.
            if counter.count == 0, key.hasPrefix(AttemptCounter.factorPrefix) {
                try deleteCounter(key)
            } else {
                try put(counter)
            }
        }
        return wasOpen
    }

    @discardableResult
    func end(_ charge: Charge, _ end: ChargeEnd) throws -> Bool {
        try self.end(charge.id.name, in: charge.counted.map(\.key), end)
    }

    /// Ensures that an answer is counted before its verdict is disclosed: where its charge has lapsed meanwhile, or
    /// another's right answer has set the counter back, it is charged again.
    /// - Returns: why it is not admitted now; then its verdict must not be disclosed.
    func renew(_ charge: Charge, at now: Date) throws -> Refusal? {
        var renewed: [AttemptCounter] = []
        try readCounters(charge.counted.map(\.key))
        for counted in charge.counted {
            let present = try counter(counted.key)
            if let present, present.open.contains(where: { $0.id == charge.id.name }) { continue }
            switch counted.charge(present, key: counted.key, at: now, as: charge.id.name) {
            case .admitted(let counter): renewed.append(counter)
            case .blocked(let until): return Refusal(by: counted, .until(until))
            case .disabled: return Refusal(by: counted, .forGood)
            }
        }
        try count(renewed)
        return nil
    }
}

extension Refusal {
    /// What a limit of answers refuses.
    init(by allowance: Allowance, _ refusal: AskedLimits.LimitRefusal) {
        switch (allowance.rule, refusal) {
        case (.lockout, .until(let until)), (.other, .until(let until)): self.init(.lockedOut, retryAt: until)
        case (.lockout, .forGood), (.other, .forGood): self.init(.authenticatorDisabled)
        case (.rate, .until(let until)): self.init(.sourceLimited, retryAt: until)
        case (.rate, .forGood): self.init(.sourceLimited)
        }
    }
}
