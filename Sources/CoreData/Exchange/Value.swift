/// One property's value as it travels inside the stack: typed, never an existential.
///
/// Integers of all widths and booleans share `.int`, `Float` and `Double` share `.double`;
/// the slot's kind says which of them a property is.
package enum Value {
  case null
  /// Integer 16, 32, 64 and Boolean (0 or 1).
  case int(Int64)
  case double(Double)
  case date(Date)
  case string(String)
  case data(Data)
  case uuid(UUID)
  case url(URL)
  case decimal(NSDecimalNumber)
  /// A transformable's object, an undefined transient's object, or a to-one's managed object.
  case object(AnyObject)

  var isNull: Bool {
    if case .null = self { return true }
    return false
  }

  /// The value that a number of the form `real` means in an attribute of a kind.
  init(real: Double, of kind: SlotKind) {
    self = kind == .date ? .date(Date(timeIntervalSinceReferenceDate: real)) : .double(real)
  }

  /// The value that a text of the form `text` means in an attribute of a kind.
  init(text: String, of kind: SlotKind) {
    self = kind == .uri ? URL(string: text).map(Value.url) ?? .null : .string(text)
  }
}
