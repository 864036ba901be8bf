import DataModelFiles
import Foundation

/// The kind of a file or folder, recognized by its content.
public enum FileKind: Equatable, Sendable {
  case sqliteStore
  case xmlStore
  case binaryStore
  /// Tables in a server's database, named by a URL.
  case postgreSQLStore
  /// A folder of `.xcdatamodel` folders.
  case modelPackage
  /// A folder with a `contents` file.
  case model
  /// A folder of `.mom` files.
  case compiledPackage
  /// A `.mom`.
  case compiledModel
  /// A folder with an `xcmapping.xml` file.
  case mappingModel
  /// A `.cdm`.
  case compiledMappingModel

  public var isStore: Bool {
    switch self {
    case .sqliteStore, .xmlStore, .binaryStore, .postgreSQLStore: true
    case .modelPackage, .model, .compiledPackage, .compiledModel, .mappingModel, .compiledMappingModel: false
    }
  }

  public var isMappingModel: Bool { self == .mappingModel || self == .compiledMappingModel }

  /// Whether the store has its objects in tables.
  var hasTables: Bool { self == .sqliteStore || self == .postgreSQLStore }

  /// Finds the kind of a command line's argument: a file's path, or the URL of a store on a server.
  public static func find(named name: String) throws -> (kind: FileKind, url: URL) {
    guard name.hasPrefix("postgresql://") || name.hasPrefix("postgres://") else {
      return try find(at: URL(fileURLWithPath: name))
    }
    // A malformed URL may contain a password, so the error does not show it.
    guard let url = URL(string: name) else {
      throw InspectionFailure("The text after postgresql:// does not make a URL: write its special characters as %xx.")
    }
    return (.postgreSQLStore, url)
  }

  /// Finds the kind of a file or folder. For a model's `contents` or `elements`, or a mapping model's `xcmapping.xml`,
  /// it returns the folder around the file; for an `.omo`, the `.mom` beside it.
  public static func find(at url: URL) throws -> (kind: FileKind, url: URL) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw InspectionFailure("There is no file \(url.path).")
    }
    if isFolder.boolValue { return (try folder(url), url) }
    let file: FileHandle
    do { file = try RegularFile.handle(url.path) } catch RegularFile.Problem.notAFile {
      throw InspectionFailure(
        "The file \(url.path) is neither a store nor a model: it is a pipe, a socket or a device.")
    } catch {
      throw InspectionFailure("The file \(url.path) cannot be read: permission denied.")
    }
    defer { try? file.close() }
    let head = (try? file.read(upToCount: 64 * 1024)) ?? Data()
    let size = (try? file.seekToEnd()).map(Int.init) ?? head.count
    if head.isEmpty {
      throw InspectionFailure("The file \(url.path) is empty: it is neither a store nor a model.")
    }
    if head.starts(with: Array("SQLite format 3".utf8) + [0]) {
      guard size >= 512 else {
        throw InspectionFailure(
          "The file \(url.path) is truncated: it has \(counted(size, "byte")), and the first page of a SQLite "
            + "database has at least 512.")
      }
      return (.sqliteStore, url)
    }
    // A binary store is a keyed archive behind a header of its own, or without one.
    if head.starts(with: Array("CoreData".utf8) + [0]) { return (.binaryStore, url) }
    if head.starts(with: Array("bplist".utf8)) {
      // Only a store can be that large; it is not read to find out.
      if size > ModelFileContent.limit { return (.binaryStore, url) }
      let kind = try propertyList(url)
      return (kind, kind == .model ? url.deletingLastPathComponent() : url)
    }
    if head.starts(with: Array("momv2$".utf8)) { return (.compiledModel, try unoptimized(url)) }
    if let root = rootElement(head) {
      if root == "database" {
        // The editor keeps a mapping model as an XML store of its own.
        let isMapping = url.lastPathComponent == "xcmapping.xml"
        return isMapping ? (.mappingModel, url.deletingLastPathComponent()) : (.xmlStore, url)
      }
      if root == "model" { return (.model, url.deletingLastPathComponent()) }
      throw InspectionFailure(
        "The file \(url.path) is neither a store nor a model: it is XML whose first element is <\(root.cut(to: 40))>.")
    }
    if looksEncrypted(head, size: size) {
      throw InspectionFailure(
        "The file \(url.path) does not begin like a store or a model. It may be encrypted, as SQLCipher's files "
          + "are; decrypt it first.")
    }
    throw InspectionFailure("The file \(url.path) is neither a Core Data store nor a model.")
  }

  private static func folder(_ url: URL) throws -> FileKind {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: url.path) } catch {
      throw InspectionFailure("The folder \(url.path) cannot be read.")
    }
    if names.contains(where: { $0.hasSuffix(".xcdatamodel") }) { return .modelPackage }
    if names.contains("contents") || names.contains("elements") { return .model }
    if names.contains("xcmapping.xml") { return .mappingModel }
    if names.contains(where: { $0.hasSuffix(".mom") || $0.hasSuffix(".omo") }) { return .compiledPackage }
    throw InspectionFailure(
      "The folder \(url.path) is neither a store nor a model: it has no .xcdatamodel, no .mom, and no file "
        + "\"contents\" or \"xcmapping.xml\".")
  }

  /// Returns the `.mom` beside an `.omo`, its optimized form, whose layout is not known.
  private static func unoptimized(_ url: URL) throws -> URL {
    let mom = url.deletingPathExtension().appendingPathExtension("mom")
    guard FileManager.default.fileExists(atPath: mom.path) else {
      throw InspectionFailure(
        "The file \(url.path) is a compiled model in its optimized form (.omo), which cannot be read; "
          + "\(mom.lastPathComponent), which is the same model, is not beside it.")
    }
    return mom
  }

  /// Returns the kind of a keyed archive: a model, perhaps in the old editor's form, a mapping model, or a binary
  /// store.
  private static func propertyList(_ url: URL) throws -> FileKind {
    // Foundation's reader crashes on some damaged lists.
    guard let data = FileManager.default.contents(atPath: url.path),
      let plist = try? BinaryPropertyListReader.read(Array(data))
    else {
      throw InspectionFailure(
        "The file \(url.path) is truncated or damaged: its property list ends too early.")
    }
    guard let objects = plist.dictionary?["$objects"]?.array else {
      throw InspectionFailure(
        "The file \(url.path) is neither a store nor a model: it is a property list of something else.")
    }
    let classes = Set(objects.compactMap { $0.dictionary?["$classname"]?.string })
    if classes.contains("NSMappingModel") { return .compiledMappingModel }
    if classes.contains("XDPMModel") { return .model }
    if classes.contains("NSManagedObjectModel") { return .compiledModel }
    if objects.contains(where: {
      $0.string == "NSStoreModelVersionHashes" || $0.string == "NSStoreType"
    }) {
      return .binaryStore
    }
    throw InspectionFailure(
      "The file \(url.path) is neither a store nor a model: it is a keyed archive of something else.")
  }

  /// Returns the name of an XML file's first element; nil if it is no XML.
  private static func rootElement(_ head: Data) -> String? {
    var text = String(decoding: head, as: UTF8.self)[...]
    if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
    text = text.drop(while: \.isWhitespace)
    guard text.hasPrefix("<") else { return nil }
    while let start = text.firstIndex(of: "<") {
      text = text[start...].dropFirst()
      if text.hasPrefix("!--") {
        guard let end = text.firstRange(of: "-->") else { return nil }
        text = text[end.upperBound...]
      } else if text.first != "?" && text.first != "!" {
        let name = text.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
        return name.isEmpty ? nil : String(name)
      }
    }
    return nil
  }

  /// Returns whether a file looks encrypted: it has whole pages, and all bytes are about equally frequent from the
  /// start.
  private static func looksEncrypted(_ head: Data, size: Int) -> Bool {
    guard size >= 1024, size % 512 == 0 else { return false }
    var counts = [Int](repeating: 0, count: 256)
    for byte in head { counts[Int(byte)] += 1 }
    let total = Double(head.count)
    let bits = counts.filter { $0 > 0 }.reduce(0.0) { $0 - Double($1) / total * log2(Double($1) / total) }
    return bits > (head.count < 4096 ? 7.6 : 7.9)
  }
}

extension Substring {
  fileprivate func firstRange(of text: String) -> Range<Substring.Index>? { range(of: text) }
}
