/// The dictionary that a batch insert's handler fills in: keeps values by property as they come, so that none is
/// boxed and no key is hashed.
///
/// Overrides what `NSMutableDictionary` asks of a subclass, on which its other methods are built.
final class BatchRowDictionary: NSMutableDictionary {
  private var names: PropertyFinder?
  private var properties: [LayoutProperty] = []
  /// By the property's index.
  @exclusivity(unchecked) private(set) var values: ContiguousArray<Any?> = []
  /// The properties that were set, each once, also those whose value was taken away again.
  @exclusivity(unchecked) private(set) var order: ContiguousArray<Int> = []
  @exclusivity(unchecked) private var isListed: ContiguousArray<Bool> = []
  /// Values of keys that are no properties.
  @exclusivity(unchecked) private(set) var strangers: [String: Any] = [:]

  convenience init(_ layout: EntityLayout) {
    self.init()
    names = PropertyFinder(layout)
    properties = layout.properties
    values = ContiguousArray(repeating: nil, count: properties.count)
    isListed = ContiguousArray(repeating: false, count: properties.count)
  }

  func clear() {
    for index in order {
      values[index] = nil
      isListed[index] = false
    }
    order.removeAll(keepingCapacity: true)
    if !strangers.isEmpty { strangers.removeAll() }
    names?.restart()
  }

  private func name(_ key: Any) -> String {
    if let name = exactly(key, String.self) ?? (key as? String) { return name }
    return (key as? AnyHashable)?.base as? String ?? "\(key)"
  }

  override var count: Int { order.reduce(strangers.count) { $0 + (values[$1] == nil ? 0 : 1) } }

  override func object(forKey key: Any) -> Any? {
    let name = name(key)
    guard let index = names?.index(of: name) else { return strangers[name] }
    return values[index]
  }

  override func setObject(_ value: Any, forKey key: AnyHashable) {
    let name = name(key.base)
    guard let index = names?.index(of: name) else {
      strangers[name] = value
      return
    }
    values[index] = value
    if !isListed[index] {
      isListed[index] = true
      order.append(index)
    }
  }

  override func removeObject(forKey key: Any) {
    let name = name(key)
    guard let index = names?.index(of: name) else {
      strangers[name] = nil
      return
    }
    values[index] = nil
  }

  override var allKeys: [Any] {
    order.filter { values[$0] != nil }.map { properties[$0].name } + strangers.keys.sorted()
  }

  override func keyEnumerator() -> NSEnumerator { (allKeys as NSArray).objectEnumerator() }

  override func copy(with zone: NSZone? = nil) -> Any { NSDictionary(dictionary: contents) }
  override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableDictionary(dictionary: contents) }

  private var contents: [AnyHashable: Any] {
    Dictionary(uniqueKeysWithValues: allKeys.map { (AnyHashable(name($0)), object(forKey: $0)!) })
  }
}
