/// A way of doing the work. Raw values are what drivers take as their first argument.
enum Variant: String, CaseIterable {
  case c
  case statement
  case index
  case hand
  case codable
  case changes
  case pool
  case foundation
  case strata

  /// The driver's executable, beside the runner's.
  var driver: String {
    switch self {
    case .c: "BenchmarkC"
    case .strata, .foundation: "BenchmarkCoreData"
    case .statement, .index, .hand, .codable, .changes, .pool: "BenchmarkGRDB"
    }
  }

  var title: String {
    switch self {
    case .c: "C"
    case .strata: "Strata"
    case .foundation: "Foundation"
    case .statement, .index, .hand, .codable, .changes, .pool: "GRDB \(rawValue)"
    }
  }
}
