/// What the objects of one store are called outside, by the numbers that rows have: both ways.
///
/// References are strings, numbers, or for an atomic store any object. One table serves all stores of a UUID in the
/// process, so that an id of one coordinator leads to the same object in another. A number is never used twice, and
/// stays as long as one of the stores. A reference is unique in the hierarchy of its entity.
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
  private var keys: [Place: Int64] = [:]
  /// By key; the first is 1.
  private var references = ContiguousArray<Any>()
  /// By key: the entity that was last named with the reference.
  private var entities = ContiguousArray<String>()
  /// What a URI has, where that is not the reference itself.
  private var keysByText: [Place: Int64] = [:]
  private var hasTexts = false

  /// The key of a reference, a new one if it has none.
  func key(for reference: Any, of layout: EntityLayout) -> Int64 {
    let (normal, kept) = ReferenceTable.normal(reference)
    let place = Place(root: layout.root.name, reference: normal)
    return lock.withLock {
      if kept is String { hasTexts = true }
      if let key = keys[place] {
        // A URI may have made a number of what is a text.
        references[Int(key) - 1] = kept
        entities[Int(key) - 1] = layout.name
        return key
      }
      return enter(kept, place, of: layout)
    }
  }

  private func enter(_ reference: Any, _ place: Place, of layout: EntityLayout) -> Int64 {
    references.append(reference)
    entities.append(layout.name)
    let key = Int64(references.count)
    keys[place] = key
    if !(place.reference.base is String) {
      keysByText[Place(root: place.root, reference: AnyHashable("\(reference)"))] = key
    }
    return key
  }

  func reference(of key: Int64) -> Any? {
    lock.withLock { key > 0 && key <= references.count ? references[Int(key) - 1] : nil }
  }

  /// The name of the entity of a key's object, as far as it was told.
  func entity(of key: Int64) -> String? {
    lock.withLock { key > 0 && key <= entities.count ? entities[Int(key) - 1] : nil }
  }

  /// What stands in a URI: a "p", and the reference's text.
  func text(of key: Int64) -> String {
    let reference = reference(of: key)
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
    let place = Place(root: layout.root.name, reference: AnyHashable(text))
    return lock.withLock {
      if let key = keys[place] ?? keysByText[place] { return key }
      guard makes else { return nil }
      let number = hasTexts ? nil : Int64(text).flatMap { "\($0)" == text ? NSNumber(value: $0) : nil }
      return enter(number ?? text as Any, place, of: layout)
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

  private static let registry = NSLock()
  private nonisolated(unsafe) static var tables: [String: Weak] = [:]

  static func shared(uuid: String) -> ReferenceTable {
    registry.withLock {
      if let table = tables[uuid.uppercased()]?.table { return table }
      tables = tables.filter { $0.value.table != nil }
      let table = ReferenceTable()
      tables[uuid.uppercased()] = Weak(table: table)
      return table
    }
  }
}
