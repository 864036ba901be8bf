import Foundation
import StoreFileReader

/// One row of a small table, byte by byte, as it lies in a closed file: SQLite's form of it, read without SQLite.
public struct RowBytes {
  public struct Part: Equatable {
    public let bytes: [UInt8]
    public let meaning: String
  }

  /// All bytes of the row, in their order.
  public private(set) var parts: [Part] = []

  /// - Throws: `FileFailure` if the table takes more than one page, or has no such row.
  public init(of table: String, key: Int, inFileAt url: URL) throws {
    let reader = try StoreFileReader(contentsOf: url)
    let columns = try reader.rows("SELECT name FROM pragma_table_info('\(table)')").map(\.[0].description)
    let page = Int(try reader.integer("SELECT rootpage FROM sqlite_master WHERE name = '\(table)'"))
    let size = Int(try reader.integer("PRAGMA page_size"))
    let bytes = [UInt8](try Data(contentsOf: url).dropFirst((page - 1) * size).prefix(size))
    // 13 is a page of rows. Behind 8 bytes of its own it says where each of them begins.
    guard bytes.first == 13 else { throw FileFailure("\(table) takes more than one page.") }
    let count = Int(bytes[3]) << 8 | Int(bytes[4])
    for index in 0..<count {
      let place = 8 + 2 * index
      var row = Cursor(bytes: bytes, place: Int(bytes[place]) << 8 | Int(bytes[place + 1]))
      let (length, rowKey) = (row.number(), row.number())
      if rowKey.value == key {
        read(&row, columns, length, rowKey)
        return
      }
    }
    throw FileFailure("\(table) has no row \(key).")
  }

  //> record
  /// First the record's length and the key. Then a header with the type of each value. Then the
  /// values, one after the other.
  private mutating func read(
    _ row: inout Cursor, _ columns: [String], _ length: Cursor.Number, _ key: Cursor.Number
  ) {
    add(length.bytes, "the record has \(length.value) bytes")
    add(key.bytes, "key: \(key.value)")
    let header = row.number()
    add(header.bytes, "its header has \(header.value) bytes")
    let types = columns.map { column in
      let number = row.number()
      let type = ValueType(number.value)
      add(number.bytes, "\(column): \(type.words)")
      return type
    }
    for (column, type) in zip(columns, types) where type.length > 0 {
      let value = row.take(type.length)
      add(value, "\(column) = \(type.text(of: value))")
    }
  }
  //< record

  private mutating func add(_ bytes: [UInt8], _ meaning: String) {
    parts.append(Part(bytes: bytes, meaning: meaning))
  }
}

private struct Cursor {
  typealias Number = (value: Int, bytes: [UInt8])

  let bytes: [UInt8]
  var place: Int

  mutating func take(_ count: Int) -> [UInt8] {
    defer { place += count }
    return Array(bytes[place..<(place + count)])
  }

  /// A number of as many bytes as it needs: seven bits in each, and the eighth says that there are more.
  mutating func number() -> Number {
    var value = 0
    let start = place
    repeat {
      value = value << 7 | Int(bytes[place] & 0x7F)
      place += 1
    } while bytes[place - 1] & 0x80 != 0
    return (value, Array(bytes[start..<place]))
  }
}

/// A value's type and length, in one number.
private struct ValueType {
  let number: Int
  var length: Int {
    number < 12 ? [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][number] : (number - 12) / 2
  }

  init(_ number: Int) { self.number = number }

  var words: String {
    switch number {
    case 0: "NULL"
    case 1...6: "an integer of \(length == 1 ? "1 byte" : "\(length) bytes")"
    case 7: "a real number"
    case 8, 9: "the integer \(number - 8), which needs no byte"
    default: "\(number % 2 == 0 ? "data" : "text") of \(length) bytes"
    }
  }

  func text(of bytes: [UInt8]) -> String {
    switch number {
    case 1...6: "\(bytes.dropFirst().reduce(Int(Int8(bitPattern: bytes[0]))) { $0 << 8 | Int($1) })"
    case 7: "\(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))"
    case _ where number % 2 == 1: String(decoding: bytes, as: UTF8.self)
    default: "\(bytes.count) bytes"
    }
  }
}
