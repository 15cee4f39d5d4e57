import TPMTestSupport

@testable import KeychainTPM

/// A TPM that says what the test lays down, and remembers what it was told.
final class ScriptedTransport: TPMTransport {
    private let state: Locking<(answers: [[UInt8]], commands: [[UInt8]])>
    let managesResources: Bool

    init(_ answers: [[UInt8]], managesResources: Bool = true) {
        state = Locking((answers, []))
        self.managesResources = managesResources
    }

    func exchange(_ command: [UInt8], timeout: Double) throws(TPMError) -> [UInt8] {
        let answer = state.withLock { state -> [UInt8]? in
            state.commands.append(command)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        guard let answer else { throw .unavailable("The script has ended.") }
        return answer
    }

    func close() {}

    var commands: [[UInt8]] { state.withLock { $0.commands } }

    /// A refusal with this code.
    static func refusal(_ code: UInt32) -> [UInt8] {
        WireWriter.bytes {
            $0.put(Tag.noSessions)
            $0.put(UInt32(10))
            $0.put(code)
        }
    }

    /// A success without a session.
    static func success(_ parameters: [UInt8] = []) -> [UInt8] {
        WireWriter.bytes {
            $0.put(Tag.noSessions)
            $0.put(UInt32(10 + parameters.count))
            $0.put(UInt32(0))
            $0.put(parameters)
        }
    }

    /// The answers to `TPM.status`.
    static let status: [[UInt8]] = [
        properties([0x100: 0x322E_3000, 0x105: 0x4942_4D00]),
        properties([0x200: 0, 0x20E: 2, 0x20F: 5, 0x210: 10, 0x211: 15]),
    ]

    static func properties(_ values: [UInt32: UInt32], more: Bool = false) -> [UInt8] {
        success(
            WireWriter.bytes {
                $0.put(UInt8(more ? 1 : 0))
                $0.put(UInt32(6))
                $0.put(UInt32(values.count))
                for (property, value) in values.sorted(by: { $0.key < $1.key }) {
                    $0.put(property)
                    $0.put(value)
                }
            })
    }
}
