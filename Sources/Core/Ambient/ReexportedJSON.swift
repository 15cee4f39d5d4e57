// `JSONValue` stands in the core's public interface: an app that implements a security check or reads an audit event needs no
// further import.
@_exported import JSON
// So do claims, keys and algorithms of tokens.
@_exported import SignedTokens
