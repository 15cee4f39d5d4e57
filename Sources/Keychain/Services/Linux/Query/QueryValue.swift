#if !canImport(Security)
    import Foundation

    /// One value of a query dictionary, read as what a key needs it to be.
    ///
    /// Values arrive as Swift's types or as Foundation's, depending on how the dictionary was made; both are read.
    struct QueryValue {
        private let value: Any

        init(_ value: Any) { self.value = value }

        var string: String? {
            if let text = value as? String { return text }
            return (value as? NSString).map { String($0) }
        }

        var data: Data? {
            if let bytes = value as? Data { return bytes }
            return (value as? NSData).map { Data($0) }
        }

        var date: Date? {
            if let date = value as? Date { return date }
            return (value as? NSDate).map { Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) }
        }

        /// A number, or a Boolean as 1 or 0.
        var number: Int64? {
            if let number = value as? NSNumber { return number.int64Value }
            if let flag = value as? Bool { return flag ? 1 : 0 }
            return (value as? any BinaryInteger).flatMap { Int64(exactly: $0) }
        }

        /// A Boolean; numbers count as in C.
        var flag: Bool? { number.map { $0 != 0 } }

        func object<Object: AnyObject>(_ type: Object.Type) -> Object? { value as? Object }

        var dictionary: NSDictionary? {
            if let dictionary = value as? NSDictionary { return dictionary }
            return (value as? [String: Any]).map { $0 as NSDictionary }
        }
    }
#endif
