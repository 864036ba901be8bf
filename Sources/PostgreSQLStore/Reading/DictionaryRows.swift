internal import CoreData
import Foundation

/// Makes dictionaries from the result of a fetch.
struct DictionaryRows {
  private let query: DictionaryQuery
  private let schema: StoreSchema
  private let identity: StoreIdentity

  init(_ query: DictionaryQuery, _ schema: StoreSchema, _ identity: StoreIdentity) {
    self.query = query
    self.schema = schema
    self.identity = identity
  }

  /// Returns a dictionary for each row. A null value has no key in it.
  func dictionaries(_ rows: ServerRows) throws -> [NSDictionary] {
    let names = query.columns.map { NSString(string: $0.name) }
    return try (0..<rows.count).map { row in
      var keys: [NSObject] = []
      var values: [AnyObject] = []
      for (index, column) in query.columns.enumerated() {
        guard let value = try value(rows, row, index, column) else { continue }
        keys.append(names[index])
        values.append(value)
      }
      return NSDictionary(objects: values, forKeys: keys, count: keys.count)
    }
  }

  private func value(
    _ rows: ServerRows, _ row: Int, _ index: Int, _ column: DictionaryQuery.Column
  ) throws -> AnyObject? {
    if rows.isNull(row, index) { return nil }
    if let layout = column.reference {
      let key = rows.int(row, index)
      guard key > 0 else { return nil }
      let place = Int(column.entityColumn)
      let actual = place < 0 || rows.isNull(row, place) ? nil : schema.index(ofNumber: Int(rows.int(row, place)))
      return NSManagedObjectID(
        layout: actual.map { layout.model.layouts[$0] } ?? layout, key: key, store: identity)
    }
    guard let kind = column.kind else { return natural(rows, row, index) }
    switch kind.form {
    case .integer:
      // An average with an integer type loses its fraction.
      guard let exact = rows.number(row, index) else { return natural(rows, row, index) }
      let number = exact.doubleValue
      if kind == .boolean { return NSNumber(value: number != 0) }
      // The sum of integers may be none of 64 bits.
      guard abs(number) < 0x1p63 else { return natural(rows, row, index) }
      return NSNumber(value: abs(number) < 1e15 ? Int64(number) : exact.int64Value)
    case .real:
      guard let number = rows.number(row, index) else { return natural(rows, row, index) }
      if kind == .date { return NSDate(timeIntervalSinceReferenceDate: number.doubleValue) }
      return NSNumber(value: Double(number.stringValue) ?? number.doubleValue)
    case .text:
      guard let text = text(rows, row, index) else { return nil }
      return kind == .uri ? URL(string: text).map { $0 as NSURL } : NSString(string: text)
    case .uuid:
      let bytes = rows.bytes(row, index)
      return bytes.count == 16 ? bytes.loadUnaligned(as: UUID.self) as NSUUID : nil
    case .decimal:
      // By its digits: Foundation makes a decimal of an integer by way of a double.
      return rows.number(row, index) == nil ? nil : text(rows, row, index).map(NSDecimalNumber.init(string:))
    case .bytes: return try column.object(Data(rows.bytes(row, index)), store: identity)
    case .destination, .none: return natural(rows, row, index)
    }
  }

  /// Returns a value as text.
  private func text(_ rows: ServerRows, _ row: Int, _ index: Int) -> String? {
    guard let number = rows.number(row, index) else { return rows.text(row, index) }
    return rows.type(index) == ServerType.real.oid ? number.doubleValue.columnText : number.stringValue
  }

  /// Returns a computed value in the server's own type. A `numeric` becomes an integer if it is whole and fits into 64
  /// bits, otherwise a double.
  private func natural(_ rows: ServerRows, _ row: Int, _ index: Int) -> NSObject? {
    if let number = rows.number(row, index) {
      guard let decimal = number as? NSDecimalNumber else { return number }
      return Int64(decimal.stringValue).map(NSNumber.init(value:))
        ?? NSNumber(value: Double(decimal.stringValue) ?? decimal.doubleValue)
    }
    switch rows.type(index) {
    case ServerType.bytes.oid: return Data(rows.bytes(row, index)) as NSData
    case ServerType.uuid.oid: return rows.bytes(row, index).loadUnaligned(as: UUID.self) as NSUUID
    default: return rows.text(row, index).map(NSString.init(string:))
    }
  }
}
