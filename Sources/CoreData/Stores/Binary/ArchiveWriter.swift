internal import DataModelFiles

/// Writes a keyed archive straight into bytes. `ArchiveReader` describes its form.
///
/// Every archived object has two numbers: its UID, which is its index in the archive's table, and its number in the
/// property list.
struct ArchiveWriter {
  /// The width of a reference in the property list, 2 or 4 bytes. Two bytes are enough for 65536 objects.
  private let referenceSize: Int
  private var output = Array("bplist00".utf8)
  private var offsets = ContiguousArray<Int>()
  /// The object of the property list, by UID. UID 0 is nil.
  private var table = ContiguousArray<Int32>()
  /// The object of the property list that is the reference itself, by UID; -1 if there is none yet.
  private var references = ContiguousArray<Int32>()
  private var integers: [Int64: Int] = [:]
  private var names: [String: Int] = [:]
  private var keys: [String: Int32] = [:]
  private var classes: [String: Int] = [:]
  private var null: Int?

  /// The content of a field of an archived object: a reference, or an object of the property list itself.
  enum Field {
    case uid(Int)
    case inline(Int32)
  }

  init(referenceSize: Int) {
    self.referenceSize = referenceSize
    _ = entry(emit { $0.appendText("$null") })
  }

  /// Whether there are too many objects for references of this size. If so, the archive is useless.
  var isOverflowing: Bool { referenceSize < 4 && offsets.count + 8 > 1 << (8 * referenceSize) }

  // Objects of the property list.

  private mutating func emit(_ body: (inout [UInt8]) -> Void) -> Int32 {
    offsets.append(output.count)
    body(&output)
    return Int32(offsets.count - 1)
  }

  private mutating func entry(_ object: Int32) -> Int {
    table.append(object)
    references.append(-1)
    return table.count - 1
  }

  private mutating func reference(_ uid: Int) -> Int32 {
    if references[uid] >= 0 { return references[uid] }
    let made = emit { $0.appendReference(uid) }
    references[uid] = made
    return made
  }

  private mutating func key(_ name: String) -> Int32 {
    if let known = keys[name] { return known }
    let made = emit { $0.appendText(name) }
    keys[name] = made
    return made
  }

  private mutating func container(_ kind: UInt8, count: Int, objects: [Int32]) -> Int32 {
    let width = referenceSize
    return emit { output in
      output.appendKind(kind, count: count)
      for object in objects { output.appendBig(UInt64(object), width: width) }
    }
  }

  private mutating func list(_ uids: [Int]) -> Int32 {
    let objects = uids.map { reference($0) }
    return container(0xA, count: objects.count, objects: objects)
  }

  // Archived values. Each returns its UID.

  /// Equal integers share a UID.
  mutating func integer(_ value: Int64) -> Int {
    if let known = integers[value] { return known }
    let made = entry(emit { $0.appendInteger(value) })
    integers[value] = made
    return made
  }

  mutating func boolean(_ value: Bool) -> Int { entry(emit { $0.append(value ? 9 : 8) }) }

  mutating func real(_ value: Double) -> Int { entry(inlineReal(value)) }

  mutating func float(_ value: Float) -> Int {
    entry(
      emit { output in
        output.append(0x22)
        output.appendBig(UInt64(value.bitPattern), width: 4)
      })
  }

  mutating func text(_ utf8: UnsafeRawBufferPointer) -> Int { entry(emit { $0.appendText(utf8) }) }

  /// A text that occurs often. Equal names share a UID.
  mutating func name(_ text: String) -> Int {
    if let known = names[text] { return known }
    let made = entry(emit { $0.appendText(text) })
    names[text] = made
    return made
  }

  mutating func data(_ bytes: UnsafeRawBufferPointer) -> Int { entry(inlineData(bytes)) }

  mutating func nullObject() -> Int {
    if let null { return null }
    let made = object(["NSNull", "NSObject"], [])
    null = made
    return made
  }

  mutating func array(_ elements: [Int], isMutable: Bool = false) -> Int {
    let classes = isMutable ? ["NSMutableArray", "NSArray", "NSObject"] : ["NSArray", "NSObject"]
    let elements = list(elements)
    return object(classes, [("NS.objects", .inline(elements))])
  }

  mutating func dictionary(_ keys: [Int], _ values: [Int], isMutable: Bool = true) -> Int {
    let classes = isMutable ? ["NSMutableDictionary", "NSDictionary", "NSObject"] : ["NSDictionary", "NSObject"]
    let (keys, values) = (list(keys), list(values))
    return object(classes, [("NS.keys", .inline(keys)), ("NS.objects", .inline(values))])
  }

  /// - Parameter classes: the class and its ancestors, the class first.
  mutating func object(_ classes: [String], _ fields: [(key: String, value: Field)]) -> Int {
    let type = reference(uid(ofClass: classes))
    var objects = [key("$class")] + fields.map { key($0.key) }
    objects.append(type)
    for field in fields {
      switch field.value {
      case .uid(let uid): objects.append(reference(uid))
      case .inline(let object): objects.append(object)
      }
    }
    return entry(container(0xD, count: fields.count + 1, objects: objects))
  }

  private mutating func uid(ofClass names: [String]) -> Int {
    if let known = classes[names[0]] { return known }
    let parts = names.map { key($0) }
    let list = container(0xA, count: parts.count, objects: parts)
    let fields = [key("$classname"), key("$classes"), parts[0], list]
    let made = entry(container(0xD, count: 2, objects: fields))
    classes[names[0]] = made
    return made
  }

  // Values that are in an object's field themselves.

  mutating func inlineInteger(_ value: Int64) -> Int32 { emit { $0.appendInteger(value) } }
  mutating func inlineBoolean(_ value: Bool) -> Int32 { emit { $0.append(value ? 9 : 8) } }

  mutating func inlineReal(_ value: Double) -> Int32 { emit { $0.appendReal(value) } }

  mutating func inlineData(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    emit { output in
      output.appendKind(4, count: bytes.count)
      output.append(contentsOf: bytes)
    }
  }

  // The end.

  /// The whole archive, with `root` under a name.
  consuming func finish(_ name: String, root: Int) -> [UInt8] {
    let top = container(0xD, count: 1, objects: [key(name), reference(root)])
    let objects = container(0xA, count: table.count, objects: Array(table))
    let version = inlineInteger(100_000)
    let archiver = emit { $0.appendText("NSKeyedArchiver") }
    let fields = [
      key("$version"), key("$archiver"), key("$top"), key("$objects"), version, archiver, top, objects,
    ]
    let archive = container(0xD, count: 4, objects: fields)
    let offsetSize = output.count < 1 << 16 ? 2 : output.count < 1 << 32 ? 4 : 8
    output.appendTable(offsets, offsetSize: offsetSize, referenceSize: referenceSize, top: Int(archive))
    return output
  }
}
