import CountersignCore
import Synchronization

/// The same bytes in every run (SplitMix64).
package final class SeededRandom: RandomSource {
    private let state: Mutex<UInt64>

    package init(seed: UInt64) {
        state = Mutex(seed)
    }

    package func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            (0..<count).map { _ in UInt8(truncatingIfNeeded: Self.next(&state)) }
        }
    }

    /// A number below the bound.
    package func number(below bound: Int) -> Int {
        Int(state.withLock { Self.next(&$0) } % UInt64(bound))
    }

    private static func next(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
