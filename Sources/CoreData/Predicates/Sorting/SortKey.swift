import Foundation

/// A sort descriptor as a value: the property, the direction, and how strings compare.
package struct SortKey: Hashable, Sendable {
  var path: [String]
  var ascending: Bool
  var collation: Collation
  /// The program's comparison, in memory only; nil to compare by `collation`.
  var comparison: SortComparison?

  /// How texts compare, which strings and URLs are. Other values compare as in SQLite.
  package enum Collation: String, Sendable {
    /// By UTF-8 bytes, like SQLite's BINARY.
    case binary = "compare:"
    case caseInsensitive = "caseInsensitiveCompare:"
    case localized = "localizedCompare:"
    case localizedCaseInsensitive = "localizedCaseInsensitiveCompare:"
    /// Like file managers: "a9" before "a10".
    case localizedStandard = "localizedStandardCompare:"
  }

  init(path: [String], ascending: Bool = true, collation: Collation = .binary) {
    self.path = path
    self.ascending = ascending
    self.collation = collation
  }

  /// Reads a sort descriptor. Throws `NSError` for a selector that stores can't sort by, and a Swift key path without a
  /// name.
  init(_ descriptor: NSSortDescriptor) throws {
    self = try publicErrors { try SortKey(reading: descriptor) }
  }

  private init(reading descriptor: NSSortDescriptor) throws {
    if let own = descriptor as? KeySortDescriptor {
      if let compare = own.comparison {
        self.init(path: try own.path(), ascending: own.ascending)
        comparison = SortComparison(compare)
        return
      }
      let selector = own.selectorName ?? "compare:"
      guard let collation = Collation(rawValue: selector) else {
        throw SortKey.unsupported("unsupported NSSortDescriptor selector: \(selector)")
      }
      self.init(path: try own.path(), ascending: own.ascending, collation: collation)
    } else {
      let path = try KeyPathNames.path(of: descriptor.keyPath)
      self.init(path: path, ascending: descriptor.ascending)
      comparison = descriptor.givenComparator.map(SortComparison.init)
    }
  }

  static func unsupported(_ what: String, entity: String? = nil) -> Failure {
    .malformedFetchRequest(entity: entity, what: what)
  }

  /// Throws an error if the order is Swift code, which can only be called in memory.
  func checkTranslatable(entity: String?) throws {
    if comparison == nil { return }
    throw SortKey.unsupported(
      "unsupported NSSortDescriptor (comparator blocks are not supported): fetch without it, and sort the array with it",
      entity: entity)
  }

  /// The order of two values in the result. nil comes first when ascending, as in SQLite.
  func compare(_ a: PredicateConstant, _ b: PredicateConstant) -> ComparisonResult {
    let order = collation.order(a, b)
    return ComparisonResult(order: ascending ? order : -order)
  }

  /// The order of two values of a key path. Objects go by their rows, as in SQLite.
  func compare(_ a: PredicateValue, _ b: PredicateValue) -> ComparisonResult {
    if let comparison {
      let order = comparison.body(a.anyValue ?? NSNull(), b.anyValue ?? NSNull()).rawValue
      return ComparisonResult(order: ascending ? order : -order)
    }
    if let x = a.place, let y = b.place {
      return ComparisonResult(order: x == y ? 0 : (x < y) == ascending ? -1 : 1)
    }
    guard case .constant(let x) = a, case .constant(let y) = b else {
      let order = (a.isNull ? 0 : 1) - (b.isNull ? 0 : 1)
      return ComparisonResult(order: ascending ? order : -order)
    }
    return compare(x, y)
  }
}

/// The identity of an object that has a place among the others of its entity, by which a request can sort.
protocol PlacedIdentity {
  /// The row's key. New objects come after all rows, in the order in which they were made.
  var place: UInt64 { get }
}

extension PredicateValue {
  /// The place of the object that it is, or of the object whose id it is.
  fileprivate var place: UInt64? {
    switch self {
    case .constant(.object(let object)):
      ((object as? any PredicateIdentity)?.predicateIdentity?.base as? any PlacedIdentity)?.place
    case .subject(let subject): (subject.predicateIdentity?.base as? any PlacedIdentity)?.place
    default: nil
    }
  }
}

extension [SortKey] {
  /// Sorts items by the first key whose values differ. Items that are equal in all keys keep their order.
  ///
  /// - Parameter values: the values of an item, one for each key; called once for each item.
  func sorted<Item>(_ items: [Item], values: (Item) throws -> [PredicateValue]) rethrows -> [Item] {
    if isEmpty { return items }
    return order(of: try items.map(values)).map { items[$0] }
  }

  /// The places of items in the result, by their values. It knows nothing of the items, so that there is one sort to
  /// compile and not one for each type of item.
  func order(of values: [[PredicateValue]]) -> [Int] {
    values.indices.sorted { a, b in
      for (index, key) in self.enumerated() {
        switch key.compare(values[a][index], values[b][index]) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return a < b
    }
  }
}

/// A comparison that is Swift code. It takes values as key-value coding has them, `NSNull` for nil.
// @unchecked Sendable: as BlockPredicate.
final class SortComparison: Hashable, @unchecked Sendable {
  let body: Comparator

  init(_ body: @escaping Comparator) { self.body = body }

  static func == (left: SortComparison, right: SortComparison) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension SortKey.Collation {
  /// Negative, zero or positive. nil comes first, and so does NaN, which SQLite keeps as null.
  func order(_ a: PredicateConstant, _ b: PredicateConstant) -> Int {
    switch (a, b) {
    case (.string(let x), .string(let y)): return order(x, y)
    // In SQLite the column of a URL has texts, too.
    case (.url, .url), (.url, .string), (.string, .url):
      return order(ValueComparison.text(of: a) ?? "", ValueComparison.text(of: b) ?? "")
    default:
      // Without a place, NaN would be equal to all others, and no order be right.
      let (isFirst, isOtherFirst) = (a.isNull || a.isNotANumber, b.isNull || b.isNotANumber)
      if isFirst || isOtherFirst { return (isFirst ? 0 : 1) - (isOtherFirst ? 0 : 1) }
      return ValueComparison.order(a, b) ?? 0
    }
  }

  /// The order of two texts, which SQLite's collations return as well.
  func order(_ a: String, _ b: String) -> Int {
    switch self {
    case .binary: binaryCompare(a, b)
    case .caseInsensitive: compareStrings(a, b, options: .caseInsensitive, foldsWidth: false)
    case .localized: a.localizedCompare(b).rawValue
    case .localizedCaseInsensitive: a.localizedCaseInsensitiveCompare(b).rawValue
    case .localizedStandard: StandardOrder.order(a, b)
    }
  }
}

extension ComparisonResult {
  init(order: Int) { self = order < 0 ? .orderedAscending : (order > 0 ? .orderedDescending : .orderedSame) }
}
