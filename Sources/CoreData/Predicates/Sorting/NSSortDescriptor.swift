import Foundation
import Synchronization

/// A sort descriptor by a key, which Foundation's class on Linux can't do.
///
/// Foundation's own field for a Swift key path holds a stand-in.
// @unchecked Sendable, as Foundation's class: it is immutable but for `free`.
final class KeySortDescriptor: NSSortDescriptor {
  /// Key and Swift key path: one of them is given.
  private let keyText: String?
  private let givenKeyPath: AnyKeyPath?
  /// nil for the values' own order.
  let selectorName: String?
  let comparison: Comparator?
  private let components: [String]
  /// The path as it is followed, lent to one comparison at a time, because it remembers where objects have its keys.
  /// Nil before the first, and while it is lent.
  private let free = Mutex<Lendable>(Lendable())

  private struct Lendable: @unchecked Sendable { var path: CompiledKeyPath? }

  init(key: String?, keyPath: AnyKeyPath?, ascending: Bool, selector: String?, comparator: Comparator?) {
    keyText = key ?? keyPath.flatMap { try? KeyPathNames.path(of: $0) }?.joined(separator: ".")
    givenKeyPath = keyPath
    selectorName = selector
    comparison = comparator
    components = KeySortDescriptor.components(keyText ?? "")
    let collation = selector.flatMap(SortKey.Collation.init) ?? .binary
    let order = SortKey(path: [], ascending: true, collation: collation)
    // What `comparator` returns: it compares values, in ascending order.
    super.init(
      keyPath: \String.count, ascending: ascending,
      comparator: comparator ?? { order.compare(PredicateValue(any: $0), PredicateValue(any: $1)) })
  }

  private static func components(_ key: String) -> [String] {
    guard case .keyPath(let path) = ExpressionNode(keyPath: key), !key.isEmpty else { return [] }
    return path
  }

  /// The key, or the key path's name; nil for a comparator on the objects themselves.
  var keyName: String? { keyText }

  override var keyPath: AnyKeyPath { givenKeyPath ?? super.keyPath }

  /// The key's components; none where a comparator takes the objects themselves. Throws for a Swift key path that has
  /// no name.
  func path() throws -> [String] {
    if keyText != nil { return components }
    if let givenKeyPath { return try KeyPathNames.path(of: givenKeyPath) }
    if comparison != nil { return [] }
    throw SortKey.unsupported("A sort descriptor without a key can't be used in a fetch")
  }

  /// Compares two objects, for `sorted(using:)` of Foundation's arrays. An unknown key ends the program.
  override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
    let order: Int
    do {
      let (a, b) = try values(of: object1, object2)
      if let comparison {
        order = comparison(a.anyValue ?? NSNull(), b.anyValue ?? NSNull()).rawValue
      } else {
        let collation = selectorName.flatMap(SortKey.Collation.init) ?? .binary
        let key = SortKey(path: [], ascending: true, collation: collation)
        order = key.compare(a, b).rawValue
      }
    } catch {
      misuse(
        MisuseReport(
          Failure.words(of: error),
          facts: [("Call", "NSSortDescriptor.compare(_:to:)")],
          how: "", remedy: "Sort by a key that all objects have."))
    }
    return ComparisonResult(order: ascending ? order : -order)
  }

  private func values(of first: Any, _ second: Any) throws -> (PredicateValue, PredicateValue) {
    if keyText == nil, let givenKeyPath {
      return (PredicateValue(any: first[keyPath: givenKeyPath]), PredicateValue(any: second[keyPath: givenKeyPath]))
    }
    let lent = free.withLock { lendable in
      let path = lendable.path
      lendable.path = nil
      return path
    }
    let path = try lent ?? CompiledKeyPath(components)
    defer {
      let returned = Lendable(path: path)
      free.withLock { $0 = returned }
    }
    return (try path.value(from: PredicateValue(any: first)), try path.value(from: PredicateValue(any: second)))
  }

  override var reversedSortDescriptor: Any {
    KeySortDescriptor(
      key: keyText, keyPath: givenKeyPath, ascending: !ascending, selector: selectorName,
      comparator: comparison)
  }

  override func copy(with zone: NSZone? = nil) -> Any { self }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? KeySortDescriptor else { return false }
    return self === other
      || keyText == other.keyText && (keyText != nil || givenKeyPath == other.givenKeyPath)
        && ascending == other.ascending && selectorName == other.selectorName && comparison == nil
        && other.comparison == nil
  }

  override var hash: Int { keyText.hashValue }

  override var description: String {
    "(\(keyText ?? "no key"), \(ascending ? "ascending" : "descending"), \(selectorName ?? "compare:"))"
  }
}

extension NSSortDescriptor {
  /// Sorts objects by a property and your own comparison, which gets the values. It works in arrays, and in fetches
  /// from stores that are evaluated in memory. SQLite can't call it.
  ///
  /// Foundation's own initializer has the same form for all key paths. A request could not tell its comparison from the
  /// usual one.
  public convenience init<Root: NSObject, Value>(
    keyPath: KeyPath<Root, Value>, ascending: Bool, comparator: @escaping Comparator
  ) {
    self.init(foundationsPath: keyPath, ascending, comparator)
    ComparedDescriptors.note(self)
  }

  /// The same call, which leads to Foundation's where nothing is known of `Root`.
  private convenience init<Root, Value>(
    foundationsPath keyPath: KeyPath<Root, Value>, _ ascending: Bool, _ comparator: @escaping Comparator
  ) {
    self.init(keyPath: keyPath, ascending: ascending, comparator: comparator)
  }

  /// The comparison that the program gave, for a descriptor by a key path; nil for one that compares as values do.
  var givenComparator: Comparator? {
    if let own = self as? KeySortDescriptor { return own.comparison }
    return ComparedDescriptors.contains(self) ? comparator : nil
  }
}

/// Foundation's descriptors whose comparison is the program's. They have no place for such a mark.
private enum ComparedDescriptors {
  private struct Weakly: @unchecked Sendable { weak var descriptor: NSSortDescriptor? }

  private static let entries = Mutex<[ObjectIdentifier: Weakly]>([:])

  static func note(_ descriptor: NSSortDescriptor) {
    ReversedDescriptors.setUp
    entries.withLock { entries in
      // Another may have had the address before.
      entries[ObjectIdentifier(descriptor)] = Weakly(descriptor: descriptor)
      if entries.count.isMultiple(of: 64) { entries = entries.filter { $0.value.descriptor != nil } }
    }
  }

  static func contains(_ descriptor: NSSortDescriptor) -> Bool {
    entries.withLock { $0[ObjectIdentifier(descriptor)]?.descriptor === descriptor }
  }
}

/// What Foundation's descriptors answer for `reversedSortDescriptor`. Their own answer has no mark, so a request would
/// take it for the values' order. So in the class's own table stands this one.
private enum ReversedDescriptors {
  /// Done when a first descriptor is noted. Does nothing if the table is not what `ClassMetadata` says.
  static let setUp: Void = {
    ClassMetadata(NSSortDescriptor.self).takeMethod(overriddenBy: WithReversal.self, butNotBy: Plain.self)
  }()

  // Objects of these classes are never made: `self` is one of Foundation's class.

  /// In its table stands Foundation's method.
  private class Plain: NSSortDescriptor {}

  private final class WithReversal: Plain {
    override var reversedSortDescriptor: Any { ReversedDescriptors.reversed(self) ?? super.reversedSortDescriptor }
  }

  /// nil for a descriptor that compares as values do. Not inlined, so that nothing of a subclass is taken for granted
  /// of it.
  @inline(never)
  private static func reversed(_ descriptor: NSSortDescriptor) -> NSSortDescriptor? {
    descriptor.givenComparator.map { comparator in
      KeySortDescriptor(
        key: nil, keyPath: descriptor.keyPath, ascending: !descriptor.ascending, selector: nil, comparator: comparator)
    }
  }
}

/// Gives Foundation's `NSSortDescriptor` its initializers and accessors, see `_PredicateInitializers`.
public protocol _SortDescriptorInitializers {}

extension NSSortDescriptor: _SortDescriptorInitializers {}

extension _SortDescriptorInitializers {
  /// Sorts by a property, or by a path of to-one relationships to one.
  ///
  ///     let request = NSFetchRequest<Book>(entityName: "Book")
  ///     request.sortDescriptors = [
  ///       NSSortDescriptor(key: "author.name", ascending: true), NSSortDescriptor(key: "title", ascending: true),
  ///     ]
  ///     print(try context.fetch(request).map(\.title))  // ["Solaris", "The Compass Rose", "The Dispossessed"]
  public init(key: String?, ascending: Bool) {
    self =
      KeySortDescriptor(key: key, keyPath: nil, ascending: ascending, selector: nil, comparator: nil) as! Self
  }

  /// Sorts by a property of strings, compared by one of `compare:`, `caseInsensitiveCompare:`, `localizedCompare:`,
  /// `localizedCaseInsensitiveCompare:`, `localizedStandardCompare:`.
  public init(key: String?, ascending: Bool, selector: Selector?) {
    self =
      KeySortDescriptor(
        key: key, keyPath: nil, ascending: ascending, selector: selector?.name, comparator: nil)
      as! Self
  }

  /// Sorts by your own comparison, which gets the values, `NSNull` for nil; without a key, the objects. It works in
  /// arrays, and in fetches from stores that are evaluated in memory. SQLite can't call it.
  public init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
    self =
      KeySortDescriptor(key: key, keyPath: nil, ascending: ascending, selector: nil, comparator: comparator)
      as! Self
  }

  /// Sorts by a property, optional or not.
  public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    self =
      KeySortDescriptor(key: nil, keyPath: keyPath, ascending: ascending, selector: nil, comparator: nil)
      as! Self
  }
  /// Converts Foundation's `SortDescriptor`: its key path and order, or, if it has no key path, its comparison, which
  /// works in memory only. Texts compare as the descriptor says: see `SortDescriptor.init(_:order:)`.
  public init<Compared>(_ descriptor: SortDescriptor<Compared>) {
    let ascending = descriptor.order == .forward
    if let keyPath = descriptor.keyPath {
      self =
        KeySortDescriptor(
          key: nil, keyPath: keyPath, ascending: ascending, selector: TextOrderStep.selector(of: keyPath),
          comparator: nil) as! Self
    } else {
      // The comparison already includes the order.
      let compare: Comparator = { descriptor.compare($0 as! Compared, $1 as! Compared) }
      self =
        KeySortDescriptor(key: "self", keyPath: nil, ascending: true, selector: nil, comparator: compare)
        as! Self
    }
  }
}

extension _SortDescriptorInitializers where Self: NSSortDescriptor {
  /// The property's name, or the path of names; nil for Foundation's own descriptors of plain Swift values.
  public var key: String? {
    if let own = self as? KeySortDescriptor { return own.keyName }
    return try? KeyPathNames.path(of: keyPath).joined(separator: ".")
  }

  /// The way in which values are compared.
  public var selector: Selector? { Selector((self as? KeySortDescriptor)?.selectorName ?? "compare:") }
}
