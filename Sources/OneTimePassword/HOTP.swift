/// The counter-based one-time password of RFC 4226, for tokens with a button.
///
/// The generator keeps no counter: the caller stores the counter and passes it in. A verifier stores the counter that
/// ``verify(_:counter:lookAhead:)`` returns plus one, in the same transaction in which it lets the user in.
///
/// Printing or dumping a generator does not show its secret.
public struct HOTP: Sendable {
    /// The most counters that ``verify(_:counter:lookAhead:)`` looks ahead, whatever it is asked for.
    public static let maximumLookAhead = 100

    /// The hash under the HMAC.
    public let algorithm: OTPAlgorithm

    /// How many digits a code has, 6 to 10.
    public let digits: Int

    private let hmac: PreparedHMAC

    /// Makes a generator.
    ///
    /// - Parameters:
    ///   - secret: the shared secret as bytes, not as Base32. Anything but empty is accepted, for secrets come from
    ///     other systems; a new one should have 20 random bytes, and never less than 16 (RFC 4226 section 4, R6).
    ///   - algorithm: RFC 4226 knows SHA-1 only; the others are those of RFC 6238.
    ///   - digits: 6 to 10.
    /// - Throws: ``OTPParameterError`` if the secret is empty or `digits` is out of range.
    public init(
        secret: [UInt8], algorithm: OTPAlgorithm = .sha1, digits: Int = 6
    ) throws(OTPParameterError) {
        guard !secret.isEmpty else { throw .emptySecret }
        guard OneTimeCode.allowedDigits.contains(digits) else { throw .digitsOutOfRange(digits) }
        self.hmac = PreparedHMAC(algorithm, key: secret)
        self.algorithm = algorithm
        self.digits = digits
    }

    /// The code for a counter (RFC 4226 section 5.3).
    public func code(counter: UInt64) -> OneTimeCode {
        OneTimeCode(truncated: hmac.truncatedCode(counter: counter), digits: digits)
    }

    /// The counter, at `counter` or up to `lookAhead` after it, whose code the candidate is; `nil` if there is none.
    ///
    /// The user may have pressed the button without signing in, so a verifier looks a few counters ahead and then
    /// resynchronises (RFC 4226 section 7.4): the next acceptable counter is the returned one plus one. Every counter
    /// of the window is computed whatever matches. If two of them have the same code by chance, the later one is
    /// returned, so that the code that was just accepted is not good a second time.
    ///
    /// - Parameters:
    ///   - candidate: what was typed, read as by ``OneTimeCode/init(typed:digits:)``.
    ///   - counter: the first counter that has not been used.
    ///   - lookAhead: 0 to ``maximumLookAhead``; values outside are clamped. Each step makes guessing easier by one
    ///     code in ten to the power of ``digits``.
    public func verify(_ candidate: String, counter: UInt64, lookAhead: Int) -> UInt64? {
        let (last, overflow) = counter.addingReportingOverflow(UInt64(min(max(0, lookAhead), Self.maximumLookAhead)))
        return latestMatch(for: candidate, in: counter...(overflow ? .max : last))
    }

    /// The last counter of the range that has the candidate for its code, and is greater than `lastUsed`.
    func latestMatch(
        for candidate: String, in counters: ClosedRange<UInt64>, after lastUsed: UInt64? = nil
    ) -> UInt64? {
        guard let candidate = OneTimeCode(typed: candidate, digits: digits) else { return nil }
        var match: UInt64?
        for counter in counters {
            let isRight = code(counter: counter) == candidate
            let isFresh = lastUsed.map { counter > $0 } ?? true
            if isRight && isFresh { match = counter }
        }
        return match
    }
}

extension HOTP: CustomStringConvertible, CustomReflectable {
    public var description: String { "HOTP(\(algorithm.rawValue), \(digits) digits, secret: <secret>)" }

    public var customMirror: Mirror {
        Mirror(self, children: ["algorithm": algorithm, "digits": digits], displayStyle: .struct)
    }
}
