/// The form of NSKeyedArchiver: a table of objects that refer to each other by index (UID), index 0 being
/// nil. An object of a class is a dictionary whose `$class` refers to `{$classname, $classes}`.
///
/// `NSKeyedUnarchiver` overflows the stack on graphs with cycles, and every compiled model is one
/// (relationship → destination → relationship); here objects stay in their table.
struct KeyedArchive {
  let objects: [PropertyList]
  let root: PropertyList

  init(_ bytes: [UInt8]) throws {
    guard case .dictionary(let archive) = try BinaryPropertyListReader.read(bytes),
      archive["$archiver"]?.string == "NSKeyedArchiver", let objects = archive["$objects"]?.array,
      let root = archive["$top"]?.dictionary?["root"]
    else { throw PropertyListError(description: "the file is not a keyed archive") }
    self.objects = objects
    self.root = root
  }

  /// An object of the archive: its place in the table is its identity.
  struct Object {
    let archive: KeyedArchive
    let index: Int?
    let fields: [String: PropertyList]

    var className: String? {
      guard let uid = fields["$class"]?.uid, archive.objects.indices.contains(uid) else { return nil }
      return archive.objects[uid].dictionary?["$classname"]?.string
    }

    /// The value of a key, with a reference followed; nil for a reference to nil.
    subscript(key: String) -> PropertyList? { fields[key].flatMap(archive.resolve) }

    func string(_ key: String) -> String? { archive.string(fields[key]) }
    func integer(_ key: String) -> Int? { self[key]?.integer }
    func flag(_ key: String) -> Bool { self[key]?.boolean ?? false }
    func object(_ key: String) -> Object? { fields[key].flatMap(archive.object) }

    /// The elements of an archived array or set, not followed.
    func elements(_ key: String) -> [PropertyList] { object(key)?.fields["NS.objects"]?.array ?? [] }
    func objects(_ key: String) -> [Object] { elements(key).compactMap(archive.object) }

    /// The entries of an archived dictionary with string keys, in the archive's order.
    func entries(_ key: String) -> [(key: String, value: PropertyList)] {
      guard let dictionary = object(key) else { return [] }
      if let keys = dictionary.fields["NS.keys"]?.array, let values = dictionary.fields["NS.objects"]?.array {
        return zip(keys, values).compactMap { key, value in archive.string(key).map { ($0, value) } }
      }
      return dictionary.knownKeyEntries
    }

    /// The entries of a dictionary whose keys were known beforehand: a list of keys, shared, and one of values
    /// beside it. A key without a value has a token in its place. Models in stores have such dictionaries.
    private var knownKeyEntries: [(key: String, value: PropertyList)] {
      let keys = object("searchMapping")?.elements("keys") ?? []
      let empty = fields["emptyToken"]?.uid
      return zip(keys, elements("values")).compactMap { key, value in
        if let empty, value.uid == empty { return nil }
        return archive.string(key).map { ($0, value) }
      }
    }
  }

  func resolve(_ value: PropertyList) -> PropertyList? {
    guard case .uid(let index) = value else { return value }
    guard index != 0, objects.indices.contains(index) else { return nil }
    return objects[index]
  }

  func object(_ value: PropertyList) -> Object? {
    guard case .dictionary(let fields)? = resolve(value) else { return nil }
    return Object(archive: self, index: value.uid, fields: fields)
  }

  /// A string; NSMutableString and NSAttributedString's kin keep theirs under `NS.string`.
  func string(_ value: PropertyList?) -> String? {
    guard let resolved = value.flatMap(resolve) else { return nil }
    if case .string(let string) = resolved { return string }
    return resolved.dictionary?["NS.string"].flatMap { resolve($0)?.string }
  }
}
