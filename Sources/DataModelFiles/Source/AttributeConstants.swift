import Foundation

/// The constants of an attribute in XML: default value, limits, pattern. The XML has text; they become values of the
/// attribute's type.
///
/// The editor keeps what was typed when an attribute's type is changed, and published models contain nonsense. No
/// constant is part of a version hash. So one that doesn't fit is left out, with a warning.
enum AttributeConstants {
  /// What a constant is to its attribute.
  enum Role { case defaultValue, limit }

  static func read(into attribute: inout DataModel.Attribute, from fields: inout ElementFields) {
    let type = attribute.type
    attribute.defaultValue = constant(
      "defaultValueString", as: .defaultValue, dateName: "defaultDateTimeInterval", type: type, fields: &fields)
    attribute.minimum = constant(
      "minValueString", as: .limit, dateName: "minDateTimeInterval", type: type, fields: &fields)
    attribute.maximum = constant(
      "maxValueString", as: .limit, dateName: "maxDateTimeInterval", type: type, fields: &fields)
    attribute.regularExpression = fields.nonEmpty("regularExpressionString")
  }

  private static func constant(
    _ name: String, as role: Role, dateName: String, type: DataModel.AttributeType, fields: inout ElementFields
  ) -> DataModel.Value? {
    let text = fields.string(name)
    let interval = fields.double(dateName)
    // The number counts. The text beside it is only how the editor spells the date.
    if type == .date { return interval.map { .date($0) } }
    guard let text else { return nil }
    // An empty field means no value, except for a string's default, which may be empty.
    if text.isEmpty { return type == .string && role == .defaultValue ? .string("") : nil }
    if let value = value(text, as: role, of: type) { return value }
    fields.report(.warning, "\(name)=\"\(text)\" is ignored: \(refusal(of: role, for: type))")
    return nil
  }

  /// Why a text was no constant.
  static func refusal(of role: Role, for type: DataModel.AttributeType) -> String {
    if case .none = type.notation { return "\(type.editorName) attributes don't take it" }
    return switch role {
    case .defaultValue: "it is not a value of type \(type.editorName)"
    case .limit: "it can't limit values of type \(type.editorName)"
    }
  }

  /// Nil if the text can't be such a constant, or if values of the type have no text. Dates are for the caller.
  static func value(_ text: String, as role: Role, of type: DataModel.AttributeType) -> DataModel.Value? {
    switch role {
    // `YES` may be left from a Boolean.
    case .defaultValue: value(text, of: type) ?? truth(text).flatMap { value($0 ? "1" : "0", of: type) }
    case .limit: limit(text, of: type)
    }
  }

  /// A limit: the number that it is, even one that the attribute's type doesn't hold. That of a string is a length.
  private static func limit(_ text: String, of type: DataModel.AttributeType) -> DataModel.Value? {
    switch type.notation {
    case .text: value(text, of: .integer64)
    case .integer: value(text, of: .integer64) ?? value(text, of: .decimal)
    case .real, .decimal, .boolean, .uuid, .uri, .date, .none: value(text, of: type)
    }
  }

  private static func value(_ text: String, of type: DataModel.AttributeType) -> DataModel.Value? {
    switch type.notation {
    case .integer(let bits): integer(text, bits: bits)
    case .decimal: decimal(text)
    case .real: number(text).map { .double($0) }
    case .boolean: (truth(text) ?? number(text).map { $0 != 0 }).map { .boolean($0) }
    case .text: .string(text)
    case .uuid: UUID(uuidString: text).map { .uuid($0) }
    case .uri: URL(string: text).map { _ in .uri(text) }
    case .date, .none: nil
    }
  }

  private static func truth(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true": true
    case "no", "false": false
    default: nil
    }
  }

  private static func number(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

  /// Also accepts `3.0`, which the editor leaves when an attribute's type is changed.
  private static func integer(_ text: String, bits: Int) -> DataModel.Value? {
    let number = Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    let largest = Int64.max >> (64 - bits)
    return number.flatMap { (~largest...largest).contains($0) ? .integer($0) : nil }
  }

  /// `Decimal(string:)` stops at the first character that it doesn't know. This checks all characters. Nil also for a
  /// number that is too large.
  private static func decimal(_ text: String) -> DataModel.Value? {
    guard number(text) != nil, !text.lowercased().contains("x"), let decimal = Decimal(string: text), !decimal.isNaN
    else { return nil }
    return .decimal(decimal)
  }
}
