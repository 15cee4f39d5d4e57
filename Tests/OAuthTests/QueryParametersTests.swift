import Testing

@testable import OAuthServer

@Suite("Parameters of requests that browsers bring")
struct QueryParametersTests {
    @Test(
        arguments: [
            ("", [:]), ("a=1&b=2", ["a": ["1"], "b": ["2"]]), ("a=1&a=2", ["a": ["1", "2"]]),
            ("resource=x&resource=y", ["resource": ["x", "y"]]), ("a=1&%61=2", ["a": ["1", "2"]]),
            // One without a value counts as left out (RFC 6749, section 3.1).
            ("a=&b", [:]), ("a=1&a=", ["a": ["1"]]), ("=x", ["": ["x"]]),
            ("scope=openid+email&state=a%2Bb", ["scope": ["openid email"], "state": ["a+b"]]),
            ("a=%00&b=1", ["b": ["1"]]), ("%00=1&b=1", ["b": ["1"]]),
        ] as [(String, [String: [String]])])
    func `Each has all of its values`(text: String, expected: [String: [String]]) {
        #expect(QueryParameters(text)?.values == expected)
    }

    @Test(
        arguments: [
            ("a=1&b=2", nil), ("resource=x&resource=y", nil), ("a=1&a=2", "a is there twice"), ("a=&b=", nil),
            ("a=1&a=", "a is there twice"), ("a&a=1", "a is there twice"), ("a=&%61=", "a is there twice"),
            ("resource=&resource=x", nil),
            ("a=1&a=1", "a is there twice"), ("a=%00", "a has a zero byte (U+0000)"),
            // The first of several, and before what is there twice.
            ("x=1&x=2&b=%00&a=%00", "b has a zero byte (U+0000)"),
        ] as [(String, String?)])
    func `One that is there twice, or has a zero byte, is refused by its name`(text: String, sentence: String?) {
        #expect(QueryParameters(text)?.fault?.sentence == sentence)
    }

    @Test(arguments: ["a=%", "a=%2", "a=%zz", "%=a", "a=%ff", "a=1&b=%c3"])
    func `What is malformed is none`(text: String) {
        #expect(QueryParameters(text) == nil)
    }
}
