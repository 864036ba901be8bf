import Foundation

/// The constants of an attribute in XML: default value, limits, pattern. The XML has text; they become values of the
/// attribute's type.
enum AttributeConstants {
  static func read(into attribute: inout DataModel.Attribute, from fields: inout ElementFields) {
    let type = attribute.type
    attribute.defaultValue = constant(
      "defaultValueString", dateName: "defaultDateTimeInterval", type: type, fields: &fields)
    // The limits of a string are those of its length.
    let limitType = type == .string ? DataModel.AttributeType.integer64 : type
    attribute.minimum = constant(
      "minValueString", dateName: "minDateTimeInterval", type: limitType, fields: &fields)
    attribute.maximum = constant(
      "maxValueString", dateName: "maxDateTimeInterval", type: limitType, fields: &fields)
    attribute.regularExpression = fields.nonEmpty("regularExpressionString")
  }

  private static func constant(
    _ name: String, dateName: String, type: DataModel.AttributeType, fields: inout ElementFields
  ) -> DataModel.Value? {
    let text = fields.string(name)
    let interval = fields.double(dateName)
    // The number counts. The text beside it is only how the editor spells the date.
    if type == .date { return interval.map { .date($0) } }
    guard let text else { return nil }
    // An empty field means no value, except for a string's default, which may be empty.
    if text.isEmpty { return type == .string ? .string("") : nil }
    if let value = value(text, of: type) { return value }
    switch type.notation {
    case .none:
      fields.report(
        .warning, "\(name)=\"\(text)\" is ignored: \(type.editorName) attributes don't take it")
    case .uuid, .uri:
      // Xcode's editor doesn't check these two types, and published models contain nonsense here.
      fields.report(.warning, "\(name)=\"\(text)\" is ignored: it is not a value of type \(type.editorName)")
    case .integer, .real, .decimal, .boolean, .text, .date:
      fields.report(.error, "\(name)=\"\(text)\" is not a value of type \(type.editorName)")
    }
    return nil
  }

  /// Nil if the text isn't a value of the type, or if values of the type have no text.
  static func value(_ text: String, of type: DataModel.AttributeType) -> DataModel.Value? {
    switch type.notation {
    case .integer(let bits): integer(text, bits: bits)
    case .decimal: isDecimal(text) ? Decimal(string: text).map { .decimal($0) } : nil
    case .real: Double(text).flatMap { $0.isFinite ? .double($0) : nil }
    case .boolean:
      switch text {
      case "YES", "true", "1": .boolean(true)
      case "NO", "false", "0": .boolean(false)
      default: nil
      }
    case .text: .string(text)
    case .uuid: UUID(uuidString: text).map { .uuid($0) }
    case .uri: URL(string: text).map { _ in .uri(text) }
    case .date, .none: nil
    }
  }

  /// Also accepts `3.0`, which the editor leaves when an attribute's type is changed.
  private static func integer(_ text: String, bits: Int) -> DataModel.Value? {
    let number = Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    let largest = Int64.max >> (64 - bits)
    return number.flatMap { (~largest...largest).contains($0) ? .integer($0) : nil }
  }

  /// `Decimal(string:)` stops at the first character that it doesn't know. This checks all characters.
  private static func isDecimal(_ text: String) -> Bool {
    Double(text)?.isFinite == true && !text.lowercased().contains("x")
  }
}
