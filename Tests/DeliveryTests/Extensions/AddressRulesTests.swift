import Foundation
import Testing

@testable import Delivery

@Suite("Where extensions may be called")
struct AddressRulesTests {
    @Test(
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1",
            "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255",
            "::", "::1", "::2", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
            "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:db8::1",
            "2001:10::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "4000::1", "5f00::1", "fc00::1", "fd00::1",
            "fe80::1", "fec0::1", "ff02::1",
        ])
    func `What is not public is refused`(text: String) throws {
        let address = try #require(NetworkAddress(text))
        #expect(!AddressRules().admits(address))
    }

    @Test(
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
            "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "2001:4860::8888",
            "::ffff:8.8.8.8", "64:ff9b::808:808",
        ])
    func `What is public is admitted, also where it is inside another address`(text: String) throws {
        #expect(AddressRules().admits(try #require(NetworkAddress(text))))
    }

    @Test
    func `A network that is allowed is admitted, and no more than that`() throws {
        let rules = AddressRules(allowed: try ["10.1.0.0/16", "fd12::/16", "192.168.7.9"].map { try range($0) })
        for text in ["10.1.0.1", "10.1.255.255", "::ffff:10.1.2.3", "fd12::1", "192.168.7.9", "8.8.8.8"] {
            #expect(rules.admits(try #require(NetworkAddress(text))), "\(text)")
        }
        for text in ["10.0.255.255", "10.2.0.0", "::ffff:10.2.0.1", "fd13::1", "192.168.7.8", "127.0.0.1", "::1"] {
            #expect(!rules.admits(try #require(NetworkAddress(text))), "\(text)")
        }
        let loopback = AddressRules(allowed: AddressRules.loopback)
        for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            #expect(loopback.admits(try #require(NetworkAddress(text))), "\(text)")
        }
        #expect(!loopback.admits(try #require(NetworkAddress("10.0.0.1"))))
    }

    @Test(arguments: AddressRules.refusedVersion4 + AddressRules.refusedVersion6)
    func `Every network of the tables is one`(range: AddressRange) {
        #expect(range.contains(range.base))
        #expect(!AddressRules().admits(range.base))
    }

    @Test
    func `The tables are whole`() {
        #expect(AddressRules.refusedVersion4.count == 18 && AddressRules.refusedVersion6.count == 4)
        #expect(AddressRules.publicVersion6 != nil && AddressRules.loopback.count == 2)
    }

    @Test(
        arguments: [
            "", "10", "10.0.0", "010.0.0.1", "0x7f.0.0.1", "2130706433", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1",
            "10.0.0.0/+8", "10.0.0.1/8", "10.0.0.0/8/8", "::1/129", "fe80::1%eth0", "localhost", "[::1]",
            "10.0.0.0/08x",
        ])
    func `Networks and addresses are read strictly`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    private func range(_ text: String) throws -> AddressRange { try #require(AddressRange(text)) }
}
