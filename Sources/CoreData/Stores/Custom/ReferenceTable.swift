/// What the objects of one store are called outside, by the numbers that rows have: both ways.
///
/// References are strings, numbers, or for an atomic store any object. One table serves all stores of a UUID in the
/// process, so that an id of one coordinator leads to the same object in another. A number is never used twice, and
/// stays as long as one of the stores. A reference is unique in the hierarchy of its entity.
///
/// In an incremental store a whole number from 1 to 2⁶² - 1 is its own key, and takes no room here: a program may see
/// any number of such objects and let them go. The keys of all other references begin at 2⁶², and stay.
///
/// Any thread.
final class ReferenceTable: @unchecked Sendable {
  // `@unchecked Sendable`: everything is touched under `lock`.

  private struct Place: Hashable {
    /// By its name: coordinators may have models of their own.
    let root: String
    let reference: AnyHashable
  }

  private let lock = NSLock()
  /// Whether a number can be its own key.
  private let numbersAreKeys: Bool
  /// What the table begins to count with.
  private let firstKey: Int64
  private var keys: [Place: Int64] = [:]
  /// By key, from the first on.
  private var references = ContiguousArray<Any>()
  /// By key: the entity that was last named with the reference.
  private var entities = ContiguousArray<String>()
  /// What a URI has, where that is not the reference itself.
  private var keysByText: [Place: Int64] = [:]
  private var hasTexts = false
  /// The keys that were named by a text that reads like a number, by the name of the root entity.
  private var numerals: [String: Set<Int64>] = [:]

  private init(numbersAreKeys: Bool) {
    self.numbersAreKeys = numbersAreKeys
    firstKey = numbersAreKeys ? 1 << 62 : 1
  }

  /// The key of a reference, a new one if it has none.
  func key(for reference: Any, of layout: EntityLayout) -> Int64 {
    if numbersAreKeys, let key = ownKey(of: reference, layout) { return key }
    let (normal, kept) = ReferenceTable.normal(reference)
    let place = Place(root: layout.root.name, reference: normal)
    return lock.withLock {
      if kept is String { hasTexts = true }
      if let key = keys[place] {
        // A URI may have made a number of what is a text.
        references[Int(key - firstKey)] = kept
        entities[Int(key - firstKey)] = layout.name
        return key
      }
      return addReference(kept, place, of: layout)
    }
  }

  /// How many references are kept.
  var count: Int { lock.withLock { references.count + numerals.values.reduce(0) { $0 + $1.count } } }

  // Numbers that are keys.

  private func ownKey(_ number: Int64) -> Int64? { number > 0 && number < firstKey ? number : nil }

  private func ownKey(of reference: Any, _ layout: EntityLayout) -> Int64? {
    if let number = exactInteger(reference) { return ownKey(number) }
    if let text = exactly(reference, String.self) ?? (reference as? NSString).map({ "\($0)" }) {
      return ownKey(ofText: text).map { noteNumeral($0, layout) }
    }
    guard let number = reference as? NSNumber, number.doubleValue > 0, number.doubleValue < 0x1p62 else { return nil }
    // What is no whole number reads otherwise.
    return number.doubleValue == Double(number.int64Value) ? ownKey(number.int64Value) : nil
  }

  /// As a number is written: without a sign, and without zeros before it.
  private func ownKey(ofText text: String) -> Int64? {
    guard let first = text.utf8.first, first >= UInt8(ascii: "1"), first <= UInt8(ascii: "9") else { return nil }
    return Int64(text).flatMap(ownKey)
  }

  private func noteNumeral(_ key: Int64, _ layout: EntityLayout) -> Int64 {
    lock.withLock {
      hasTexts = true
      numerals[layout.root.name, default: []].insert(key)
      return key
    }
  }

  private func addReference(_ reference: Any, _ place: Place, of layout: EntityLayout) -> Int64 {
    references.append(reference)
    entities.append(layout.name)
    let key = firstKey + Int64(references.count - 1)
    keys[place] = key
    if !(place.reference.base is String) {
      keysByText[Place(root: place.root, reference: AnyHashable("\(reference)"))] = key
    }
    return key
  }

  func reference(of key: Int64, _ layout: EntityLayout) -> Any? {
    lock.withLock {
      guard isOwn(key) else { return kept(key) }
      return numerals.isEmpty || numerals[layout.root.name]?.contains(key) != true ? NSNumber(value: key) : "\(key)"
    }
  }

  private func isOwn(_ key: Int64) -> Bool { key > 0 && key < firstKey }

  private func kept(_ key: Int64) -> Any? {
    key >= firstKey && key - firstKey < references.count ? references[Int(key - firstKey)] : nil
  }

  /// The name of the entity of a key's object, as far as it was told; nil for numbers that are keys.
  func entity(of key: Int64) -> String? {
    lock.withLock { key >= firstKey && key - firstKey < entities.count ? entities[Int(key - firstKey)] : nil }
  }

  /// What stands in a URI: a "p", and the reference's text.
  func text(of key: Int64) -> String {
    if isOwn(key) { return "p\(key)" }
    let reference = lock.withLock { kept(key) }
    let text = (reference as? NSNumber)?.stringValue ?? reference.map { "\($0)" } ?? ""
    return "p" + (text.addingPercentEncoding(withAllowedCharacters: ReferenceTable.plain) ?? "")
  }

  /// The key that such a text, decoded, stands for.
  ///
  /// - Parameter makes: whether a text that no object had yet gets a key: as a number if it looks like one and no
  ///   reference of the store is a text.
  func key(ofText text: String, of layout: EntityLayout, makes: Bool) -> Int64? {
    guard text.hasPrefix("p"), text.count > 1 else { return nil }
    let text = String(text.dropFirst())
    if numbersAreKeys, let key = ownKey(ofText: text) {
      // Where the references are texts, this is another.
      return lock.withLock { hasTexts } ? noteNumeral(key, layout) : key
    }
    let place = Place(root: layout.root.name, reference: AnyHashable(text))
    return lock.withLock {
      if let key = keys[place] ?? keysByText[place] { return key }
      guard makes else { return nil }
      let number = hasTexts ? nil : Int64(text).flatMap { "\($0)" == text ? NSNumber(value: $0) : nil }
      return addReference(number ?? text as Any, place, of: layout)
    }
  }

  /// Texts and numbers are the same reference if they read the same, as in a URI.
  private static func normal(_ reference: Any) -> (AnyHashable, Any) {
    if let text = reference as? String { return (AnyHashable(text), text) }
    if let number = reference as? NSNumber { return (AnyHashable(number.stringValue), number) }
    return ((reference as? AnyHashable) ?? AnyHashable(ObjectIdentifier(reference as AnyObject)), reference)
  }

  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  // One table for each UUID.

  private struct Weak {
    weak var table: ReferenceTable?
  }

  private struct Name: Hashable {
    let uuid: String
    let numbersAreKeys: Bool
  }

  private static let registry = NSLock()
  private nonisolated(unsafe) static var tables: [Name: Weak] = [:]

  /// - Parameter numbersAreKeys: as incremental stores have it. An atomic store's nodes are of any entity, by keys
  /// alone.
  static func shared(uuid: String, numbersAreKeys: Bool) -> ReferenceTable {
    let name = Name(uuid: uuid.uppercased(), numbersAreKeys: numbersAreKeys)
    return registry.withLock {
      if let table = tables[name]?.table { return table }
      tables = tables.filter { $0.value.table != nil }
      let table = ReferenceTable(numbersAreKeys: numbersAreKeys)
      tables[name] = Weak(table: table)
      return table
    }
  }
}
