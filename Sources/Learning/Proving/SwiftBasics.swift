/// Names that a reader of the book knows already: Swift, its standard library, and the everyday part of Foundation.
///
/// Core Data's names don't belong here, and neither do those of Foundation that a learner meets for the first time in the
/// book, such as `NSPredicate`.
enum SwiftBasics {
  static let names = Set(words.split(whereSeparator: \.isWhitespace).map(String.init))

  private static let words = """
    Any AnyObject Array Bool Character ClosedRange CocoaError Comparable Data Date Dictionary Double Equatable Error
    Foundation Hashable Int Int16 Int32 Int64 LocalizedError MainActor NSArray NSDate NSDictionary NSError NSNumber NSObject
    NSSet NSString Never Optional Range Result Self Sendable Set String Task UInt8 URL UUID Void

    actor any as associatedtype async await break case catch class continue convenience default defer do dynamic else enum
    extension fallthrough false fileprivate final for func get guard if import in indirect init inout internal is isolated
    lazy let mutating nil nonisolated open operator override package private protocol public repeat required rethrows return
    self set some static struct subscript super switch throw throws true try typealias unowned unsafe var weak where while
    discardableResult escaping main unchecked

    abs allSatisfy append appendingPathComponent array at buildFrom by code compactMap components contains count date
    description distance domain dropFirst dropLast element elements enumerated error filter finish first firstIndex flatMap
    forEach forKey formUnion from hasPrefix hasSuffix id index insert intersection intValue isEmpty isSubset joined key keys
    last lastIndex localizedDescription localizedStandardCompare lowercased map max min name next of offset path prefix print
    rawValue reduce remove removeAll removeLast removeValue replacingOccurrences reserveCapacity reversed separatedBy
    separator sort sorted split subtracting suffix sum swapAt to trimmingCharacters type union uniqueKeysWithValues uniquingKeysWith
    uppercased upperBound userInfo value values with zip lowerBound subtract

    NSNotFound int64Value
    add array byAdding calendar day failure month object objects success year bool stringValue doubleValue
    """
}
