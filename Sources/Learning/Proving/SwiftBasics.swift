/// Names that a reader of the book knows already: Swift, its standard library, and the everyday part of Foundation.
///
/// Core Data's names don't belong here, and neither do those of Foundation that a learner meets for the first time in
/// the book, such as `NSPredicate`.
enum SwiftBasics {
  static let names = Set(words.split(whereSeparator: \.isWhitespace).map(String.init))

  private static let words = """
    Any AnyObject Array Bool Character ClosedRange CocoaError Comparable Data Date Dictionary Double Equatable Error
    Foundation Hashable Int Int16 Int32 Int64 LocalizedError MainActor Never NSArray NSDate NSDictionary NSError
    NSNotFound NSNumber NSObject NSSet NSString Optional Range Result Self Sendable Set String Task UInt8 URL UUID
    Void

    actor any as associatedtype async await break case catch class continue convenience default defer
    discardableResult do dynamic else enum escaping extension fallthrough false fileprivate final for func get guard
    if import in indirect init inout internal is isolated lazy let main mutating nil nonisolated open operator
    override package private protocol public repeat required rethrows return self set some static struct subscript
    super switch throw throws true try typealias unchecked unowned unsafe var weak where while

    abs add allSatisfy append appendingPathComponent array at bool buildFrom by byAdding calendar code compactMap
    components contains count date day description distance domain doubleValue dropFirst dropLast element elements
    enumerated error failure filter finish first firstIndex flatMap forEach forKey formUnion from hasPrefix hasSuffix
    id index insert int64Value intersection intValue isEmpty isSubset joined key keys last lastIndex
    localizedDescription localizedStandardCompare lowerBound lowercased map max min month name next object objects of
    offset path prefix print rawValue reduce remove removeAll removeLast removeValue replacingOccurrences
    reserveCapacity reversed separatedBy separator sort sorted split stringValue subtract subtracting success suffix
    sum swapAt to trimmingCharacters type union uniqueKeysWithValues uniquingKeysWith upperBound uppercased userInfo
    value values with year zip
    """
}
