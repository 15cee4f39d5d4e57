// The vendor's modules bring Foundation along, so that a page of theirs compiles with one import. ClientHTTP's own
// names stay inside.
@_exported import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif
