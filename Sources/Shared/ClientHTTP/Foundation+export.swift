// On Linux URLSession and its kin stand in a module of their own. A client module that exports this one spares its
// apps the second import.
@_exported import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif
