import Foundation

/// A key path cut into keys and collection operators.
struct CompiledKeyPath {
  private enum Step {
    case key(PredicateKey)
    case collectionOperator(CollectionOperator, name: String)
  }
  private let steps: [Step]

  /// Throws for an operator that does not exist.
  init(_ path: [String]) throws {
    steps = try path.map { name in
      guard name.hasPrefix("@") else { return .key(PredicateKey(name)) }
      guard let operation = CollectionOperator(name) else {
        throw Failure.unsupportedFeature("The collection operator \(name)")
      }
      return .collectionOperator(operation, name: name)
    }
  }

  /// The key, if the path is just one.
  var onlyKey: PredicateKey? {
    guard steps.count == 1, case .key(let key) = steps[0] else { return nil }
    return key
  }

  func value(from start: PredicateValue) throws -> PredicateValue { try value(from: start, step: 0) }

  private func value(from start: PredicateValue, step: Int) throws -> PredicateValue {
    var value = start
    var step = step
    while step < steps.count {
      switch steps[step] {
      case .key(let key):
        switch value {
        case .subject(let subject):
          value = try subject.predicateValue(for: key)
          if value.isNull, step + 1 < steps.count, let place = subject.placeOfMany(on: keys(from: step)) {
            return step + place + 1 == steps.count ? .subjects([]) : try flattened([], step: step + 1)
          }
        case .constant(.nothing): return countsNothing(from: step) ? .constant(.int(0)) : .null
        case .constant(.object(let object as any PredicateSubject)),
          .constant(.other(let object as any PredicateSubject)):
          value = try object.predicateValue(for: key)
        case .subjects(let subjects):
          return try flattened(subjects.map(PredicateValue.subject), step: step)
        case .values(let values): return try flattened(values, step: step)
        case .constant(.collection(let constants)):
          return try flattened(constants.map(PredicateValue.constant), step: step)
        case .constant(.string(let text)) where step == 0 && key.name == "length":
          // A text that is asked itself answers as `NSString` does; a property's length is that of SQL.
          value = .constant(.int(Int64(text.utf16.count)))
        case .constant(let constant): value = try CompiledKeyPath.property(key.name, of: constant)
        }
      case .collectionOperator(let operation, let name):
        if operation.isCount, case .subjects(let subjects) = value {
          return .constant(.int(Int64(subjects.count)))
        }
        if value.isNull { return operation.isCount ? .constant(.int(0)) : .null }
        guard let members = value.members else {
          throw Failure.unsupportedFeature("The collection operator \(name) on a single value")
        }
        let rest = step + 1
        let operands = try members.map { try self.value(from: $0, step: rest) }
        return operation.value(of: operands)
      }
      step += 1
    }
    return value
  }

  /// The rest of the path for each member. Members' collections are joined.
  ///
  /// An operator further on works on all of them together: `books.chapters.@count` counts all chapters.
  private func flattened(_ members: [PredicateValue], step: Int) throws -> PredicateValue {
    var result: [PredicateValue] = []
    let operatorStep = steps[step...].firstIndex { if case .collectionOperator = $0 { true } else { false } }
    let end = operatorStep ?? steps.count
    let part = CompiledKeyPath(steps: Array(steps[step..<end]))
    for member in members {
      let value = try part.value(from: member, step: 0)
      if let inner = value.members { result += inner } else { result.append(value) }
    }
    guard let operatorStep else { return .values(result) }
    return try value(from: .values(result), step: operatorStep)
  }

  private init(steps: [Step]) { self.steps = steps }

  /// The keys up to the next operator.
  private func keys(from step: Int) -> [PredicateKey] {
    var keys: [PredicateKey] = []
    for case .key(let key) in steps[step...].prefix(while: { if case .key = $0 { true } else { false } }) {
      keys.append(key)
    }
    return keys
  }

  /// Whether the path ends in a count, which is 0 behind a nil relationship.
  private func countsNothing(from step: Int) -> Bool {
    steps[step...].contains {
      if case .collectionOperator(let operation, _) = $0 { operation.isCount } else { false }
    }
  }

  /// The few properties that plain values have.
  private static func property(_ name: String, of constant: PredicateConstant) throws -> PredicateValue {
    switch constant {
    case .other(let value): return try MirrorSubject(value).predicateValue(for: PredicateKey(name))
    case .object(let value): return try MirrorSubject(value).predicateValue(for: PredicateKey(name))
    default:
      if let property = MethodCall.property(name) { return try property(.constant(constant), []) }
      throw Failure.unknownKeyPath(
        keyPath: name, entity: "the value \(PredicatePrinter.print(.constant(constant)))", missing: name)
    }
  }
}

/// `@count` and its like.
enum CollectionOperator {
  case aggregate(Aggregate)
  case union
  case distinctUnion

  /// - Parameter name: with the `@`.
  init?(_ name: String) {
    switch name {
    case "@unionOfObjects", "@unionOfArrays", "@unionOfSets": self = .union
    case "@distinctUnionOfObjects", "@distinctUnionOfArrays", "@distinctUnionOfSets": self = .distinctUnion
    default:
      guard let aggregate = Aggregate(collectionOperator: name) else { return nil }
      self = .aggregate(aggregate)
    }
  }

  var isCount: Bool { if case .aggregate(.count) = self { true } else { false } }

  func value(of operands: [PredicateValue]) -> PredicateValue {
    // Collections opened, nils left out.
    func flat() -> [PredicateValue] { operands.flatMap { $0.members ?? [$0] }.filter { !$0.isNull } }
    return switch self {
    case .aggregate(let aggregate): .constant(aggregate.value(of: operands.map(\.constant)))
    case .union: .values(flat())
    case .distinctUnion: .values(SetArithmetic.distinct(flat()))
    }
  }
}
