import Foundation

/// Whether two strings have the same UTF-8 bytes. Swift's `==` also accepts canonical equivalents; SQLite's doesn't.
func binaryEqual(_ a: String, _ b: String) -> Bool {
  let count = a.utf8.count
  return count == b.utf8.count && binaryCompare(a, b) == 0
}

/// A text that equals its own bytes only, for sets and dictionaries.
struct BinaryText: Hashable {
  let text: String

  static func == (a: BinaryText, b: BinaryText) -> Bool { binaryEqual(a.text, b.text) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// Compares UTF-8 bytes, as SQLite's BINARY collation does. The result is negative, zero or positive.
func binaryCompare(_ a: String, _ b: String) -> Int {
  let order = a.utf8.withContiguousStorageIfAvailable { x in
    b.utf8.withContiguousStorageIfAvailable { y in
      let common = min(x.count, y.count)
      guard common > 0 else { return x.count - y.count }
      let order = Int(memcmp(x.baseAddress!, y.baseAddress!, common))
      return order != 0 ? order : x.count - y.count
    }
  }
  if case .some(.some(let order)) = order { return order }
  // Strings that Foundation owns have no contiguous storage.
  var x = a
  var y = b
  x.makeContiguousUTF8()
  y.makeContiguousUTF8()
  return binaryCompare(x, y)
}
