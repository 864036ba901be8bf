internal import CoreData
import Foundation

/// The values of a statement's parameters in binary form, with their types, so that the server need not guess them.
struct Parameters {
  private(set) var types: [UInt32] = []
  /// The bytes of all values, one after the other.
  private var bytes: [UInt8] = []
  /// The start of each value in `bytes`; -1 for null.
  private var starts: [Int] = []
  private var lengths: [Int32] = []

  /// The number of bytes above which the values of several rows are sent in parts. The server refuses a message or an
  /// array of a gigabyte, and ends the connection for it.
  static let limit = 1 << 24

  /// The most bytes that the values of one statement, or of one row, can have. A message of a gigabyte is too long for
  /// the server; some room is left for what stands between the values.
  private static let maximum = (1 << 30) - (1 << 20)

  init() {}

  /// Takes the values of a translated statement.
  init(_ bindings: [Binding]) throws {
    for binding in bindings { try add(binding) }
  }

  var count: Int { types.count }

  /// The bytes of all values.
  var byteCount: Int { bytes.count }

  mutating func add(_ value: Int64) { add(.integer) { $0.append(big: value) } }
  mutating func add(_ value: Double) { add(.real) { $0.append(big: value.bitPattern) } }
  mutating func add(optional value: Int64?) {
    if let value { return add(value) }
    addNull(ServerType.integer.oid)
  }
  mutating func add(_ value: String) { add(.text) { $0.append(contentsOf: value.utf8) } }
  mutating func add(_ value: some Sequence<UInt8>) { add(.bytes) { $0.append(contentsOf: value) } }
  mutating func add(keys: [Int64]) {
    addArray(of: .integer, count: keys.count) { bytes in
      for key in keys {
        bytes.append(big: Int32(8))
        bytes.append(big: key)
      }
    }
  }

  /// - Parameter type: the type's OID; 0 lets the server find it out.
  private mutating func addNull(_ type: UInt32) {
    types.append(type)
    starts.append(-1)
    lengths.append(0)
  }

  private mutating func add(_ type: ServerType, _ append: (inout [UInt8]) -> Void) {
    types.append(type.oid)
    starts.append(bytes.count)
    append(&bytes)
    lengths.append(Int32(clamping: bytes.count - starts.last!))
  }

  /// Adds an array.
  ///
  /// - Parameter append: appends the elements, each with its length in front.
  mutating func addArray(of type: ServerType, count: Int, _ append: (inout [UInt8]) -> Void) {
    types.append(type.arrayOID)
    starts.append(bytes.count)
    bytes.append(big: Int32(count == 0 ? 0 : 1))
    // The array may contain nulls.
    bytes.append(big: Int32(1))
    bytes.append(big: type.oid)
    if count > 0 {
      bytes.append(big: Int32(count))
      bytes.append(big: Int32(1))
    }
    append(&bytes)
    lengths.append(Int32(clamping: bytes.count - starts.last!))
  }

  private mutating func add(_ binding: Binding) throws {
    switch binding {
    case .null: addNull(0)
    case .int(let value): add(value)
    // SQLite takes NaN for null.
    case .double(let value): if value.isNaN { addNull(ServerType.real.oid) } else { add(value) }
    case .text(let value): add(value)
    case .blob(let value): add(value)
    case .uuid(let value): add(.uuid) { bytes in withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) } }
    case .decimal(let value): add(.decimal) { $0.append(contentsOf: WireDecimal.bytes(of: value)) }
    case .array(let values): try add(array: values)
    }
  }

  /// Adds an array of values. Integers among decimals become decimals, and all numbers among doubles become doubles;
  /// other mixtures of types throw.
  private mutating func add(array values: [Binding]) throws {
    /// The types of numbers. Each can be widened to those behind it.
    let widths: [ServerType] = [.integer, .decimal, .real]
    var others: [[UInt8]] = []
    var type: ServerType?
    for value in values {
      let next: ServerType
      switch value {
      case .int: next = .integer
      case .decimal: next = .decimal
      case .double: next = .real
      case .text(let text):
        next = .text
        others.append(Array(text.utf8))
      case .blob(let data):
        next = .bytes
        others.append(Array(data))
      case .uuid(let uuid):
        next = .uuid
        others.append(withUnsafeBytes(of: uuid.uuid) { Array($0) })
      case .null, .array: continue
      }
      if let known = type, known != next {
        guard widths.contains(known), widths.contains(next) else {
          throw StoreFailure.unsupported("A list of values of several types in a predicate for a PostgreSQL store")
        }
        type = widths.last { $0 == known || $0 == next }
      } else {
        type = next
      }
    }
    let found = type ?? .text
    let elements = widths.contains(found) ? values.compactMap { Parameters.element($0, as: found) } : others
    addArray(of: found, count: elements.count) { bytes in
      for element in elements { bytes.append(counted: element) }
    }
  }

  /// The bytes of a number in an array of numbers that are at least as wide; nil for what is no number.
  private static func element(_ value: Binding, as type: ServerType) -> [UInt8]? {
    let decimal: Decimal
    switch value {
    case .int(let number) where type == .integer: return withUnsafeBytes(of: number.bigEndian) { Array($0) }
    case .int(let number) where type == .real: return bytes(of: Double(number))
    case .int(let number): decimal = Decimal(string: "\(number)") ?? .nan
    case .double(let number): return bytes(of: number)
    case .decimal(let number): decimal = number
    case .null, .text, .blob, .uuid, .array: return nil
    }
    return type == .real ? bytes(of: Double(decimal.description) ?? .nan) : WireDecimal.bytes(of: decimal)
  }

  private static func bytes(of number: Double) -> [UInt8] {
    withUnsafeBytes(of: number.bitPattern.bigEndian) { Array($0) }
  }

  /// Throws if the values are more than the server takes: it would end the connection instead of saying so.
  func check(_ sql: String) throws { try Parameters.check(byteCount, sql) }

  static func check(_ byteCount: Int, _ sql: String) throws {
    guard byteCount > maximum else { return }
    throw ServerError(
      state: "54000", message: "values of \(byteCount) bytes in one row or statement, of which a gigabyte is possible",
      sql: sql)
  }

  /// Runs `body` with libpq's arguments: pointers to the values, their lengths and their formats, which are all binary.
  func withPointers<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Result
  ) -> Result {
    let formats = [Int32](repeating: 1, count: max(count, 1))
    // One more byte, so that an empty last value has an address.
    return (bytes + [0]).withUnsafeBufferPointer { bytes in
      let pointers = starts.map { start -> UnsafePointer<CChar>? in
        start < 0 ? nil : UnsafeRawPointer(bytes.baseAddress! + start).assumingMemoryBound(to: CChar.self)
      }
      return (pointers + [nil]).withUnsafeBufferPointer { pointers in
        (lengths + [0]).withUnsafeBufferPointer { lengths in
          formats.withUnsafeBufferPointer { formats in
            body(pointers.baseAddress!, lengths.baseAddress!, formats.baseAddress!)
          }
        }
      }
    }
  }
}
