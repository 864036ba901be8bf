/// An archive of NSKeyedArchiver: a table of objects that refer to each other by index (UID). Index 0 is nil. An
/// object of a class is a dictionary whose `$class` refers to `{$classname, $classes}`.
///
/// `NSKeyedUnarchiver` overflows the stack on graphs with cycles, and every compiled model has some
/// (relationship → destination → relationship). Here objects stay in their table, and a field is decoded only when
/// you ask for it.
final class KeyedArchive {
  private let table: PropertyListTable
  /// The references to the archive's objects, by UID.
  private let objects: PropertyListTable.Extent
  private let rootNode: Int
  // Unchecked or inlined by force, as the count of `open` asks for; see CONTRIBUTING.md.
  /// How many more list elements and fields the archive returns. A sound archive's lists are read a few times each. In
  /// a hostile one, thousands of objects can share long lists, which would keep a reader busy for days.
  @exclusivity(unchecked) private var budget: Int
  /// How many more bytes of long texts and data the archive returns. Thousands of objects can share one of a megabyte.
  @exclusivity(unchecked) private var longBytes: Int
  /// Longer than any name.
  private static let longSize = 1000

  /// Whether the budget is spent, so that some contents were returned empty.
  var isExhausted: Bool { budget < 0 }

  // One reader on one thread uses the properties below. Checks for exclusive access, ten thousand for a model, took a
  // third of the time that reading it takes.

  /// Texts that are already decoded, by node.
  @exclusivity(unchecked) private var texts: [String?]

  // Keys are compared by number. `keyNumbers` has the numbers of the archive's keys, by node, 0 until the first use.
  // `literals` has the numbers of the keys in our code, in places that come from the literals' addresses.
  @exclusivity(unchecked) private var keyNumbers: [Int32]
  @exclusivity(unchecked) private var numbers: [String: Int32] = [:]
  @exclusivity(unchecked) private var literals = [Literal](repeating: Literal(), count: 2048)

  /// The object that was last asked for a key that it did not have in the usual place, and a bit for each of its keys'
  /// numbers, which are counted up to 64 and from the beginning again.
  @exclusivity(unchecked) private var known: (node: Int, keys: UInt64) = (-1, 0)

  private struct Literal {
    var address: UInt = 0
    var number: Int32 = 0
    /// The key's position in the object that was read last. Other objects of the class have it at the same position.
    var position: Int32 = 0
  }

  init(_ bytes: [UInt8]) throws {
    table = try bytes.withUnsafeBytes(PropertyListTable.init)
    guard let objects = Self.value("$objects", in: table.top, of: table), table.kind(of: objects) == .array,
      let archiver = Self.value("$archiver", in: table.top, of: table), table.isText(archiver, "NSKeyedArchiver"),
      let top = Self.value("$top", in: table.top, of: table), let root = Self.value("root", in: top, of: table)
    else { throw PropertyListError(description: "the file is not a keyed archive") }
    self.objects = table.extent(of: objects)
    rootNode = root
    budget = 50 * table.nodeCount + 100_000
    longBytes = 16 * bytes.count + 1 << 20
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

  // Values and objects don't retain the archive: the reader owns it and outlives them. Counting references for each of
  // a model's ten thousand fields took a seventh of the time that opening a store takes.

  /// A value of the archive. If a field holds a reference, this is the reference's target.
  struct Value {
    fileprivate let archive: Unmanaged<KeyedArchive>
    /// Its place in the archive, which is its identity.
    let node: Int

    /// The value if it contains no others; nil for objects and arrays.
    var scalar: PropertyList? { archive._withUnsafeGuaranteedRef { $0.scalar(node) } }

    var object: Object? { archive._withUnsafeGuaranteedRef { $0.object(node) } }

    /// A string; NSMutableString and NSAttributedString's kin keep theirs under `NS.string`.
    var string: String? { text ?? object?["NS.string"]?.text }
    private var text: String? { archive._withUnsafeGuaranteedRef { $0.text(node) } }
    var integer: Int? { scalar?.integer }
    var boolean: Bool? { scalar?.boolean }
    var data: [UInt8]? { scalar?.data }

    /// The elements of an archived array or set, without those that are nil.
    var elements: [Value] {
      guard let list = object?["NS.objects"] else { return [] }
      return archive._withUnsafeGuaranteedRef { $0.elements(list) }
    }

    /// The entries of an archived dictionary with string keys, in the archive's order, without those whose value is
    /// nil.
    ///
    /// Models in stores have another kind of dictionary, too, with a fixed set of keys: a mapping has the list of keys,
    /// and beside it stands the list of values. A key without a value has a token in the second list.
    var entries: [(key: String, value: Value)] {
      guard let object else { return [] }
      if let keys = object["NS.keys"], let values = object["NS.objects"] { return pairs(keys, values) }
      if let keys = object["searchMapping"]?.object?["keys"]?.object?["NS.objects"],
        let values = object["values"]?.object?["NS.objects"]
      {
        let empty = object["emptyToken"]?.node
        return pairs(keys, values).filter { $0.value.node != empty }
      }
      return []
    }

    private func pairs(_ keys: Value, _ values: Value) -> [(key: String, value: Value)] {
      archive._withUnsafeGuaranteedRef { $0.entries(keys, values) }
    }
  }

  /// An object of the archive.
  struct Object {
    fileprivate let archive: Unmanaged<KeyedArchive>
    let node: Int
    fileprivate let fields: PropertyListTable.Extent

    /// The value of a key, or the target if it is a reference; nil if the key is missing or its reference leads to nil.
    subscript(key: StaticString) -> Value? { archive._withUnsafeGuaranteedRef { $0.value(of: key, in: self) } }

    var className: String? { self["$class"]?.object?.string("$classname") }

    /// Whether the key is there, even with a reference to nil.
    func has(_ key: StaticString) -> Bool { archive._withUnsafeGuaranteedRef { $0.field(key, of: self) != nil } }

    func string(_ key: StaticString) -> String? { self[key]?.string }
    func integer(_ key: StaticString) -> Int? { self[key]?.integer }
    func flag(_ key: StaticString) -> Bool { self[key]?.boolean ?? false }
    func object(_ key: StaticString) -> Object? { self[key]?.object }
    func elements(_ key: StaticString) -> [Value] { self[key]?.elements ?? [] }
    func objects(_ key: StaticString) -> [Object] { elements(key).compactMap(\.object) }
    func entries(_ key: StaticString) -> [(key: String, value: Value)] { self[key]?.entries ?? [] }

    /// All fields of the object, sorted by key, without those that are nil.
    var all: [(key: String, value: Value)] { archive._withUnsafeGuaranteedRef { $0.all(self) } }
  }

  private func value(_ node: Int) -> Value? {
    guard let uid = table.uid(node) else { return Value(archive: .passUnretained(self), node: node) }
    guard uid != 0, uid < objects.count else { return nil }
    return Value(archive: .passUnretained(self), node: table.element(uid, of: objects))
  }

  private func object(_ node: Int) -> Object? {
    guard table.kind(of: node) == .dictionary else { return nil }
    return Object(archive: .passUnretained(self), node: node, fields: table.extent(of: node))
  }

  private func value(of key: StaticString, in object: Object) -> Value? {
    guard let node = field(key, of: object) else { return nil }
    return value(node)
  }

  private func spend(_ count: Int) -> Bool {
    budget -= count
    return budget >= 0
  }

  private func elements(_ list: Value) -> [Value] {
    let extent = table.extent(of: list.node)
    guard table.kind(of: list.node) == .array, spend(extent.count) else { return [] }
    return (0..<extent.count).compactMap { value(table.element($0, of: extent)) }
  }

  private func all(_ object: Object) -> [(key: String, value: Value)] {
    let fields = object.fields
    guard spend(fields.count) else { return [] }
    let found = (0..<fields.count).compactMap { position -> (key: String, value: Value)? in
      guard let key = text(table.element(position, of: fields)),
        let value = value(table.element(fields.count + position, of: fields))
      else { return nil }
      return (key, value)
    }
    return found.sorted { $0.key < $1.key }
  }

  private func entries(_ keys: Value, _ values: Value) -> [(key: String, value: Value)] {
    guard table.kind(of: keys.node) == .array, table.kind(of: values.node) == .array else { return [] }
    let (keys, values) = (table.extent(of: keys.node), table.extent(of: values.node))
    guard spend(keys.count) else { return [] }
    return (0..<min(keys.count, values.count)).compactMap { position in
      guard let key = value(table.element(position, of: keys))?.string,
        let value = value(table.element(position, of: values))
      else { return nil }
      return (key, value)
    }
  }

  private func field(_ key: StaticString, of object: Object) -> Int? {
    let place = literal(key)
    let literal = literals[place]
    let count = object.fields.count
    let usual = Int(literal.position)
    if usual < count, number(ofKey: table.element(usual, of: object.fields)) == literal.number {
      return table.element(count + usual, of: object.fields)
    }
    if !mayHave(literal.number, object) { return nil }
    for position in 0..<count where number(ofKey: table.element(position, of: object.fields)) == literal.number {
      literals[place].position = Int32(truncatingIfNeeded: position)
      return table.element(count + position, of: object.fields)
    }
    return nil
  }

  /// Whether an object may have a key. Readers ask an object for many keys that it lacks, one after the other.
  @inline(__always)
  private func mayHave(_ number: Int32, _ object: Object) -> Bool {
    if known.node != object.node { noteKeys(of: object) }
    return known.keys & (1 << UInt64(number & 63)) != 0
  }

  @inline(never)
  private func noteKeys(of object: Object) {
    var keys: UInt64 = 0
    for position in 0..<object.fields.count {
      keys |= 1 << UInt64(number(ofKey: table.element(position, of: object.fields)) & 63)
    }
    known = (object.node, keys)
  }

  /// The place of a key in `literals`. A key without a place gets one here, with its number.
  @inline(__always)
  private func literal(_ key: StaticString) -> Int {
    let address = UInt(bitPattern: key.utf8Start)
    // Two literals in one place would take it from each other again and again.
    let place = Int(truncatingIfNeeded: (UInt64(address) &* 0x9E37_79B9_7F4A_7C15) >> 53)
    if literals[place].address != address {
      literals[place] = Literal(address: address, number: number(of: "\(key)"))
    }
    return place
  }

  @inline(__always)
  private func number(ofKey node: Int) -> Int32 {
    let number = keyNumbers[node]
    return number == 0 ? numbered(node) : number
  }

  @inline(never)
  private func numbered(_ node: Int) -> Int32 {
    let number = text(node).map(number(of:)) ?? -1
    keyNumbers[node] = number
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
    // What is long is not kept, so that it is spent each time.
    if let size = table.size(of: node), size > KeyedArchive.longSize {
      return spendLong(size) ? table.string(node) : nil
    }
    let text = table.string(node)
    texts[node] = text
    return text
  }

  private func scalar(_ node: Int) -> PropertyList? {
    if let size = table.size(of: node), size > KeyedArchive.longSize, !spendLong(size) { return nil }
    return table.scalar(node)
  }

  /// Returns false if there is no room left for a text or data of so many bytes.
  private func spendLong(_ size: Int) -> Bool {
    longBytes -= size
    if longBytes >= 0 { return true }
    budget = -1
    return false
  }
}
