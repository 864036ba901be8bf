internal import DataModelFiles

/// Reads a keyed archive of a binary store. It makes only the objects that are asked for, looks up no class, and can't
/// run into a cycle.
///
/// The archive is a binary property list with a dictionary at the top. Its references (UIDs) are indexes into the list
/// `$objects`, and `$top` has the first reference.
struct ArchiveReader {
  /// An object of the property list.
  struct Object: Equatable {
    fileprivate let node: Int
  }

  /// Consecutive objects: the elements of an array, or the keys or values of a dictionary.
  struct Elements {
    fileprivate let extent: PropertyListTable.Extent
    fileprivate let first: Int
    let count: Int
  }

  /// How many entries of long dictionaries and lists may be looked through. Dictionaries of archives are short, and
  /// each list belongs to one object. But in a file that was made for it, all objects can share one long
  /// dictionary, and to read that again for each of them would take hours. Code that follows lists into lists, as the
  /// reader of the metadata does, has to count what it makes of them, short lists too.
  private final class Budget {
    private var left: Int

    init(_ bytes: Int) { left = 16 * bytes + 100_000 }

    func spend(_ count: Int) throws {
      left -= count
      if left >= 0 { return }
      throw AtomicProblem.damaged(line: nil, "an archive in it has the same long list again and again")
    }
  }

  /// Dictionaries up to this length cost nothing.
  private static let shortLength = 16

  private let list: PropertyListTable
  private let budget: Budget
  /// The archived objects, by UID.
  private let objects: Elements
  private let top: Object

  init(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    guard let list = try? PropertyListTable(UnsafeRawBufferPointer(bytes)) else { throw ArchiveReader.damaged }
    let archive = Object(node: list.top)
    guard let archiver = try Self.value(of: "$archiver", in: archive, list),
      list.isText(archiver.node, "NSKeyedArchiver"),
      let objects = try Self.value(of: "$objects", in: archive, list).flatMap({ Self.elements($0, list) }),
      let top = try Self.value(of: "$top", in: archive, list)
    else { throw AtomicProblem.damaged(line: nil, "an archive in it is not a keyed archive") }
    self.list = list
    budget = Budget(bytes.count)
    self.objects = objects
    self.top = top
  }

  static let damaged = AtomicProblem.damaged(line: nil, "an archive in it is damaged")

  // Objects.

  /// The object that the archive has under a name.
  func root(_ name: StaticString) throws -> Object {
    guard let found = try value(of: name, in: top) else {
      throw AtomicProblem.damaged(line: nil, "an archive in it has no \(name)")
    }
    return try resolved(found)
  }

  func element(_ elements: Elements, _ index: Int) -> Object {
    Object(node: list.element(elements.first + index, of: elements.extent))
  }

  /// The object that a reference leads to; any other object itself.
  func resolved(_ object: Object) throws -> Object {
    guard let index = uid(object) else { return object }
    guard index < objects.count else { throw ArchiveReader.damaged }
    return element(objects, index)
  }

  func uid(_ object: Object) -> Int? { list.uid(object.node) }

  /// Whether it is the archive's nil.
  func isNil(_ object: Object) -> Bool { uid(object) == 0 }

  // Containers.

  /// The elements of an array of the property list, which the caller is about to read.
  func elements(_ object: Object) throws -> Elements? {
    guard let elements = Self.elements(object, list) else { return nil }
    if elements.count > Self.shortLength { try budget.spend(elements.count) }
    return elements
  }

  private static func elements(_ object: Object, _ list: PropertyListTable) -> Elements? {
    switch list.kind(of: object.node) {
    case .array, .orderedSet, .set:
      let extent = list.extent(of: object.node)
      return Elements(extent: extent, first: 0, count: extent.count)
    case .constant, .integer, .real, .date, .data, .ascii, .utf16, .utf8, .uid, .dictionary: return nil
    }
  }

  private static func value(
    of key: StaticString, in object: Object, _ list: PropertyListTable, _ budget: Budget? = nil
  ) throws -> Object? {
    guard list.kind(of: object.node) == .dictionary else { return nil }
    let extent = list.extent(of: object.node)
    if extent.count > shortLength { try budget?.spend(extent.count) }
    for index in 0..<extent.count where list.isText(list.element(index, of: extent), key) {
      return Object(node: list.element(extent.count + index, of: extent))
    }
    return nil
  }

  func value(of key: StaticString, in object: Object) throws -> Object? {
    try Self.value(of: key, in: object, list, budget)
  }

  /// A field of an archived object, after following its reference; nil if it is missing or the archive's nil.
  func field(_ key: StaticString, of object: Object) throws -> Object? {
    guard let found = try value(of: key, in: object), !isNil(found) else { return nil }
    return try resolved(found)
  }

  /// Whether the name of an archived object's class is one of these.
  func isOf(_ names: [StaticString], _ object: Object) throws -> Bool {
    guard let type = try field("$class", of: object), let name = try value(of: "$classname", in: type) else {
      return false
    }
    return names.contains { list.isText(name.node, $0) }
  }

  // Values of the property list.

  func integer(_ object: Object) -> Int64? {
    switch list.scalar(object.node) {
    case .boolean(let flag): flag ? 1 : 0
    case .integer(let number): number
    case .real, .date, .data, .string, .uid, .array, .dictionary, nil: nil
    }
  }

  func real(_ object: Object) -> Double? {
    switch list.scalar(object.node) {
    case .real(let number), .date(let number): number
    case .boolean, .integer, .data, .string, .uid, .array, .dictionary, nil: integer(object).map(Double.init)
    }
  }

  func isDate(_ object: Object) -> Bool { list.kind(of: object.node) == .date }
  func isBoolean(_ object: Object) -> Bool { list.kind(of: object.node) == .constant }
  func isReal(_ object: Object) -> Bool { list.kind(of: object.node) == .real }

  func data(_ object: Object) -> UnsafeRawBufferPointer? {
    list.kind(of: object.node) == .data ? list.content(of: object.node) : nil
  }

  func string(_ object: Object) -> String? { list.string(object.node) }

  /// The bytes of a text in ASCII or UTF-8, in place; nil for other objects.
  func text(_ object: Object) -> UnsafeRawBufferPointer? {
    let kind = list.kind(of: object.node)
    return kind == .ascii || kind == .utf8 ? list.content(of: object.node) : nil
  }

  /// Converts a text in UTF-16 to UTF-8. Returns false for other objects.
  func wideText(_ object: Object, in scratch: inout [UInt8]) throws -> Bool {
    guard list.kind(of: object.node) == .utf16 else { return false }
    scratch.removeAll(keepingCapacity: true)
    let bytes = list.content(of: object.node)
    let units = (0..<bytes.count / 2).lazy.map { (unit: Int) -> UInt16 in
      let (high, low) = (UInt16(bytes[2 * unit]), UInt16(bytes[2 * unit + 1]))
      return high << 8 | low
    }
    let isBroken = transcode(units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true) {
      scratch.append($0)
    }
    if isBroken { throw AtomicProblem.damaged(line: nil, "a text in it is not UTF-16") }
    return true
  }
}
