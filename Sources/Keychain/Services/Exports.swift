// One import is enough: the vendor pages' code names Foundation's types, and the errors are our own types.
@_exported import Foundation
@_exported import KeychainTypes

#if canImport(Security)
    @_exported import LocalAuthentication
    @_exported import Security
#else
    @_exported import KeychainTPM
    @_exported import SecretVault
#endif
