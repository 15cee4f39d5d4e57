#if !canImport(Security)
    import Foundation

    // Core Foundation's names for what Foundation has on this system, so that `"x" as CFString` and
    // `query as CFDictionary` compile as they do on Apple's. A file that imports CoreFoundation itself has two of each:
    // leave that import out.

    public typealias CFTypeRef = AnyObject
    public typealias CFString = NSString
    public typealias CFData = NSData
    public typealias CFDate = NSDate
    public typealias CFNumber = NSNumber
    public typealias CFBoolean = NSNumber
    public typealias CFArray = NSArray
    public typealias CFDictionary = NSDictionary
    public typealias CFMutableDictionary = NSMutableDictionary
    public typealias CFError = NSError
    public typealias CFIndex = Int
    public typealias CFOptionFlags = UInt

    public typealias OSStatus = Int32

    /// Takes part in signatures only: there is one allocator.
    public final class CFAllocator: Sendable {
        private init() {}
    }

    public let kCFAllocatorDefault: CFAllocator! = nil

    public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
    public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

    public func CFErrorGetCode(_ error: CFError!) -> CFIndex { error.code }

    public func CFErrorGetDomain(_ error: CFError!) -> CFString! { error.domain as CFString }

    public func CFErrorCopyDescription(_ error: CFError!) -> CFString! { error.localizedDescription as CFString }
#endif
