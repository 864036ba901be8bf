internal import CPostgreSQL
internal import CoreData
import Foundation

/// The result of a statement. Immutable; safe on any thread.
final class ServerRows: @unchecked Sendable {
  // `@unchecked Sendable`: libpq's result is never written to.

  let handle: OpaquePointer
  let count: Int

  init(_ handle: OpaquePointer) {
    self.handle = handle
    count = Int(PQntuples(handle))
  }

  deinit { PQclear(handle) }

  /// The number of rows that the statement has written.
  var affected: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

  var columns: Int { Int(PQnfields(handle)) }

  func type(_ column: Int) -> UInt32 { PQftype(handle, Int32(column)) }

  func name(_ column: Int) -> String { PQfname(handle, Int32(column)).map { String(cString: $0) } ?? "" }

  func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(handle, Int32(row), Int32(column)) != 0 }

  // Inlined by force, as is `int`, for `fetch` on a server; see CONTRIBUTING.md.
  @inline(__always)
  func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(handle, Int32(row), Int32(column)), count: Int(PQgetlength(handle, Int32(row), Int32(column))))
  }

  /// A `bigint`; 0 for null.
  @inline(__always)
  func int(_ row: Int, _ column: Int) -> Int64 {
    isNull(row, column) ? 0 : Int64(bigEndian: bytes(row, column).loadUnaligned(as: Int64.self))
  }

  func text(_ row: Int, _ column: Int) -> String? {
    isNull(row, column) ? nil : String(decoding: bytes(row, column), as: UTF8.self)
  }

  /// A number of any type; nil for null and for a value that is no number.
  func number(_ row: Int, _ column: Int) -> NSNumber? {
    if isNull(row, column) { return nil }
    let bytes = bytes(row, column)
    switch type(column) {
    case 20: return NSNumber(value: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
    case 23: return NSNumber(value: Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 21: return NSNumber(value: Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 701: return NSNumber(value: Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
    case 700: return NSNumber(value: Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
    case 16: return NSNumber(value: bytes[0] != 0)
    case 1700: return NSDecimalNumber(decimal: WireDecimal.decimal(bytes))
    default: return nil
    }
  }
}
