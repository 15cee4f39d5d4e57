#if !canImport(Security)
    import Foundation

    // Core Foundation's names for what Foundation has on this system, so that `"x" as CFString` and
    // `query as CFDictionary` compile as they do on Apple's. A file that imports CoreFoundation itself has two of each:
    // leave that import out.

    /// Any object, as the functions of Keychain Services take and give it.
    public typealias CFTypeRef = AnyObject
    /// Text. Cast a string with `as CFString`.
    public typealias CFString = NSString
    /// Bytes. Cast data with `as CFData`.
    public typealias CFData = NSData
    /// A point in time. Cast a date with `as CFDate`.
    public typealias CFDate = NSDate
    /// A number or a truth value.
    public typealias CFNumber = NSNumber
    /// A truth value: ``kCFBooleanTrue`` or ``kCFBooleanFalse``.
    public typealias CFBoolean = NSNumber
    /// A list of objects, such as several results of ``SecItemCopyMatching(_:_:)``.
    public typealias CFArray = NSArray
    /// A query, or the attributes of an item. Cast a dictionary with `as CFDictionary`.
    public typealias CFDictionary = NSDictionary
    /// A dictionary that can be changed; it is taken wherever a `CFDictionary` is.
    public typealias CFMutableDictionary = NSMutableDictionary
    /// An error with a domain and a code, such as the functions for keys give.
    public typealias CFError = NSError
    /// A count, an index, or the code of an error.
    public typealias CFIndex = Int
    /// A set of bits.
    public typealias CFOptionFlags = UInt

    /// A status code of Keychain Services: 0 for success, else one of the `errSec…` constants.
    public typealias OSStatus = Int32

    /// Takes part in signatures only: there is one allocator.
    public final class CFAllocator: Sendable {
        private init() {}
    }

    /// The allocator that functions take by default: nil, and there is no other.
    public let kCFAllocatorDefault: CFAllocator! = nil

    /// The truth value true.
    public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
    /// The truth value false.
    public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

    /// The code of an error; in this module's errors an ``OSStatus``.
    public func CFErrorGetCode(_ error: CFError!) -> CFIndex { error.code }

    /// The domain of an error; in this module's errors `NSOSStatusErrorDomain`.
    public func CFErrorGetDomain(_ error: CFError!) -> CFString! { error.domain as CFString }

    /// A sentence about an error, for people.
    public func CFErrorCopyDescription(_ error: CFError!) -> CFString! { error.localizedDescription as CFString }
#endif
