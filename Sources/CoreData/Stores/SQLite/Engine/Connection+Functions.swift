internal import CSQLite

/// One argument of a function that SQL calls. Valid during the call.
struct FunctionArgument {
  fileprivate let value: OpaquePointer

  var isNull: Bool { sqlite3_value_type(value) == SQLITE_NULL }
  var isReal: Bool { sqlite3_value_type(value) == SQLITE_FLOAT }
  var int: Int64 { sqlite3_value_int64(value) }
  var double: Double { sqlite3_value_double(value) }

  /// The bytes of a blob, or of what SQLite makes a blob; nil for null.
  var blobBytes: UnsafeRawBufferPointer? {
    if isNull { return nil }
    // SQLite returns no address for an empty blob.
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  /// The bytes of a text, or of what SQLite makes a text; nil for null.
  var textBytes: UnsafeBufferPointer<UInt8>? {
    guard let start = sqlite3_value_text(value) else { return nil }
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  var text: String? { textBytes.map { String(decoding: $0, as: UTF8.self) } }
}

/// What a function that SQL calls returns.
enum FunctionResult {
  case null
  case int(Int64)
  case double(Double)
  case text(String)
  case blob([UInt8])
  case failure(String)
}

private final class FunctionBox {
  let name: String
  let body: (FunctionArguments) -> FunctionResult

  init(_ name: String, _ body: @escaping (FunctionArguments) -> FunctionResult) {
    self.name = name
    self.body = body
  }
}

private final class CollationBox {
  let body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int
  init(_ body: @escaping (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int) { self.body = body }
}

/// The arguments of one call.
struct FunctionArguments {
  fileprivate let argumentCount: Int32
  fileprivate let values: UnsafeMutablePointer<OpaquePointer?>?

  var count: Int { Int(argumentCount) }

  subscript(index: Int) -> FunctionArgument { FunctionArgument(value: values![index]!) }
}

extension Connection {
  /// Makes a function known to SQL. SQLite calls it on the thread that uses the connection.
  ///
  /// - Parameter isInnocuous: whether triggers and indexes in the file may call it. Any program may have written these.
  func register(
    function name: String, argumentCount: Int32, isDeterministic: Bool = true, isInnocuous: Bool = true,
    _ body: @escaping (FunctionArguments) -> FunctionResult
  ) throws {
    let box = FunctionBox(name, body)
    functions.append(box)
    let flags =
      SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0) | (isInnocuous ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY)
    let code = sqlite3_create_function_v2(
      database, name, argumentCount, flags, Unmanaged.passUnretained(box).toOpaque(),
      { context, count, values in
        let box = Unmanaged<FunctionBox>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
        switch box.body(FunctionArguments(argumentCount: count, values: values)) {
        case .null: sqlite3_result_null(context)
        case .int(let value): sqlite3_result_int64(context, value)
        case .double(let value): sqlite3_result_double(context, value)
        case .text(var value):
          value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
              sqlite3_result_text(context, $0.baseAddress, Int32($0.count), Statement.transient)
            }
          }
        case .blob(let bytes):
          bytes.withUnsafeBytes {
            sqlite3_result_blob(context, $0.baseAddress, Int32($0.count), Statement.transient)
          }
        case .failure(let message): sqlite3_result_error(context, message, -1)
        }
      }, nil, nil, nil)
    if code != SQLITE_OK { throw failure() }
  }

  /// Whether a function was registered here. SQL doesn't tell capitals in its name from small letters.
  func hasFunction(_ name: String) -> Bool {
    functions.contains { ($0 as? FunctionBox)?.name.lowercased() == name.lowercased() }
  }

  /// Makes a collation known to SQL. `body` compares two texts; its result is negative, zero or positive, as of
  /// `memcmp`.
  func register(
    collation name: String,
    _ body: @escaping (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int
  ) throws {
    let box = CollationBox(body)
    functions.append(box)
    let code = sqlite3_create_collation_v2(
      database, name, SQLITE_UTF8, Unmanaged.passUnretained(box).toOpaque(),
      { user, leftCount, left, rightCount, right in
        let box = Unmanaged<CollationBox>.fromOpaque(user!).takeUnretainedValue()
        let a = UnsafeBufferPointer(start: left?.assumingMemoryBound(to: UInt8.self), count: Int(leftCount))
        let b = UnsafeBufferPointer(start: right?.assumingMemoryBound(to: UInt8.self), count: Int(rightCount))
        return Int32(box.body(a, b))
      }, nil)
    if code != SQLITE_OK { throw failure() }
  }
}
