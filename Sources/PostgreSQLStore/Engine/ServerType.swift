internal import CoreData

/// The type of a column. There is one for each form of a value in a row. Integers of all widths and Booleans are
/// `bigint`, so that arithmetic in a predicate overflows where it does in memory. A date is a `double precision` of
/// seconds since 2001-01-01 00:00 UTC, because a `timestamp` has no more than microseconds.
struct ServerType: Equatable {
  let name: String
  let oid: UInt32
  let arrayOID: UInt32

  static let integer = ServerType(name: "bigint", oid: 20, arrayOID: 1016)
  static let real = ServerType(name: "double precision", oid: 701, arrayOID: 1022)
  static let text = ServerType(name: "text", oid: 25, arrayOID: 1009)
  static let uuid = ServerType(name: "uuid", oid: 2950, arrayOID: 2951)
  static let decimal = ServerType(name: "numeric", oid: 1700, arrayOID: 1231)
  static let bytes = ServerType(name: "bytea", oid: 17, arrayOID: 1001)

  init(name: String, oid: UInt32, arrayOID: UInt32) {
    self.name = name
    self.oid = oid
    self.arrayOID = arrayOID
  }

  init(_ form: RowForm) {
    switch form {
    case .integer, .destination, .none: self = .integer
    case .real: self = .real
    case .text: self = .text
    case .uuid: self = .uuid
    case .decimal: self = .decimal
    case .bytes: self = .bytes
    }
  }

  /// The type in a table's declaration. Texts are compared by their bytes, as in memory.
  var declaration: String { self == .text ? "text COLLATE \"C\"" : name }
}
