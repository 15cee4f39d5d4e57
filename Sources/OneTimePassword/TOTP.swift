#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The time-based one-time password of RFC 6238: an ``HOTP`` whose counter is the number of periods since an epoch.
///
/// The generator does not read the clock and remembers no code: both are the caller's. A verifier keeps the step that
/// ``matchedStep(for:at:window:after:)`` returned and passes it the next time, so that a code that was seen on its way
/// is of no use (RFC 6238 section 5.2).
///
/// Printing or dumping a generator does not show its secret.
public struct TOTP: Sendable {
    /// The most steps to either side that ``matchedStep(for:at:window:after:)`` compares, whatever the caller asks for.
    public static let maximumWindow = 100

    /// How long a code is shown, in seconds; 1 or more. *X* in RFC 6238.
    public let period: Int

    /// When step 0 begins, in seconds since 1970-01-01 00:00 UTC. *T0* in RFC 6238.
    public let epoch: Int64

    /// The hash under the HMAC.
    public var algorithm: OTPAlgorithm { hotp.algorithm }

    /// How many digits a code has, 6 to 10.
    public var digits: Int { hotp.digits }

    private let hotp: HOTP

    /// Makes a generator.
    ///
    /// - Parameters:
    ///   - secret: the shared secret as bytes, not as Base32; not empty. RFC 6238 uses as many bytes as the hash has
    ///     (20, 32, 64), and in practice 20 are common with all three.
    ///   - algorithm: SHA-1 unless every authenticator that will be used is known to support another.
    ///   - digits: 6 to 10.
    ///   - period: seconds, 1 or more.
    ///   - epoch: seconds since 1970; may be negative.
    /// - Throws: ``OTPParameterError`` if the secret is empty or a number is out of range.
    public init(
        secret: [UInt8], algorithm: OTPAlgorithm = .sha1, digits: Int = 6, period: Int = 30, epoch: Int64 = 0
    ) throws(OTPParameterError) {
        self.hotp = try HOTP(secret: secret, algorithm: algorithm, digits: digits)
        guard period >= 1 else { throw .periodOutOfRange(period) }
        self.period = period
        self.epoch = epoch
    }

    /// The time step that `date` is in, *T* in RFC 6238 section 4.2.
    ///
    /// A time before the epoch, or none at all (NaN), is in step 0; one that is too far for 64 bits of seconds is in
    /// the last step.
    public func step(at date: Date) -> UInt64 {
        if let seconds = seconds(at: date) { return seconds / UInt64(period) }
        return date.timeIntervalSince1970 >= 0x1p63 ? .max / UInt64(period) : 0
    }

    /// The code to show at `date`, which is taken as ``step(at:)`` does.
    public func code(at date: Date) -> OneTimeCode {
        code(step: step(at: date))
    }

    /// The code of a time step.
    public func code(step: UInt64) -> OneTimeCode {
        hotp.code(counter: step)
    }

    /// How many seconds the code of `date` is still shown, rounded up: 1 to ``period``.
    ///
    /// Outside the time that steps cover (see ``step(at:)``) it is the whole period.
    public func secondsRemaining(at date: Date) -> Int {
        guard let seconds = seconds(at: date) else { return period }
        return period - Int(seconds % UInt64(period))
    }

    /// The step, `window` steps around that of `date`, whose code the candidate is; `nil` if there is none.
    ///
    /// Every step of the window is computed whatever matches. If two have the same code by chance, the later one is
    /// returned, so that the code that was just accepted is not good a second time.
    ///
    /// - Parameters:
    ///   - candidate: what was typed, read as by ``OneTimeCode/init(typed:digits:)``.
    ///   - date: the verifier's time. Before the epoch, or when it is no finite number of seconds, nothing matches: a
    ///     verifier whose clock is broken must not fall back to the codes of step 0.
    ///   - window: how many steps before and after to accept, for slow typing and clocks that differ. 0 to
    ///     ``maximumWindow``; values outside are clamped. RFC 6238 section 5.2 recommends one; each makes guessing
    ///     easier by two codes in ten to the power of ``digits``.
    ///   - lastStep: the step of the last code that was accepted. It and all before it are refused.
    public func matchedStep(
        for candidate: String, at date: Date, window: Int = 1, after lastStep: UInt64? = nil
    ) -> UInt64? {
        guard let seconds = seconds(at: date) else { return nil }
        let now = seconds / UInt64(period)
        let reach = UInt64(min(max(0, window), Self.maximumWindow))
        let (last, overflow) = now.addingReportingOverflow(reach)
        return hotp.latestMatch(
            for: candidate, in: (now - min(now, reach))...(overflow ? .max : last), after: lastStep)
    }

    /// Whole seconds since the epoch, or `nil` for a time before it and for what is not a number of seconds that 64
    /// bits hold.
    private func seconds(at date: Date) -> UInt64? {
        guard
            let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)), seconds >= epoch
        else { return nil }
        // The true difference of two Int64 in this order fits UInt64, though not always Int64.
        return UInt64(bitPattern: seconds &- epoch)
    }
}

extension TOTP: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "TOTP(\(algorithm.rawValue), \(digits) digits, \(period) s, secret: <secret>)"
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["algorithm": algorithm, "digits": digits, "period": period, "epoch": epoch],
            displayStyle: .struct)
    }
}
