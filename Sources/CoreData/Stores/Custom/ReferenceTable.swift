/// Maps the references by which a custom store knows its objects to the keys that rows have, and back.
///
/// References are strings or numbers; for an atomic store they may be any objects. All stores with the same UUID in a
/// process share one table, so that an id of one coordinator leads to the same object in another. A key is never given
/// twice, and stays as long as one of the stores. A reference is unique in the hierarchy of its entity.
///
/// In an incremental store, a whole number from 1 to 2⁶² - 1 is its own key and takes no room here, so a program can
/// read any number of such objects and release them. The keys of all other references begin at 2⁶² and stay in the
/// table.
///
/// Any thread may use it.
final class ReferenceTable: @unchecked Sendable {
  // `@unchecked Sendable`: all fields are used under `lock`.

  private struct Place: Hashable {
    /// The name of the root entity, because each coordinator may have a model of its own.
    let root: String
    let reference: AnyHashable
  }

  private let lock = NSLock()
  /// Whether a number can be its own key.
  private let numbersAreKeys: Bool
  /// The first key that the table gives.
  private let firstKey: Int64
  private var keys: [Place: Int64] = [:]
  /// The references in the order of their keys, from the first key on.
  private var references = ContiguousArray<Any>()
  /// In the same order, the entity that was last named with the reference.
  private var entities = ContiguousArray<String>()
  /// The keys by the text in a URI, if that isn't the reference itself.
  private var keysByText: [Place: Int64] = [:]
  /// The names of the root entities with references that are texts, and of those with some that are numbers. They tell
  /// what a URI's text that reads like a number is.
  private var textRoots: Set<String> = []
  private var numberRoots: Set<String> = []
  /// The root layout whose name was last put into `numberRoots`, so that nearly every number needs no lock.
  private let lastNumberRoot = AtomicWord()
  /// The keys whose text reads like a number, by the name of the root entity.
  private var numerals: [String: Set<Int64>] = [:]

  private init(numbersAreKeys: Bool) {
    self.numbersAreKeys = numbersAreKeys
    firstKey = numbersAreKeys ? 1 << 62 : 1
  }

  deinit { lastNumberRoot.free() }

  /// The key of a reference. A reference without a key gets a new one.
  func key(for reference: Any, of layout: EntityLayout) -> Int64 {
    if numbersAreKeys, let key = ownKey(of: reference, layout) { return key }
    let (normal, kept) = ReferenceTable.normal(reference)
    let place = Place(root: layout.root.name, reference: normal)
    return lock.withLock {
      if kept is String {
        textRoots.insert(place.root)
      } else if kept is NSNumber {
        numberRoots.insert(place.root)
      }
      if let key = keys[place] {
        // The key may come from a URI whose text was taken for a number, while the reference is a string.
        references[Int(key - firstKey)] = kept
        entities[Int(key - firstKey)] = layout.name
        return key
      }
      return addReference(kept, place, of: layout)
    }
  }

  /// The number of references that are kept.
  var count: Int { lock.withLock { references.count + numerals.values.reduce(0) { $0 + $1.count } } }

  // Numbers that are keys.

  private func ownKey(_ number: Int64) -> Int64? { number > 0 && number < firstKey ? number : nil }

  private func ownKey(of reference: Any, _ layout: EntityLayout) -> Int64? {
    if let number = exactInteger(reference) { return ownKey(number).map { noteNumber($0, layout) } }
    if let text = exactly(reference, String.self) ?? (reference as? NSString).map({ "\($0)" }) {
      return ownKey(ofText: text).map { noteNumeral($0, layout) }
    }
    guard let number = reference as? NSNumber, number.doubleValue > 0, number.doubleValue < 0x1p62 else { return nil }
    // A number that isn't whole has another text.
    guard number.doubleValue == Double(number.int64Value) else { return nil }
    return ownKey(number.int64Value).map { noteNumber($0, layout) }
  }

  /// The key of a text that is written as a number is: without a sign and without leading zeros.
  private func ownKey(ofText text: String) -> Int64? {
    guard let first = text.utf8.first, first >= UInt8(ascii: "1"), first <= UInt8(ascii: "9") else { return nil }
    return Int64(text).flatMap(ownKey)
  }

  private func noteNumber(_ key: Int64, _ layout: EntityLayout) -> Int64 {
    let root = layout.root
    let word = UInt(bitPattern: ObjectIdentifier(root))
    if lastNumberRoot.value == word { return key }
    lock.withLock { _ = numberRoots.insert(root.name) }
    lastNumberRoot.value = word
    return key
  }

  /// Whether a reference of unknown type is taken for a text although it reads like a number. So it is where the
  /// hierarchy has texts, and, as long as nothing is known of it, where another one has. To be called under `lock`.
  private func hasTexts(_ root: String) -> Bool {
    textRoots.contains(root) || !textRoots.isEmpty && !numberRoots.contains(root)
  }

  private func noteNumeral(_ key: Int64, _ layout: EntityLayout) -> Int64 {
    lock.withLock {
      textRoots.insert(layout.root.name)
      numerals[layout.root.name, default: []].insert(key)
      return key
    }
  }

  private func addReference(_ reference: Any, _ place: Place, of layout: EntityLayout) -> Int64 {
    references.append(reference)
    entities.append(layout.name)
    let key = firstKey + Int64(references.count - 1)
    keys[place] = key
    if !(place.reference.base is BinaryText) {
      keysByText[Place(root: place.root, reference: AnyHashable(BinaryText(text: "\(reference)")))] = key
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

  /// The entity name of a key's object, if it was named; nil for numbers that are their own keys.
  func entity(of key: Int64) -> String? {
    lock.withLock { key >= firstKey && key - firstKey < entities.count ? entities[Int(key - firstKey)] : nil }
  }

  /// The text for a URI: "p", and the text of the reference.
  func text(of key: Int64) -> String {
    if isOwn(key) { return "p\(key)" }
    let reference = lock.withLock { kept(key) }
    let text = (reference as? NSNumber)?.stringValue ?? reference.map { "\($0)" } ?? ""
    return "p" + (text.addingPercentEncoding(withAllowedCharacters: ReferenceTable.plain) ?? "")
  }

  /// The key for a decoded text from a URI.
  ///
  /// - Parameter makes: whether an unknown text gets a new key. It becomes a number if it looks like one and the
  ///   hierarchy has no strings as references.
  func key(ofText text: String, of layout: EntityLayout, makes: Bool) -> Int64? {
    guard text.hasPrefix("p"), text.count > 1 else { return nil }
    let text = String(text.dropFirst())
    if numbersAreKeys, let key = ownKey(ofText: text) {
      // If the references are strings, this text may be another one.
      return lock.withLock { hasTexts(layout.root.name) } ? noteNumeral(key, layout) : key
    }
    let place = Place(root: layout.root.name, reference: AnyHashable(BinaryText(text: text)))
    return lock.withLock {
      if let key = keys[place] ?? keysByText[place] { return key }
      guard makes else { return nil }
      let number = hasTexts(place.root) ? nil : Int64(text).flatMap { "\($0)" == text ? NSNumber(value: $0) : nil }
      return addReference(number ?? text as Any, place, of: layout)
    }
  }

  /// A string and a number are the same reference if they have the same text, as in a URI. A text counts by its bytes:
  /// to Swift é in one scalar is equal to é in two, while a folder may have a file of each name.
  private static func normal(_ reference: Any) -> (AnyHashable, Any) {
    if let text = reference as? String { return (AnyHashable(BinaryText(text: text)), text) }
    if let number = reference as? NSNumber { return (AnyHashable(BinaryText(text: number.stringValue)), number) }
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

  /// - Parameter numbersAreKeys: true for incremental stores. False for atomic stores, whose nodes are found by key
  ///   alone, whatever their entity.
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
