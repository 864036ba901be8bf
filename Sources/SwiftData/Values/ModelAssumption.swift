import CoreData
@_spi(Reflection) import Swift

/// What this module assumes of the Swift runtime without a promise, in addition to the assumptions in CoreData's room
/// `Runtime`.
///
/// Each assumption is checked once in a run, when it is first needed.
package enum ModelAssumption: String, CaseIterable, Sendable {
  /// `EnumerationCase`.
  case enumerationRecords = "The runtime's records of an enumeration name its cases and what each of them carries"
  /// `ValueShape`, `ModelKeyPaths`.
  case storedFields = "The runtime tells a struct's stored properties, with their names, places and types"
  /// `ModelKeyPaths`.
  case keyPathGetters = "A key path of several steps describes itself by the getters of its steps"

  /// What the module does if the assumption doesn't hold.
  package var otherwise: String {
    switch self {
    case .enumerationRecords, .storedFields:
      "The program ends with this sentence at the first model with a property that is a struct or an enumeration."
    case .keyPathGetters: "Sort descriptors by a key path of several steps are refused: unsupportedSortDescriptor."
    }
  }

  package var isMet: Bool {
    switch self {
    case .enumerationRecords: Self.hasEnumerationRecords
    case .storedFields: Self.hasStoredFields
    case .keyPathGetters: Self.hasKeyPathGetters
    }
  }

  /// Ends the program if the assumption doesn't hold, because everything that relies on it would return wrong values.
  func require() { if !isMet { misuse(report) } }

  package var report: MisuseReport {
    MisuseReport(
      "This version of Swift is not the one that SwiftData was written for.", facts: [("Not so", rawValue)],
      how: otherwise,
      remedy: "Build with the version of Swift that README.md names\(otherRemedy).")
  }

  private var otherRemedy: String {
    switch self {
    case .enumerationRecords, .storedFields:
      ", or keep structs and enumerations out of models: properties of simple types and relationships work"
    case .keyPathGetters: ""
    }
  }

  private static let hasEnumerationRecords: Bool = {
    guard let cases = EnumerationCase.records(of: Sample.Choice.self) else { return false }
    let words = cases.map { item in
      let payload = item.payload?.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
      return item.name + (payload.map { "(\($0))" } ?? "")
    }
    return words == ["one(number: Int)", "two(_0: String, other: Optional<Double>)", "three(_0: Fields)", "none"]
      && EnumerationCase.records(of: Sample.Fields.self) == nil
  }()

  private static let hasStoredFields: Bool = {
    var words: [String] = []
    _ = _forEachField(of: Sample.Fields.self) { name, offset, type, _ in
      words.append("\(String(cString: name)) \(offset) \(type)")
      return true
    }
    return words == ["short 0 Int16", "number 8 Int", "text 16 Optional<String>"]
      && MemoryLayout<Sample.Fields>.offset(of: \.number) == 8
  }()

  private static let hasKeyPathGetters: Bool = {
    let (next, number) = (\Sample.next, \Sample.number)
    let steps = ModelKeyPaths.steps("\(next)") + ModelKeyPaths.steps("\(number)")
    return steps.count == 2 && steps[0] != steps[1] && ModelKeyPaths.steps("\(\Sample.next?.number)") == steps
  }()
}

/// A type to check the assumptions with.
private final class Sample {
  struct Fields {
    var short: Int16 = 0
    var number = 0
    var text: String?
  }
  enum Choice {
    case one(number: Int)
    case none
    case two(String, other: Double?)
    case three(Fields)
  }
  var number: Int { 1 }
  var next: Sample? { nil }
}
