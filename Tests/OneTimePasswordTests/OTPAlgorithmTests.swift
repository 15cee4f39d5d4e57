import Foundation
import OneTimePassword
import Testing

@Suite struct OTPAlgorithmTests {
    @Test(
        arguments: [
            ("SHA1", OTPAlgorithm.sha1), ("sha1", .sha1), ("sha-1", .sha1), ("HmacSHA1", .sha1),
            ("HMAC-SHA-1", .sha1), ("SHA256", .sha256), ("Sha-256", .sha256), ("hmac_sha256", .sha256),
            ("SHA_512", .sha512), ("HMACSHA512", .sha512),
        ])
    func `the names in use are understood`(name: String, algorithm: OTPAlgorithm) {
        #expect(OTPAlgorithm(name: name) == algorithm)
    }

    @Test(
        arguments: ["", "MD5", "SHA", "SHA2", "SHA11", "HMAC", "HMACHMACSHA1", "SHA384", "ſha1", " sha1", "ＳＨＡ1"])
    func `other names are not guessed at`(name: String) {
        #expect(OTPAlgorithm(name: name) == nil)
    }

    @Test
    func `it is coded under the name that URIs use`() throws {
        let data = try JSONEncoder().encode(OTPAlgorithm.allCases)
        #expect(String(decoding: data, as: UTF8.self) == #"["SHA1","SHA256","SHA512"]"#)
        #expect(try JSONDecoder().decode([OTPAlgorithm].self, from: data) == OTPAlgorithm.allCases)
    }
}
