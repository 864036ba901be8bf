import Foundation

/// Values by keys, either of which may be freed while they are in the table. What `NSHashTable` and `NSMapTable` are
/// made of.
struct ObjectTable {
  typealias Pair = (key: AnyObject, value: AnyObject)

  /// An object that is kept alive or not.
  private struct Reference {
    private let strong: AnyObject?
    private weak var other: AnyObject?

    init(_ object: AnyObject, _ options: NSPointerFunctions.Options) {
      strong = options.isWeak ? nil : object
      other = options.isWeak ? object : nil
    }

    var object: AnyObject? { strong ?? other }
  }

  private struct Entry {
    let key: Reference
    var value: Reference

    /// nil if one of them was freed.
    var pair: Pair? {
      guard let key = key.object, let value = value.object else { return nil }
      return (key, value)
    }
  }

  let keyOptions: NSPointerFunctions.Options
  let valueOptions: NSPointerFunctions.Options
  /// By the hashes of the keys, which those that were freed no longer tell.
  private var entries: [Int: [Entry]] = [:]
  /// How many entries there may be before those of freed objects are looked for.
  private var limit = 16
  private var entryCount = 0

  init(_ keyOptions: NSPointerFunctions.Options, _ valueOptions: NSPointerFunctions.Options) {
    self.keyOptions = keyOptions
    self.valueOptions = valueOptions
  }

  /// The keys and values that live, in no order.
  var pairs: [Pair] { entries.values.flatMap { $0.compactMap(\.pair) } }

  func pair(for key: AnyObject) -> Pair? {
    entries[hash(of: key)]?.lazy.compactMap(\.pair).first { isSame($0.key, key) }
  }

  mutating func set(_ value: AnyObject, for key: AnyObject) {
    remove(key)
    if entryCount >= limit { removeFreed() }
    let (key, value) = (copied(key, keyOptions), copied(value, valueOptions))
    entries[hash(of: key), default: []].append(
      Entry(key: Reference(key, keyOptions), value: Reference(value, valueOptions)))
    entryCount += 1
  }

  mutating func remove(_ key: AnyObject) {
    let hash = hash(of: key)
    guard let former = entries[hash] else { return }
    let left = former.filter { entry in entry.pair.map { !isSame($0.key, key) } ?? false }
    entries[hash] = left.isEmpty ? nil : left
    entryCount -= former.count - left.count
  }

  mutating func removeAll() { (entries, entryCount) = ([:], 0) }

  private mutating func removeFreed() {
    for (hash, former) in entries {
      let left = former.filter { $0.pair != nil }
      entries[hash] = left.isEmpty ? nil : left
      entryCount -= former.count - left.count
    }
    limit = max(16, 2 * entryCount)
  }

  private func copied(_ object: AnyObject, _ options: NSPointerFunctions.Options) -> AnyObject {
    guard options.contains(.copyIn), let original = object as? any NSCopying else { return object }
    return original.copy(with: nil) as AnyObject
  }

  private func hash(of key: AnyObject) -> Int {
    if !keyOptions.isOfPointers, let key = key as? NSObject { return key.hash }
    return ObjectIdentifier(key).hashValue
  }

  private func isSame(_ one: AnyObject, _ other: AnyObject) -> Bool {
    if one === other { return true }
    guard !keyOptions.isOfPointers, let one = one as? NSObject else { return false }
    return one.isEqual(other)
  }
}
