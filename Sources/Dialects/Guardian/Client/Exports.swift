// The vendor's module brings Foundation along, so that its page compiles with one import. The names of the modules below
// stay inside. A file that imports Foundation too says `Guardian.Notification`, as with the original.
@_exported import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif
