import CoreData
import Foundation

/// Property lists and archives that Foundation does not survive, as small as they can be.
enum HostileList {
  /// Arrays that each contain the next one twice: read as a tree, two to the power of `levels` values.
  static func doubling(_ levels: Int) -> [UInt8] {
    binary((0..<levels).map { .array([$0 + 1, $0 + 1]) } + [.array([])])
  }

  /// An array that contains itself.
  static let circle = binary([.array([0])])

  /// An archive of arrays, or sets, that each contain the next.
  static func nestedArchive(_ depth: Int, classes: [String] = ["NSArray", "NSObject"]) -> Data {
    archive(
      (0..<depth).map { index in
        let next = index + 1 < depth ? uid(index + 3) : ""
        return "<dict>\(reference("$class", 1))<key>NS.objects</key><array>\(next)</array></dict>"
      }, classes: classes)
  }

  /// An archive of an array that has itself in it.
  static let circularArchive = archive([
    "<dict>\(reference("$class", 1))<key>NS.objects</key><array>\(uid(2))</array></dict>"
  ])

  /// An archive of arrays that each have the next in them twice.
  static func doublingArchive(_ levels: Int) -> Data {
    archive(
      (0..<levels).map { index in
        let next = index + 1 < levels ? uid(index + 3) + uid(index + 3) : ""
        return "<dict>\(reference("$class", 1))<key>NS.objects</key><array>\(next)</array></dict>"
      })
  }

  /// An archive of an array with a list in it that is no object.
  static let inlineArchive = archive([
    "<dict>\(reference("$class", 1))<key>NS.objects</key><array><array><string>a</string></array></array></dict>"
  ])

  /// An archive of an array with an object in it that is of no class.
  static let classlessArchive = archive([
    "<dict>\(reference("$class", 1))<key>NS.objects</key><array>\(uid(3))</array></dict>",
    "<dict><key>NS.objects</key><array></array></dict>",
  ])

  /// An archive of an object whose class stands in it, where a reference to it should be.
  static let archiveOfInlineClass = archive([
    "<dict><key>$class</key><dict><key>$classname</key><string>NSArray</string></dict>\(reference("places", 3))</dict>",
    "<string>a</string>",
  ])

  /// An archive of a dictionary with a URL in it whose text is nil, so that Foundation makes no URL.
  static let archiveOfNilURL = archiveOfURL(0)
  /// The same of a URL whose text is one to `NSURL`, but not to `URL`.
  static let archiveOfStrangeURL = archiveOfURL(6)

  private static func archiveOfURL(_ text: Int) -> Data {
    archive(
      [
        "<dict>\(reference("$class", 1))<key>NS.keys</key><array>\(uid(3))</array>"
          + "<key>NS.objects</key><array>\(uid(4))</array></dict>",
        "<string>a</string>",
        "<dict>\(reference("$class", 5))\(reference("NS.base", 0))\(reference("NS.relative", text))</dict>",
        "<dict><key>$classname</key><string>NSURL</string></dict>", "<string>_ttp://localhost/a</string>",
      ], classes: ["NSDictionary", "NSObject"])
  }

  /// An archive of a dictionary with a key that is a set with an array in it.
  static let archiveOfSetAsKey = archiveOfSetAsKey(value: 3)
  /// The same where the key is the value as well, so that one list is both the keys and the values.
  static let archiveOfSetAsBoth = archiveOfSetAsKey(value: 4)

  private static func archiveOfSetAsKey(value: Int) -> Data {
    archive(
      [
        "<dict>\(reference("$class", 1))<key>NS.keys</key><array>\(uid(4))</array>"
          + "<key>NS.objects</key><array>\(uid(value))</array></dict>",
        "<string>a</string>", "<dict>\(reference("$class", 6))<key>NS.objects</key><array>\(uid(5))</array></dict>",
        "<dict>\(reference("$class", 7))<key>NS.objects</key><array></array></dict>",
        "<dict><key>$classname</key><string>NSSet</string></dict>",
        "<dict><key>$classname</key><string>NSArray</string></dict>",
      ], classes: ["NSDictionary", "NSObject"])
  }

  /// An archive of an array of a list of references, which is no object.
  static let archiveOfReferenceLists = archive([
    "<dict>\(reference("$class", 1))<key>NS.objects</key><array>\(uid(3))</array></dict>",
    "<array>\(uid(4))</array>", "<string>a</string>",
  ])

  /// An archive of a text, beside which a set stands: a list of that kind in the property list itself.
  static func bareSetArchive(_ kind: UInt8) -> Data { Data(archive(besideText: [kind << 4])) }

  /// An archive of an object with two classes, of which one is a text.
  static let archiveOfTwoClasses: Data = {
    // {"$class": 1, "$class": a text}, by the nodes of `archive(besideText:)`.
    Data(archive(besideText: [0xD2, 10, 10, 8, 7]))
  }()

  private static func text(_ value: String) -> [UInt8] {
    value.utf8.count < 15
      ? [0x50 | UInt8(value.utf8.count)] + value.utf8 : [0x5F, 0x10, UInt8(value.utf8.count)] + value.utf8
  }

  /// The metadata of a binary store: arrays, up to 75, that each have the next in them twice, and the last a text.
  static func doublingMetadata(_ levels: Int) -> [UInt8] {
    // The first node is the whole list.
    var nodes: [[UInt8]] = [[]]
    func add(_ node: [UInt8]) -> UInt8 {
      nodes.append(node)
      return UInt8(nodes.count - 1)
    }
    let (type, elements, name) = (add(text("$class")), add(text("NS.objects")), add(text("$classname")))
    let array = add([0x80, UInt8(levels + 2)])
    var objects = [add(text("$null"))]
    for level in 1...levels {
      let next = add([0x80, UInt8(level + 1)])
      let list = add([0xA2, next, next])
      objects.append(add([0xD2, type, elements, array, list]))
    }
    objects.append(add(text("x")))
    let className = add(text("NSArray"))
    objects.append(add([0xD1, name, className]))
    let metadata = add(text("metadata"))
    let first = add([0x80, 1])
    let keys = ["$archiver", "$objects", "$top", "$version"].map { add(text($0)) }
    let archiver = add(text("NSKeyedArchiver"))
    let all = add([0xAF, 0x10, UInt8(objects.count)] + objects)
    let top = add([0xD1, metadata, first])
    let version = add([0x12, 0, 1, 0x86, 0xA0])
    nodes[0] = [0xD4] + keys + [archiver, all, top, version]
    return list(nodes)
  }

  /// A binary archive whose root is the text "a". An object more is in its list.
  private static func archive(besideText object: [UInt8]) -> [UInt8] {
    list([
      [0xD4, 1, 2, 3, 4, 5, 6, 9, 11], text("$archiver"), text("$objects"), text("$top"), text("$version"),
      text("NSKeyedArchiver"), [0xA3, 7, 7, 12], text("a"), [0x80, 1], [0xD1, 13, 8], text("$class"),
      [0x12, 0, 1, 0x86, 0xA0], object, text("root"),
    ])
  }

  /// An archive of a calendar whose class claims to be a text's.
  static let lyingArchive = archive(
    ["<dict>\(reference("$class", 1))<key>NS.identifier</key><string>gregorian</string></dict>"],
    classes: ["NSCalendar", "NSString", "NSObject"])

  private static func uid(_ index: Int) -> String { "<dict><key>CF$UID</key><integer>\(index)</integer></dict>" }
  private static func reference(_ key: String, _ index: Int) -> String { "<key>\(key)</key>\(uid(index))" }

  /// In XML, which archives may be written in; the first object's index is 2.
  private static func archive(_ objects: [String], classes: [String] = ["NSArray", "NSObject"]) -> Data {
    let names = classes.map { "<string>\($0)</string>" }.joined()
    let text = """
      <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>$archiver</key>\
      <string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer><key>$top</key>\
      <dict>\(reference("root", 2))</dict><key>$objects</key><array><string>$null</string><dict><key>$classname</key>\
      <string>\(classes[0])</string><key>$classes</key><array>\(names)</array></dict>\(objects.joined())</array></dict></plist>
      """
    return Data(text.utf8)
  }

  private enum Object { case array([Int]) }

  /// A binary property list of arrays, the first one on top. Up to 255 objects and bytes of offsets of two.
  private static func binary(_ objects: [Object]) -> [UInt8] {
    list(
      objects.map { object in
        switch object {
        case .array(let elements): [0xA0 | UInt8(elements.count)] + elements.map { UInt8($0) }
        }
      })
  }

  /// A binary property list of objects as they are written, the first one on top.
  private static func list(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
    bytes += [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [objects.count, 0, table] { bytes += (0..<8).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) } }
    return bytes
  }
}
