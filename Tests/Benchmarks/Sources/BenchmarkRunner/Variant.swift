/// A way of doing the work. Raw values are what drivers take as their first argument.
enum Variant: String, CaseIterable {
  case c
  /// C that does what delete rules and inverse relationships demand.
  case rules
  case statement
  case index
  case hand
  case codable
  case changes
  case pool
  case foundation
  case strata
  /// Models that are plain classes; managed objects with the same properties; objects that are only observed.
  case models
  case objects
  case observed

  /// The driver's executable, beside the runner's.
  var driver: String {
    switch self {
    case .c, .rules: "BenchmarkC"
    case .strata, .foundation: "BenchmarkCoreData"
    case .models, .objects, .observed: "BenchmarkSwiftData"
    case .statement, .index, .hand, .codable, .changes, .pool: "BenchmarkGRDB"
    }
  }

  /// Whether it is another library, that does what Strata does.
  var isPeer: Bool { driver == "BenchmarkGRDB" }

  var title: String {
    switch self {
    case .c: "C"
    case .rules: "C by the rules"
    case .strata: "Strata"
    case .foundation: "Foundation"
    case .models: "Strata's SwiftData"
    case .objects: "Strata's Core Data"
    case .observed: "observation alone"
    case .statement, .index, .hand, .codable, .changes, .pool: "GRDB \(rawValue)"
    }
  }
}
