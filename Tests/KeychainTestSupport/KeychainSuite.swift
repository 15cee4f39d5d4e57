import Testing

/// Everything that touches the keychain of this process, of which there is one: one test at a time.
@Suite(.serialized) package struct KeychainSuite {}
