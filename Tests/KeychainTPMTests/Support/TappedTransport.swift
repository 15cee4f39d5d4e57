import TPMTestSupport

@testable import KeychainTPM

/// An attacker between this program and the TPM, who reads everything and may change the answers.
final class TappedTransport: TPMTransport {
    /// From the number of the exchange, counted from 0, the command and the answer to what is passed on.
    typealias Change = @Sendable (Int, [UInt8], [UInt8]) throws(TPMError) -> [UInt8]

    private let real: any TPMTransport
    private let change: Change
    private let heard = Locking<[(command: [UInt8], answer: [UInt8])]>([])

    init(_ real: any TPMTransport, change: @escaping Change = { (_, _, answer) throws(TPMError) in answer }) {
        self.real = real
        self.change = change
    }

    var managesResources: Bool { real.managesResources }

    func exchange(_ command: [UInt8], timeout: Double) throws(TPMError) -> [UInt8] {
        let answer = try real.exchange(command, timeout: timeout)
        let number = heard.withLock { heard in
            heard.append((command, answer))
            return heard.count - 1
        }
        return try change(number, command, answer)
    }

    func close() { real.close() }

    /// All exchanges until now.
    var exchanges: [(command: [UInt8], answer: [UInt8])] { heard.withLock { $0 } }

    /// Every byte in either direction, one message after the other.
    var bytes: [UInt8] { exchanges.flatMap { $0.command + $0.answer } }
}

extension [UInt8] {
    func contains(run bytes: [UInt8]) -> Bool {
        guard count >= bytes.count, !bytes.isEmpty else { return false }
        return (0...(count - bytes.count)).contains { self[$0..<$0 + bytes.count].elementsEqual(bytes) }
    }

    /// The command code of a command, the result code of an answer.
    var code: UInt32 { self[6..<10].reduce(0) { $0 << 8 | UInt32($1) } }
}
