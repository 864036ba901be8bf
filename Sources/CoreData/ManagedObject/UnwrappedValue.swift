/// Unwraps a value given to key-value coding. `NSNull` is an ordinary object here, and a misuse unless the property
/// takes any object; only in `setValuesForKeys(_:)` it means nil.
func given(_ value: Any?, for property: LayoutProperty, of layout: EntityLayout) -> Any? {
  if let found = unwrapped(value) { return found }
  if isNull(value), !property.takesNull { misuse(.unacceptable(NSNull(), property, of: layout)) }
  return nil
}

/// Whether a value is `NSNull`, perhaps inside an optional.
func isNull(_ value: Any?) -> Bool {
  guard let value else { return false }
  if value is NSNull { return true }
  return (value as? any AnyOptional)?.content.map { isNull($0) } ?? false
}

extension LayoutProperty {
  /// Whether `NSNull` may be set, which is so for properties that take any object. It counts as nil there.
  var takesNull: Bool { kind == .transformable || kind == .undefined }
}

/// `nil` for `nil`, `NSNull` and an empty optional inside an `Any`.
func unwrapped(_ value: Any?) -> Any? {
  guard let value else { return nil }
  if isPlain(value) { return value }
  if value is NSNull { return nil }
  guard let optional = value as? any AnyOptional else { return value }
  return unwrapped(optional.content)
}

/// Whether a value has one of the common types, which are neither optionals nor `NSNull`. Comparing types costs a
/// hundredth of a cast to a protocol.
private func isPlain(_ value: Any) -> Bool {
  let type = type(of: value)
  return type == String.self || type == Int.self || type == Double.self || type == Bool.self || type == Date.self
    || type == NSManagedObjectID.self || type == Int64.self || type == Int32.self || type == Int16.self
    || type == NSNumber.self || type == Data.self || type == UUID.self || type == Decimal.self
}

/// An optional of any type, inside an `Any`.
private protocol AnyOptional {
  var content: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var content: Any? { map { $0 as Any } }
}
