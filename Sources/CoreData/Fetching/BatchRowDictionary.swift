/// The dictionary that a batch insert's handler fills in. A value with exactly the type of its property goes straight
/// into the row, without boxing it, hashing the key or keeping the string. Other values are kept until the row is
/// finished.
///
/// Overrides the methods that `NSMutableDictionary` requires of a subclass. Its other methods use these.
final class BatchRowDictionary: NSMutableDictionary {
  /// Where a property's value is.
  private enum Whereabouts: Equatable {
    /// The property was not set.
    case none
    /// The value was removed again.
    case removed
    case kept
    case inRow(BatchRowEncoder.Taken)
  }

  // Unchecked, as the count of `batchinsert` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var rows: BatchRowEncoder!
  @exclusivity(unchecked) private var names: PropertyFinder!
  private var properties: [LayoutProperty] = []
  /// Where the value of each property is, by the property's index.
  @exclusivity(unchecked) private var whereabouts: ContiguousArray<Whereabouts> = []
  /// Values that are not in the row, by the property's index.
  @exclusivity(unchecked) private var kept: [Int: Any] = [:]
  /// The properties that were set, each once, including those whose value was removed again.
  @exclusivity(unchecked) private var order: ContiguousArray<Int> = []
  /// Values for keys that are not properties.
  @exclusivity(unchecked) private var strangers: [String: Any] = [:]

  convenience init(_ rows: BatchRowEncoder) {
    self.init()
    self.rows = rows
    names = PropertyFinder(rows.layout)
    properties = rows.layout.properties
    whereabouts = ContiguousArray(repeating: .none, count: properties.count)
  }

  /// Begins a new row.
  func clear() {
    for index in order { whereabouts[index] = .none }
    order.removeAll(keepingCapacity: true)
    if !kept.isEmpty { kept.removeAll(keepingCapacity: true) }
    if !strangers.isEmpty { strangers.removeAll() }
    names.restart()
    rows.beginRow()
  }

  /// Puts the kept values into the row. Throws an error for a value that can't be set.
  func encodeRest() throws {
    if kept.isEmpty && strangers.isEmpty { return }
    if let (name, value) = strangers.min(by: { $0.key < $1.key }) { throw rows.unknown(name, value) }
    for index in order where whereabouts[index] == .kept { try rows.set(kept[index]!, index) }
  }

  private func name(_ key: Any) -> String {
    if let name = exactly(key, String.self) ?? (key as? String) { return name }
    return (key as? AnyHashable)?.base as? String ?? "\(key)"
  }

  /// The property for a key.
  private func index(_ key: Any) -> Int? {
    func open<Key>(_ key: Key) -> Int? { withUnsafePointer(to: key) { names.index(of: $0) } }
    return _openExistential(key, do: open) ?? names.index(of: name(key))
  }

  override var count: Int {
    order.reduce(strangers.count) { $0 + (whereabouts[$1] == .removed ? 0 : 1) }
  }

  override func object(forKey key: Any) -> Any? {
    guard let index = index(key) else { return strangers[name(key)] }
    switch whereabouts[index] {
    case .none, .removed: return nil
    case .kept: return kept[index]
    case .inRow(let taken): return rows.value(index, as: taken)
    }
  }

  override func setObject(_ value: Any, forKey key: AnyHashable) {
    guard let index = index(key.base) else {
      strangers[name(key.base)] = value
      return
    }
    let before = whereabouts[index]
    if before == .none { order.append(index) }
    if let taken = rows.take(value, index) {
      if before == .kept { kept[index] = nil }
      whereabouts[index] = .inRow(taken)
    } else {
      kept[index] = value
      whereabouts[index] = .kept
    }
  }

  override func removeObject(forKey key: Any) {
    guard let index = index(key) else {
      strangers[name(key)] = nil
      return
    }
    if whereabouts[index] == .none { return }
    rows.restore(index)
    kept[index] = nil
    whereabouts[index] = .removed
  }

  override var allKeys: [Any] {
    order.filter { whereabouts[$0] != .removed }.map { properties[$0].name } + strangers.keys.sorted()
  }

  override func keyEnumerator() -> NSEnumerator { (allKeys as NSArray).objectEnumerator() }

  override func copy(with zone: NSZone? = nil) -> Any { NSDictionary(dictionary: contents) }
  override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableDictionary(dictionary: contents) }

  private var contents: [AnyHashable: Any] {
    Dictionary(uniqueKeysWithValues: allKeys.map { (AnyHashable(name($0)), object(forKey: $0)!) })
  }
}
