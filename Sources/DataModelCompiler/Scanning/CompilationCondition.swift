/// The value of an `#if`'s condition, as far as the platform alone decides it.
enum CompilationCondition {
  /// nil when it depends on flags or on what can be imported.
  static func value(of text: String) -> Bool? {
    var condition = text.filter { $0 != " " }
    if condition.hasPrefix("!"), !condition.contains("&&"), !condition.contains("||") {
      let negations = condition.prefix { $0 == "!" }.count
      condition.removeFirst(negations)
      return value(of: condition).map { $0 == (negations % 2 == 0) }
    }
    if condition.contains("||") || condition.contains("(") && condition.contains("&&") { return nil }
    switch condition {
    case "canImport(ObjectiveC)", "canImport(UIKit)", "canImport(AppKit)", "canImport(Combine)",
      "canImport(SwiftUI)":
      return false
    case "canImport(Foundation)", "canImport(CoreData)", "true": return true
    case "false": return false
    default:
      guard condition.hasPrefix("os("), condition.hasSuffix(")") else { return nil }
      return condition == "os(Linux)"
    }
  }
}
