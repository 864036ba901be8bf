/// The kind of a property; for an attribute, its type.
///
/// The table `facts` below has all that the stack knows about a kind. The other table, `DataModel.AttributeType`, has
/// what model files and generated classes know about a type. Other code asks for the form of a value, which several
/// kinds share. Only `Value+Boxing` distinguishes kinds, since each is another Swift type to a program.
package enum SlotKind: UInt8 {
  case int16, int32, int64, boolean
  case double, float
  /// Seconds since 2001-01-01 00:00 UTC, `Double`.
  case date
  case string, uri
  case uuid
  case decimal
  case binary
  /// The transformer's output bytes in a row; the object itself in a changed value.
  case transformable
  /// Only ever in memory: a transient without a type.
  case undefined
  /// The destination's key; a second word holds its entity index where the destination has subentities.
  case toOne
  /// Not in the row at all.
  case toMany
  /// Not in the row: evaluated on demand.
  case fetched
  /// Not in the row: its elements are, each in a slot of its own.
  case composite

  // Inlined by force, as the count of `update` asks for; see CONTRIBUTING.md.
  @inline(__always)
  private var facts: Facts {
    switch self {
    // The noun is what no text equals.
    case .int16: Facts(.integer, column: .integer, fileName: "int16", noun: "an integer")
    case .int32: Facts(.integer, column: .integer, fileName: "int32", noun: "an integer")
    case .int64: Facts(.integer, column: .integer, fileName: "int64", noun: "an integer")
    case .boolean: Facts(.integer, column: .integer, fileName: "bool", noun: "a truth value")
    case .double: Facts(.real, column: .float, fileName: "double", noun: "a number")
    case .float: Facts(.real, column: .float, fileName: "float", noun: "a number")
    case .date: Facts(.real, column: .timestamp, fileName: "date", noun: "a date")
    case .string: Facts(.text, column: .varchar, fileName: "string")
    case .uri: Facts(.text, column: .varchar, fileName: "uri")
    case .uuid: Facts(.uuid, column: .object, fileName: "uuid", noun: "a UUID")
    case .decimal: Facts(.decimal, column: .decimal, fileName: "decimal", noun: "a number")
    case .binary: Facts(.bytes, column: .blob, fileName: "binary", noun: "binary data")
    case .transformable: Facts(.bytes, column: .object, fileName: "transformable")
    case .undefined: Facts(.none, column: .blob)
    case .toOne: Facts(role: .toOne, form: .destination)
    case .toMany: Facts(role: .toMany, form: .none)
    case .fetched: Facts(role: .fetched, form: .none)
    case .composite: Facts(role: .composite, form: .none)
    }
  }

  private struct Facts {
    let role: Role
    let form: RowForm
    let column: ColumnType
    let fileName: StaticString
    let noun: StaticString

    init(_ form: RowForm, column: ColumnType, fileName: StaticString = "", noun: StaticString = "") {
      (role, self.form, self.column, self.fileName, self.noun) = (.attribute, form, column, fileName, noun)
    }

    init(role: Role, form: RowForm) {
      (self.role, self.form, column, fileName, noun) = (role, form, .integer, "", "")
    }
  }

  /// The kind of property, whatever its type.
  package enum Role { case attribute, toOne, toMany, fetched, composite }

  package var role: Role { facts.role }
  package var form: RowForm { facts.form }
  /// Whether an accessor may have a number or a truth value that is never nil.
  var isScalar: Bool {
    switch self {
    case .int16, .int32, .int64, .boolean, .double, .float: true
    case .date, .string, .uri, .uuid, .decimal, .binary, .transformable, .undefined, .toOne, .toMany, .fetched,
      .composite:
      false
    }
  }
  /// The type of the column in a SQLite file.
  package var column: ColumnType { facts.column }
  /// The name of the type in an XML store; empty for what is not stored.
  package var fileName: StaticString { facts.fileName }
  /// A word for a value that never equals a text unless that is a number; empty for other kinds.
  package var nounBesideText: StaticString { facts.noun }

  /// The range of an integer; everything for other kinds.
  package var range: ClosedRange<Int64> {
    switch self {
    case .int16: Int64(Int16.min)...Int64(Int16.max)
    case .int32: Int64(Int32.min)...Int64(Int32.max)
    case .boolean: 0...1
    case .int64, .double, .float, .date, .string, .uri, .uuid, .decimal, .binary, .transformable, .undefined, .toOne,
      .toMany, .fetched, .composite:
      .min ... .max
    }
  }

  /// How many eight-byte words a value takes in a row, without its tail.
  package func words(isPolymorphic: Bool) -> Int {
    switch form {
    case .integer, .real, .text, .bytes: 1
    case .uuid: 2
    case .decimal: 3
    case .destination: isPolymorphic ? 2 : 1
    case .none: 0
    }
  }

  /// Whether the value's bytes are in the tail, found by offset and length.
  package var hasTail: Bool { form == .text || form == .bytes }
}

/// How to read a slot's eight-byte words. Rows, columns and files are read and written by forms, so a new type of
/// attribute changes nothing there, unless it has a new form.
package enum RowForm: UInt8 {
  case integer
  case real
  /// UTF-8 in the row's tail.
  case text
  /// Sixteen raw bytes in two words.
  case uuid
  /// Foundation's `Decimal`, 20 bytes in three words.
  case decimal
  /// Bytes in the row's tail.
  case bytes
  /// A row's key, and perhaps its entity.
  case destination
  /// Nothing in the row.
  case none
}

/// The declared types of columns, in the order in which a table has them.
package enum ColumnType: Int {
  case integer, timestamp, float, decimal, varchar
  /// UUIDs and transformable values, which come before other data.
  case object
  case blob

  package var sql: String {
    switch self {
    case .integer: "INTEGER"
    case .timestamp: "TIMESTAMP"
    case .float: "FLOAT"
    case .decimal: "DECIMAL"
    case .varchar: "VARCHAR"
    case .object, .blob: "BLOB"
    }
  }

  /// Columns are in groups; timestamps and floats share one.
  package var group: Int { self == .float ? ColumnType.timestamp.rawValue : rawValue }
}

extension SlotKind {
  package init(_ attribute: NSAttributeDescription) {
    self = attribute is NSCompositeAttributeDescription ? .composite : SlotKind(attribute.attributeType)
  }

  package init(_ type: NSAttributeType) {
    self =
      switch type {
      case .integer16AttributeType: .int16
      case .integer32AttributeType: .int32
      case .integer64AttributeType: .int64
      case .booleanAttributeType: .boolean
      case .doubleAttributeType: .double
      case .floatAttributeType: .float
      case .dateAttributeType: .date
      case .stringAttributeType: .string
      case .URIAttributeType: .uri
      case .UUIDAttributeType: .uuid
      case .decimalAttributeType: .decimal
      case .binaryDataAttributeType: .binary
      case .transformableAttributeType: .transformable
      // The class makes an attribute composite; without elements it has no value.
      case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: .undefined
      }
  }
}
