import Foundation

/// Runs the chosen operations in rounds: in each round every operation is run once by each of its variants,
/// one right after the other.
struct Rounds {
  let operations: [Operation]
  let variants: Set<Variant>
  let drivers: Drivers
  let stores: Stores
  let rounds: Int

  func variants(of operation: Operation) -> [Variant] {
    operation.variants.filter(variants.contains)
  }

  /// Returns the figures of the rounds that went well, and what ended a later one. Throws if the first one fails.
  func run(progress: (String) -> Void) throws -> (samples: Samples, failure: (any Error)?) {
    var complete = Samples(size: stores.size)
    for round in 0..<rounds {
      progress("round \(round + 1) of \(rounds), \(stores.size.grouped) books")
      var samples = complete
      do {
        for operation in operations { try run(operation, round: round, into: &samples) }
      } catch {
        if round == 0 { throw error }
        return (complete, error)
      }
      complete = samples
    }
    return (complete, nil)
  }

  private func run(_ operation: Operation, round: Int, into samples: inout Samples) throws {
    var agreement = Agreement(operation: operation.name, size: stores.size)
    let variants = variants(of: operation)
    for position in variants.indices {
      // Each round begins with another variant, so that none always runs in the wake of the same one.
      let variant = variants[(position + round) % variants.count]
      let store = try stores.store(for: operation, variant)
      let lines = try drivers.run(variant, operation.name, size: stores.size, store: store)
      if operation.isTimed, lines[operation.name].flatMap(Double.init) == nil {
        throw BenchmarkFailure("\(variant.title) \(operation.name) printed no time")
      }
      for (name, text) in lines {
        let isFigure = name == operation.name || Agreement.figures.contains { name.hasSuffix(".\($0)") }
        if isFigure, let value = Double(text) {
          samples.record(value, for: Figure(variant, name), round: round)
        }
      }
      try agreement.compare(variant, lines)
      if let audit = operation.audit {
        try agreement.compare(variant, drivers.run(.c, audit, size: stores.size, store: store))
      }
      stores.removeOwn(store)
    }
  }
}

/// What all variants of an operation must have read, and what their stores must hold afterwards.
struct Agreement {
  let operation: String
  let size: Int
  private var first: [String: (variant: Variant, value: String)] = [:]

  /// The names of lines that are measurements, and not facts to agree on.
  static let figures = ["rss", "heap", "unfired"]

  init(operation: String, size: Int) {
    self.operation = operation
    self.size = size
  }

  /// Fails when a variant did something else than the ones before it.
  mutating func compare(_ variant: Variant, _ lines: [String: String]) throws {
    for (name, value) in lines.sorted(by: { $0.key < $1.key }) {
      guard let what = name.split(separator: ".").dropFirst().first.map(String.init),
        !Self.figures.contains(what)
      else { continue }
      if let other = first[name], other.value != value {
        throw BenchmarkFailure(
          """
          \(operation), \(size.grouped) books: \(variant.title) and \(other.variant.title) \
          do not do the same work.
            \(what) of \(variant.title): \(value)
            \(what) of \(other.variant.title): \(other.value)
          Times of different work cannot be compared.
          """)
      }
      first[name] = first[name] ?? (variant, value)
    }
  }
}
