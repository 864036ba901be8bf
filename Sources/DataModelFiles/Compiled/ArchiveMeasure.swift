import Foundation

/// A check of a keyed archive before Foundation unarchives it, with the names of the classes in it.
///
/// `NSKeyedUnarchiver` recurses along references until the stack ends: an archive whose objects form a circle, or
/// nest a few thousand deep, crashes the program. Before you unarchive the content of a file, create an
/// `ArchiveMeasure` of it, and unarchive its ``bytes`` only if that throws no error.
///
/// The check looks up no class.
public struct ArchiveMeasure: Sendable {
  /// The archive as a binary property list.
  public let bytes: [UInt8]
  /// The names of the classes of the archive's objects.
  public let classNames: Set<String>
  /// A copy of the archive with further roots; nil if it needs none. Before you unarchive ``bytes``, see that each of
  /// these roots, in this order, can be unarchived.
  ///
  /// They are the keys and values of dictionaries that are objects of other than Foundation's plain classes, the
  /// innermost first. If such a class refuses to make its object, Foundation's dictionary reads invalid memory.
  public let trial: (bytes: [UInt8], roots: [String])?

  /// How deep objects may nest. Foundation uses up to 1300 bytes of stack for each level, and a thread has 8 MiB.
  public static let maximumDepth = 1000
  /// How deep sets, and dictionaries with objects of a class as keys, may nest. Foundation computes each one's hash
  /// twice, so each level doubles the number of times that it computes the hashes in the innermost one.
  public static let maximumSetDepth = 16
  /// How many values an archive may have if a value counts once for each reference to it.
  public static let maximumSize = 10_000_000.0

  /// - Throws: `PropertyListError` if the content is not a keyed archive, is damaged, contains a circle or exceeds a
  ///   limit. Its description is a sentence without a full stop.
  public init(_ content: [UInt8]) throws {
    if content.starts(with: "bplist".utf8) {
      bytes = content
    } else if let list = try? PropertyListReader.read(content) {
      bytes = BinaryPropertyListWriter.write(list)
    } else {
      throw ArchiveMeasure.problem("the data is not a keyed archive")
    }
    var walk = try Walk(bytes)
    classNames = try walk.run()
    trial = walk.mayRefuse.isEmpty ? nil : try ArchiveMeasure.archive(bytes, withRoots: walk.mayRefuse)
  }

  private static func archive(
    _ bytes: [UInt8], withRoots places: [Int]
  ) throws -> (bytes: [UInt8], roots: [String]) {
    var archive = try PropertyListReader.read(bytes).dictionary ?? [:]
    var top = archive["$top"]?.dictionary ?? [:]
    let roots = places.map { "element \($0)" }
    for (root, place) in zip(roots, places) { top[root] = .uid(place) }
    archive["$top"] = .dictionary(top)
    return (BinaryPropertyListWriter.write(.dictionary(archive)), roots)
  }

  fileprivate static func problem(_ what: String) -> PropertyListError { PropertyListError(description: what) }
}

/// A depth-first walk through an archive, without recursion.
private struct Walk {
  private enum State: UInt8 { case new, open, done }
  private struct Visit {
    let node: Int
    let children: [Int]
    var next = 0
    var size = 1.0
    var depth = 0
    var setDepth = 0
    var holdsLists = false
  }

  private let table: PropertyListTable
  private let objects: PropertyListTable.Extent
  private let all: Int
  private var states: [State]
  private var sizes: [Double]
  private var depths: [Int]
  /// Whether an object is in `mayRefuse`, by node.
  private var isTried: [Bool]
  /// How deep hashed containers nest in each node, by node.
  private var setDepths: [Int]
  /// Whether a node is an array or a dictionary of Foundation's, or has one in it, by node.
  private var holdLists: [Bool]
  /// The references to keys and values of dictionaries whose classes may refuse to make them, the innermost first.
  private(set) var mayRefuse: [Int] = []

  init(_ bytes: [UInt8]) throws {
    table = try bytes.withUnsafeBytes(PropertyListTable.init)
    guard let archiver = Walk.value("$archiver", in: table.top, of: table), table.isText(archiver, "NSKeyedArchiver"),
      let objects = Walk.value("$objects", in: table.top, of: table), table.kind(of: objects) == .array,
      let top = Walk.value("$top", in: table.top, of: table), table.kind(of: top) == .dictionary,
      let root = Walk.value("root", in: top, of: table), table.uid(root) != nil
    else { throw ArchiveMeasure.problem("the data is not a keyed archive") }
    self.objects = table.extent(of: objects)
    all = objects
    states = Array(repeating: .new, count: table.nodeCount)
    sizes = Array(repeating: 0, count: table.nodeCount)
    depths = Array(repeating: 0, count: table.nodeCount)
    isTried = Array(repeating: false, count: table.nodeCount)
    setDepths = Array(repeating: 0, count: table.nodeCount)
    holdLists = Array(repeating: false, count: table.nodeCount)
  }

  /// Walks through the whole archive and returns the class names of its objects.
  mutating func run() throws -> Set<String> {
    var names: Set<String> = []
    var classes: Set<Int> = []
    var stack = [try visit(table.top, &classes)]
    while var visit = stack.popLast() {
      if visit.next == visit.children.count {
        sizes[visit.node] = visit.size
        depths[visit.node] = visit.depth + (isObject(visit.node) ? 1 : 0)
        setDepths[visit.node] = visit.setDepth + (isHashed(visit.node) ? 1 : 0)
        holdLists[visit.node] = visit.holdsLists || isList(visit.node)
        states[visit.node] = .done
        try noteElements(of: visit.node)
        // The list of all objects counts contained objects a second time, so the limit does not apply to it.
        guard visit.size <= ArchiveMeasure.maximumSize || visit.node == all || visit.node == table.top else {
          throw ArchiveMeasure.problem(
            "the archive has more than \(Int(ArchiveMeasure.maximumSize)) values, each "
              + "counted as often as something refers to it")
        }
        guard depths[visit.node] <= ArchiveMeasure.maximumDepth else {
          throw ArchiveMeasure.problem("its objects are nested more than \(ArchiveMeasure.maximumDepth) deep")
        }
        guard setDepths[visit.node] <= ArchiveMeasure.maximumSetDepth else {
          throw ArchiveMeasure.problem("its sets are nested more than \(ArchiveMeasure.maximumSetDepth) deep")
        }
        if var parent = stack.popLast() {
          parent.size += sizes[visit.node]
          parent.depth = max(parent.depth, depths[visit.node])
          parent.setDepth = max(parent.setDepth, setDepths[visit.node])
          parent.holdsLists = parent.holdsLists || holdLists[visit.node]
          stack.append(parent)
        }
        continue
      }
      let child = visit.children[visit.next]
      visit.next += 1
      switch states[child] {
      case .open: throw ArchiveMeasure.problem("its objects contain each other in a circle")
      case .done:
        visit.size += sizes[child]
        visit.depth = max(visit.depth, depths[child])
        visit.setDepth = max(visit.setDepth, setDepths[child])
        visit.holdsLists = visit.holdsLists || holdLists[child]
        stack.append(visit)
      case .new:
        stack.append(visit)
        // `depths` counts objects only. Lists and dictionaries without a class can nest between them, and a recursive
        // reader needs stack for these, too.
        guard stack.count <= 4 * ArchiveMeasure.maximumDepth else {
          throw ArchiveMeasure.problem("its objects are nested more than \(ArchiveMeasure.maximumDepth) deep")
        }
        stack.append(try self.visit(child, &classes))
      }
    }
    for node in classes { names.insert(try className(node)) }
    return names
  }

  private mutating func visit(_ node: Int, _ classes: inout Set<Int>) throws -> Visit {
    states[node] = .open
    var children: [Int] = []
    switch table.kind(of: node) {
    case .constant, .integer, .real, .date, .data, .ascii, .utf16, .utf8, .uid: break
    case .orderedSet, .set:
      // Archivers write a set as an object of a class. Foundation can't convert a bare one to a Swift value, and reads
      // invalid memory when it tries.
      throw ArchiveMeasure.problem("it holds a set that is no object, which no archiver writes")
    case .array:
      let extent = table.extent(of: node)
      children.reserveCapacity(extent.count)
      for position in 0..<extent.count {
        let stored = table.element(position, of: extent)
        let value = try resolved(stored)
        if table.uid(stored) != nil { try checkObject(value) }
        children.append(value)
      }
    case .dictionary:
      let extent = table.extent(of: node)
      try checkKeys(extent)
      for position in 0..<extent.count {
        let stored = table.element(extent.count + position, of: extent)
        try checkField(table.element(position, of: extent), stored)
        let value = try resolved(stored)
        if table.isText(table.element(position, of: extent), "$class") {
          // Foundation would return the dictionary itself as a value. Its references mean nothing to a program, and
          // can't be archived again.
          guard table.uid(stored) != nil else { throw ArchiveMeasure.problem("an object's class is not a reference") }
          classes.insert(value)
        } else {
          if table.uid(stored) != nil { try checkObject(value) }
          children.append(value)
        }
      }
      try checkPairs(node)
      try checkClass(node)
    }
    return Visit(node: node, children: children)
  }

  /// Checks that a dictionary has each key only once, in whatever encoding. Otherwise Foundation might read another
  /// value than the one checked here.
  private func checkKeys(_ extent: PropertyListTable.Extent) throws {
    if extent.count < 2 { return }
    var names: Set<String> = []
    for position in 0..<extent.count {
      guard let name = table.string(table.element(position, of: extent)), names.insert(name).inserted else {
        throw ArchiveMeasure.problem("a dictionary has a key twice")
      }
    }
  }

  /// Checks the type of a field that Foundation's classes use unchecked.
  private func checkField(_ key: Int, _ value: Int) throws {
    if table.isText(key, "NS.objects") || table.isText(key, "NS.keys") {
      guard table.kind(of: value) == .array else {
        throw ArchiveMeasure.problem("a container's elements are not a list")
      }
      let extent = table.extent(of: value)
      for position in 0..<extent.count {
        let element = table.element(position, of: extent)
        try checkElement(element)
      }
    } else if let name = table.string(key), name.hasPrefix("NS.object.") {
      try checkElement(value)
    } else if table.isText(key, "NS.base") || table.isText(key, "NS.relative") {
      guard table.uid(value) != nil else { throw ArchiveMeasure.problem("a part of a URL is not a reference") }
    } else if table.isText(key, "NS.uuidbytes") {
      guard table.kind(of: value) == .data, table.extent(of: value).count == 16 else {
        throw ArchiveMeasure.problem("a UUID does not have 16 bytes")
      }
    } else if table.isText(key, "NS.time") {
      guard [.real, .integer, .date].contains(table.kind(of: value)) else {
        throw ArchiveMeasure.problem("the time of a date is not a number")
      }
      // Printing such a date crashes in Foundation's calendar.
      guard table.isFinite(value) else {
        throw ArchiveMeasure.problem("the time of a date is infinite, or not a number")
      }
    } else if table.isText(key, "NS.string") {
      guard table.string(value) != nil || table.uid(value) != nil else {
        throw ArchiveMeasure.problem("the text of a string is not text")
      }
    }
  }

  /// Checks that a container's element is a reference to an object, and not nil: archivers write NSNull for that.
  private func checkElement(_ element: Int) throws {
    guard let index = table.uid(element) else {
      throw ArchiveMeasure.problem("a container's element is not a reference")
    }
    let object = try resolved(element)
    guard index > 0, !table.isText(object, "$null") else {
      throw ArchiveMeasure.problem("a container's element is nil")
    }
    try checkObject(object)
  }

  /// The plain classes of Foundation, which make their objects if `checkClass` has found their fields.
  private static let plainClasses: Set<String> = [
    "NSArray", "NSData", "NSDate", "NSDictionary", "NSMutableArray", "NSMutableData", "NSMutableDictionary",
    "NSMutableSet", "NSMutableString", "NSNull", "NSSet", "NSString", "NSURL", "NSUUID",
  ]

  /// Notes those keys and values of a dictionary whose classes may refuse to make them, and checks its keys.
  private mutating func noteElements(of node: Int) throws {
    guard let keys = Walk.value("NS.keys", in: node, of: table),
      let values = Walk.value("NS.objects", in: node, of: table)
    else { return }
    // Equal lists may be one node.
    for (list, areKeys) in [(keys, true), (values, false)] {
      let extent = table.extent(of: list)
      for position in 0..<extent.count {
        let element = table.element(position, of: extent)
        let object = try resolved(element)
        guard let place = table.uid(element), let name = try nameOfClass(of: object) else { continue }
        // Foundation ends the program when it looks for such a key, as it does to print the dictionary.
        if areKeys, name.hasSuffix("Set"), holdLists[object] {
          throw ArchiveMeasure.problem("a key of a dictionary is a set with a list in it")
        }
        if isTried[object] || Walk.plainClasses.contains(name) { continue }
        isTried[object] = true
        mayRefuse.append(place)
      }
    }
  }

  private func nameOfClass(of node: Int) throws -> String? {
    guard let type = Walk.value("$class", in: node, of: table),
      let found = Walk.value("$classname", in: try resolved(type), of: table)
    else { return nil }
    return table.string(found)
  }

  /// Checks that an object has the fields that its Foundation class reads without looking whether they exist.
  private func checkClass(_ node: Int) throws {
    guard let name = try nameOfClass(of: node) else { return }
    func field(_ key: StaticString) throws -> Int {
      guard let value = Walk.value(key, in: node, of: table) else {
        throw ArchiveMeasure.problem("an object of \(name) has no \(key)")
      }
      return try resolved(value)
    }
    switch name {
    case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet": _ = try field("NS.objects")
    case "NSDictionary", "NSMutableDictionary":
      _ = try field("NS.keys")
      _ = try field("NS.objects")
    case "NSDate": _ = try field("NS.time")
    case "NSUUID": _ = try field("NS.uuidbytes")
    case "NSURL":
      // Foundation takes this text for nil, which it refuses.
      guard let text = table.string(try field("NS.relative")), text != "$null", NSURL(string: text) != nil,
        // It is stricter, and Foundation takes for granted that an `NSURL` can become one.
        URL(string: text) != nil
      else {
        throw ArchiveMeasure.problem("the text of a URL is not text")
      }
      let base = try field("NS.base")
      guard table.isText(base, "$null") || isObject(base) else {
        throw ArchiveMeasure.problem("the base of a URL is not a URL")
      }
      if !table.isText(base, "$null"), Walk.value("NS.relative", in: base, of: table) == nil {
        throw ArchiveMeasure.problem("the base of a URL is not a URL")
      }
    case "NSString", "NSMutableString": _ = try field("NS.string")
    case "NSData", "NSMutableData": _ = try field("NS.data")
    default: break
    }
  }

  /// Checks that a reference's target is a plain value or an object of a class.
  private func checkObject(_ node: Int) throws {
    guard table.size(of: node) != nil || isObject(node) else {
      throw ArchiveMeasure.problem("a reference leads to something that has no class")
    }
  }

  private func checkPairs(_ node: Int) throws {
    guard let keys = Walk.value("NS.keys", in: node, of: table) else { return }
    guard let values = Walk.value("NS.objects", in: node, of: table),
      table.extent(of: keys).count == table.extent(of: values).count
    else { throw ArchiveMeasure.problem("a dictionary has a different number of keys and values") }
  }

  private func resolved(_ node: Int) throws -> Int {
    guard let index = table.uid(node) else { return node }
    guard index < objects.count else {
      throw ArchiveMeasure.problem("it refers to the object \(index), of \(objects.count)")
    }
    let object = table.element(index, of: objects)
    guard table.uid(object) == nil else { throw ArchiveMeasure.problem("its object \(index) is a reference") }
    return object
  }

  /// Whether Foundation hashes an object's contents: true for sets, and for dictionaries with
  /// objects of a class as keys.
  private func isHashed(_ node: Int) -> Bool {
    guard let name = try? nameOfClass(of: node) else { return false }
    if name.hasSuffix("Set") { return true }
    guard let keys = Walk.value("NS.keys", in: node, of: table), table.kind(of: keys) == .array else { return false }
    let extent = table.extent(of: keys)
    return (0..<extent.count).contains { position in
      (try? resolved(table.element(position, of: extent))).map { table.kind(of: $0) == .dictionary } ?? false
    }
  }

  private func isList(_ node: Int) -> Bool {
    guard let name = try? nameOfClass(of: node) else { return false }
    return ["NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary"].contains(name)
  }

  private func isObject(_ node: Int) -> Bool { Walk.value("$class", in: node, of: table) != nil }

  private func className(_ node: Int) throws -> String {
    guard let found = Walk.value("$classname", in: node, of: table), let name = table.string(found) else {
      throw ArchiveMeasure.problem("an object's class has no name")
    }
    let isPlain = name.utf8.allSatisfy {
      $0 == 46 || $0 == 95 || 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 > 127
    }
    guard isPlain, (1...500).contains(name.utf8.count) else {
      throw ArchiveMeasure.problem("\"\(name.prefix(60))\" is not the name of a class")
    }
    return name
  }

  private static func value(_ key: StaticString, in node: Int, of table: PropertyListTable) -> Int? {
    guard table.kind(of: node) == .dictionary else { return nil }
    let extent = table.extent(of: node)
    for position in 0..<extent.count where table.isText(table.element(position, of: extent), key) {
      return table.element(extent.count + position, of: extent)
    }
    return nil
  }
}
