/// The form of NSKeyedArchiver: a table of objects that refer to each other by index (UID), index 0 being
/// nil. An object of a class is a dictionary whose `$class` refers to `{$classname, $classes}`.
///
/// `NSKeyedUnarchiver` overflows the stack on graphs with cycles, and every compiled model is one
/// (relationship → destination → relationship); here objects stay in their table, and a field is decoded when
/// it is asked for.
final class KeyedArchive {
  private let table: PropertyListTable
  /// The references to the archive's objects, by UID.
  private let objects: PropertyListTable.Extent
  private let rootNode: Int
  /// Texts that were decoded already, by node.
  private var texts: [String?]

  // Keys are compared by number: that of each node that is a key, once it was met, and that of each literal, found
  // by its address.
  private var keyNumbers: [Int32]
  private var numbers: [String: Int32] = [:]
  private var literals = [(address: UInt, number: Int32)](repeating: (0, 0), count: 512)

  init(_ bytes: [UInt8]) throws {
    table = try PropertyListTable(bytes)
    guard let objects = Self.value("$objects", in: table.top, of: table), table.kind(of: objects) == .array,
      let archiver = Self.value("$archiver", in: table.top, of: table), table.isText(archiver, "NSKeyedArchiver"),
      let top = Self.value("$top", in: table.top, of: table), let root = Self.value("root", in: top, of: table)
    else { throw PropertyListError(description: "the file is not a keyed archive") }
    self.objects = table.extent(of: objects)
    rootNode = root
    texts = Array(repeating: nil, count: table.nodeCount)
    keyNumbers = Array(repeating: 0, count: table.nodeCount)
  }

  private static func value(_ key: StaticString, in node: Int, of table: PropertyListTable) -> Int? {
    guard table.kind(of: node) == .dictionary else { return nil }
    let extent = table.extent(of: node)
    for position in 0..<extent.count where table.isText(table.element(position, of: extent), key) {
      return table.element(extent.count + position, of: extent)
    }
    return nil
  }

  var root: Object? { value(rootNode)?.object }

  /// A value of the archive, with a reference followed.
  struct Value {
    // The archive is the reader's, which outlives all values.
    fileprivate unowned(unsafe) let archive: KeyedArchive
    /// Its place in the archive, which is its identity.
    let node: Int

    /// Whatever holds no other values; nil for objects and arrays.
    var scalar: PropertyList? { archive.table.scalar(node) }

    var object: Object? {
      guard archive.table.kind(of: node) == .dictionary else { return nil }
      return Object(archive: archive, node: node, fields: archive.table.extent(of: node))
    }

    /// A string; NSMutableString and NSAttributedString's kin keep theirs under `NS.string`.
    var string: String? { archive.text(node) ?? object?["NS.string"].flatMap { archive.text($0.node) } }
    var integer: Int? { scalar?.integer }
    var boolean: Bool? { scalar?.boolean }
    var data: [UInt8]? { scalar?.data }

    /// The elements of an archived array or set, without those that are nil.
    var elements: [Value] {
      guard let list = object?["NS.objects"] else { return [] }
      let extent = archive.table.extent(of: list.node)
      guard archive.table.kind(of: list.node) == .array else { return [] }
      return (0..<extent.count).compactMap { archive.value(archive.table.element($0, of: extent)) }
    }

    /// The entries of an archived dictionary with string keys, in the archive's order; those of which the value is nil
    /// are left out.
    ///
    /// Models in stores have dictionaries whose keys were known beforehand: a list of values, and a mapping that has the
    /// list of keys. A key without a value has a token in its place.
    var entries: [(key: String, value: Value)] {
      guard let object else { return [] }
      if let keys = object["NS.keys"], let values = object["NS.objects"] { return archive.entries(keys, values) }
      if let keys = object["searchMapping"]?.object?["keys"]?.object?["NS.objects"],
        let values = object["values"]?.object?["NS.objects"]
      {
        let empty = object["emptyToken"]?.node
        return archive.entries(keys, values).filter { $0.value.node != empty }
      }
      return []
    }
  }

  /// An object of the archive.
  struct Object {
    fileprivate unowned(unsafe) let archive: KeyedArchive
    let node: Int
    fileprivate let fields: PropertyListTable.Extent

    /// The value of a key, with a reference followed; nil for a reference to nil.
    subscript(key: StaticString) -> Value? { archive.field(key, of: self).flatMap(archive.value) }

    var className: String? { self["$class"]?.object?.string("$classname") }

    /// Whether the key is there, even with a reference to nil.
    func has(_ key: StaticString) -> Bool { archive.field(key, of: self) != nil }

    func string(_ key: StaticString) -> String? { self[key]?.string }
    func integer(_ key: StaticString) -> Int? { self[key]?.integer }
    func flag(_ key: StaticString) -> Bool { self[key]?.boolean ?? false }
    func object(_ key: StaticString) -> Object? { self[key]?.object }
    func elements(_ key: StaticString) -> [Value] { self[key]?.elements ?? [] }
    func objects(_ key: StaticString) -> [Object] { elements(key).compactMap(\.object) }
    func entries(_ key: StaticString) -> [(key: String, value: Value)] { self[key]?.entries ?? [] }

    /// Everything that the object has, whatever its keys, in the order of the keys; without what is nil.
    var all: [(key: String, value: Value)] {
      (0..<fields.count).compactMap { position in
        guard let key = archive.text(archive.table.element(position, of: fields)),
          let value = archive.value(archive.table.element(fields.count + position, of: fields))
        else { return nil }
        return (key, value)
      }.sorted { $0.key < $1.key }
    }
  }

  private func value(_ node: Int) -> Value? {
    guard let uid = table.uid(node) else { return Value(archive: self, node: node) }
    guard uid != 0, uid < objects.count else { return nil }
    return Value(archive: self, node: table.element(uid, of: objects))
  }

  private func entries(_ keys: Value, _ values: Value) -> [(key: String, value: Value)] {
    guard table.kind(of: keys.node) == .array, table.kind(of: values.node) == .array else { return [] }
    let (keys, values) = (table.extent(of: keys.node), table.extent(of: values.node))
    return (0..<min(keys.count, values.count)).compactMap { position in
      guard let key = value(table.element(position, of: keys))?.string,
        let value = value(table.element(position, of: values))
      else { return nil }
      return (key, value)
    }
  }

  private func field(_ key: StaticString, of object: Object) -> Int? {
    let number = number(of: key)
    for position in 0..<object.fields.count {
      let node = table.element(position, of: object.fields)
      var found = keyNumbers[node]
      if found == 0 {
        found = text(node).map(self.number(of:)) ?? -1
        keyNumbers[node] = found
      }
      if found == number { return table.element(object.fields.count + position, of: object.fields) }
    }
    return nil
  }

  private func number(of key: StaticString) -> Int32 {
    let address = UInt(bitPattern: key.utf8Start)
    let place = Int((address ^ address >> 9) & 511)
    if literals[place].address == address { return literals[place].number }
    let number = number(of: "\(key)")
    literals[place] = (address, number)
    return number
  }

  private func number(of key: String) -> Int32 {
    if let number = numbers[key] { return number }
    let number = Int32(numbers.count + 1)
    numbers[key] = number
    return number
  }

  private func text(_ node: Int) -> String? {
    if let text = texts[node] { return text }
    let text = table.string(node)
    texts[node] = text
    return text
  }
}
