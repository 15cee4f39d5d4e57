import KeychainTypes
import Testing

@Suite struct LockedBytesTests {
    @Test func `Neither printing nor reflection shows them`() {
        let bytes = LockedBytes(Array("hunter2".utf8))
        #expect("\(bytes)" == "<secret>")
        #expect(String(reflecting: bytes) == "<secret>")
        #expect(Mirror(reflecting: bytes).children.isEmpty)
        #expect(bytes.withBytes { Array($0) } == Array("hunter2".utf8))
    }

    @Test func `Taking bytes over wipes them`() {
        var source: [UInt8] = [1, 2, 3]
        let bytes = LockedBytes(wiping: &source)
        #expect(source == [0, 0, 0])
        #expect(bytes.withBytes { Array($0) } == [1, 2, 3])
    }

    @Test func `An error while they are made frees them once`() {
        struct Refusal: Error {}
        for _ in 0..<100 {
            #expect(throws: Refusal.self) { try LockedBytes(count: 32) { _ throws(Refusal) in throw Refusal() } }
        }
    }
}
