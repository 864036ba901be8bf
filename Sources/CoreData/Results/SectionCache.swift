internal import DataModelFiles

/// Section names and counts of fetched results, kept in files under the name of a cache.
///
/// There is a file for each store: `<caches>/<program>/.CoreDataCaches/SectionInfoCaches/<name>/<store's UUID>`. If it
/// can't be read, or doesn't fit, sections are computed.
///
/// Any thread.
struct SectionCache {
  /// The request and the state that the sections belong to.
  struct Definition: Equatable {
    /// The client's request: entity, predicate, order, section key path.
    var request: [String]
    /// The version of the entity.
    var entityVersion: Data
  }

  struct Entry {
    var definition: Definition
    /// The state of the store's file.
    var stamp: String
    var sections: [(name: String, count: Int)]
  }

  /// For tests: the folder to use instead of the user's caches, and how old a store's last write has to be.
  @TaskLocal static var place: (folder: URL, age: Int)?

  let file: URL

  init?(_ name: String, _ store: NSPersistentStore) {
    guard let folder = SectionCache.folder(of: name) else { return nil }
    file = folder.appendingPathComponent(store.identifier)
  }

  private static var root: URL? {
    if let place { return place.folder }
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
    let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return caches?.appendingPathComponent(program).appendingPathComponent(".CoreDataCaches/SectionInfoCaches")
  }

  private static func folder(of name: String) -> URL? {
    // Every name becomes one valid file name, even ".." and "a/b", and none is too long.
    let text = name.utf8.reduce(into: "") { text, byte in
      let isPlain =
        byte == UInt8(ascii: "_") || byte < 0x80 && Character(UnicodeScalar(byte)).isLetter
        || byte < 0x80 && Character(UnicodeScalar(byte)).isNumber
      text += isPlain ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16)
    }
    if text.isEmpty || text.utf8.count > 200 { return nil }
    return root?.appendingPathComponent(text)
  }

  /// Removes the sections with a name, or all.
  static func remove(_ name: String?) {
    guard let folder = name == nil ? root : folder(of: name!) else { return }
    // A folder for each name, and in it a file for each store.
    OwnFolder.remove(folder, depth: name == nil ? 1 : 0)
  }

  func read() -> Entry? {
    guard let data = try? Data(contentsOf: file),
      let list = (try? PropertyListReader.read(Array(data)).dictionary)?.mapValues(\.foundationValue),
      list["format"] as? Int == 1, let request = list["request"] as? [String],
      let version = list["entityVersion"] as? Data, let stamp = list["stamp"] as? String,
      let names = list["names"] as? [String], let counts = list["counts"] as? [Int],
      names.count == counts.count, counts.allSatisfy({ $0 > 0 }), Set(names).count == names.count
    else { return nil }
    return Entry(
      definition: Definition(request: request, entityVersion: version), stamp: stamp,
      sections: zip(names, counts).map { (name: $0, count: $1) })
  }

  /// Does nothing if the file can't be written.
  func write(_ entry: Entry) {
    let list: [String: Any] = [
      "format": 1, "request": entry.definition.request, "entityVersion": entry.definition.entityVersion,
      "stamp": entry.stamp, "names": entry.sections.map(\.name), "counts": entry.sections.map(\.count),
    ]
    guard let data = try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    else { return }
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? data.write(to: file, options: .atomic)
  }
}
