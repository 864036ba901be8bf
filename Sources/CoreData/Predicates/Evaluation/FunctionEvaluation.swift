import Foundation

/// The functions of the language. Those that SQLite has too compute the same as there.
enum FunctionEvaluation {
  typealias Application = ([PredicateValue]) throws -> PredicateValue

  /// Throws an error for a function that can't be evaluated.
  static func of(_ function: PredicateFunction) throws -> Application {
    switch function {
    case .sum: return aggregate(Aggregate.sum.value)
    case .count: return aggregate(Aggregate.count.value)
    case .min: return aggregate(Aggregate.min.value)
    case .max: return aggregate(Aggregate.max.value)
    case .average: return aggregate(Aggregate.average.value)
    case .median: return aggregate(Statistics.median)
    case .mode: return aggregate(Statistics.mode)
    case .standardDeviation: return aggregate(Statistics.standardDeviation)
    case .add: return arithmetic({ $0.addingReportingOverflow($1) }, +)
    case .subtract: return arithmetic({ $0.subtractingReportingOverflow($1) }, -)
    case .multiply: return arithmetic({ $0.multipliedReportingOverflow(by: $1) }, *)
    case .divide: return divide
    case .modulus:
      return integers { a, b in b == 0 ? nil : a.remainderReportingOverflow(dividingBy: b).partialValue }
    case .squareRoot: return real(Foundation.sqrt)
    case .logarithm: return real { $0 > 0 ? log10($0) : .nan }
    case .naturalLogarithm: return real { $0 > 0 ? Foundation.log($0) : .nan }
    case .power:
      return { values in
        guard let a = number(values[0])?.number, let b = number(values[1])?.number else { return .null }
        return result(pow(a, b))
      }
    case .exponential: return real(Foundation.exp)
    case .ceiling: return rounding(.up)
    case .floor: return rounding(.down)
    case .truncate: return rounding(.towardZero)
    case .absolute: return absolute
    case .random: return { _ in .constant(.double(Double.random(in: 0..<1))) }
    case .randomBelow:
      return { values in
        guard let bound = integer(values[0]), bound > 0 else { return .null }
        return .constant(.int(Int64.random(in: 0..<bound)))
      }
    case .bitwiseAnd: return integers { $0 & $1 }
    case .bitwiseOr: return integers { $0 | $1 }
    case .bitwiseXor: return integers { $0 ^ $1 }
    case .leftShift: return integers { $0 << $1 }
    case .rightShift: return integers { $0 >> $1 }
    case .onesComplement:
      return { values in integer(values[0]).map { .constant(.int(~$0)) } ?? .null }
    case .now: return { _ in .constant(.date(Date())) }
    case .uppercase: return text { $0.uppercased() }
    case .lowercase: return text { $0.lowercased() }
    case .canonical:
      return text { foldForComparison($0, options: [.caseInsensitive, .diacriticInsensitive], foldsWidth: false) }
    case .length: return length
    case .noIndex: return { $0[0] }
    case .cast: return { values in cast(values[0].constant, to: values[1].constant) }
    case .elementAt:
      return { values in
        guard let members = values[0].members, let index = integer(values[1]), index >= 0,
          index < members.count
        else { return .null }
        return members[Int(index)]
      }
    case .distance: throw Failure.unsupportedFeature("The function \(function.rawValue)")
    }
  }

  /// Of one collection, or of all arguments.
  private static func aggregate(_ apply: @escaping ([PredicateConstant]) -> PredicateConstant) -> Application {
    { values in
      if values.count == 1 {
        if case .subjects(let subjects) = values[0] {
          return .constant(apply(subjects.map { .other($0.predicateObject) }))
        }
        return .constant(apply((values[0].members ?? [values[0]]).map(\.constant).filter { !$0.isNull }))
      }
      // If one of several values is nil, the result is nil, as in SQLite.
      if values.contains(where: \.isNull) { return .null }
      return .constant(apply(values.map(\.constant)))
    }
  }

  /// A value as a number. A text counts as the number that it begins with, as in SQLite.
  static func number(_ value: PredicateValue) -> PredicateConstant? {
    guard case .constant(let constant) = value else { return nil }
    switch constant {
    case .int, .double: return constant
    case .bool(let flag): return .int(flag ? 1 : 0)
    case .date, .decimal: return constant.number.map(PredicateConstant.double)
    case .string(let text): return ValueComparison.leadingNumber(of: text)
    case .nothing, .data, .uuid, .url, .collection, .object, .other: return nil
    }
  }

  /// The integer of a value, cut and within bounds.
  static func integer(_ value: PredicateValue) -> Int64? {
    switch number(value) {
    case .int(let value)?: return value
    case .double(let value)?:
      if value.isNaN { return 0 }
      return value >= 0x1p63 ? .max : (value <= -0x1p63 ? .min : Int64(value))
    default: return nil
    }
  }

  private static func result(_ value: Double) -> PredicateValue {
    value.isNaN ? .null : .constant(.double(value))
  }

  /// Integers stay integers unless they overflow.
  private static func arithmetic(
    _ exact: @escaping (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
    _ real: @escaping (Double, Double) -> Double
  ) -> Application {
    { values in
      guard let a = number(values[0]), let b = number(values[1]) else { return .null }
      if case .int(let x) = a, case .int(let y) = b {
        let (value, overflow) = exact(x, y)
        if !overflow { return .constant(.int(value)) }
      }
      return result(real(a.number ?? .nan, b.number ?? .nan))
    }
  }

  private static func divide(_ values: [PredicateValue]) -> PredicateValue {
    guard let a = number(values[0]), let b = number(values[1]), let divisor = b.number, divisor != 0 else {
      return .null
    }
    if case .int(let x) = a, case .int(let y) = b {
      let (value, overflow) = x.dividedReportingOverflow(by: y)
      if !overflow { return .constant(.int(value)) }
    }
    return result((a.number ?? .nan) / divisor)
  }

  private static func integers(_ apply: @escaping (Int64, Int64) -> Int64?) -> Application {
    { values in
      guard let a = integer(values[0]), let b = integer(values[1]), let value = apply(a, b) else {
        return .null
      }
      return .constant(.int(value))
    }
  }

  private static func real(_ apply: @escaping (Double) -> Double) -> Application {
    { values in
      guard let value = number(values[0])?.number else { return .null }
      return result(apply(value))
    }
  }

  private static func rounding(_ rule: FloatingPointRoundingRule) -> Application {
    { values in
      guard let value = number(values[0]) else { return .null }
      if case .int = value { return .constant(value) }
      return result((value.number ?? .nan).rounded(rule))
    }
  }

  private static func absolute(_ values: [PredicateValue]) -> PredicateValue {
    switch number(values[0]) {
    case .int(let value)? where value != .min: .constant(.int(Swift.abs(value)))
    case let value?: result(Swift.abs(value.number ?? .nan))
    case nil: .null
    }
  }

  private static func text(_ apply: @escaping (String) -> String) -> Application {
    { values in
      guard case .constant(let constant) = values[0], let text = ValueComparison.text(of: constant) else {
        return .null
      }
      return .constant(.string(apply(text)))
    }
  }

  /// Characters as Unicode scalars, or bytes.
  private static func length(_ values: [PredicateValue]) -> PredicateValue {
    if let members = values[0].members { return .constant(.int(Int64(members.count))) }
    guard case .constant(let constant) = values[0] else { return .null }
    if case .data(let data) = constant { return .constant(.int(Int64(data.count))) }
    guard let text = ValueComparison.text(of: constant) else { return .null }
    return .constant(.int(Int64(text.unicodeScalars.count)))
  }

  /// Classes that `cast` makes, by their names in Objective-C and in Swift.
  static let castTypes: Set<String> = [
    "NSString", "String", "NSNumber", "NSDecimalNumber", "Decimal", "Double", "Int", "NSDate", "Date",
    "NSURL",
    "URL", "NSUUID", "UUID", "NSData", "Data",
  ]

  private static func cast(_ value: PredicateConstant, to type: PredicateConstant) -> PredicateValue {
    guard case .string(let name) = type, !value.isNull else { return .null }
    switch name {
    case "NSString", "String": return ValueComparison.text(of: value).map { .constant(.string($0)) } ?? .null
    case "NSDecimalNumber", "Decimal":
      if case .decimal = value { return .constant(value) }
      if case .string(let text) = value, let exact = Decimal(string: text) {
        return .constant(.decimal(exact))
      }
      return number(.constant(value))?.decimal.map { .constant(.decimal($0)) } ?? .null
    case "NSNumber", "Double", "Int":
      if value.number != nil, case .date = value { return .constant(.double(value.number ?? 0)) }
      let result = number(.constant(value))
      // A text becomes an integer if it spells one, in any notation.
      if case .string = value, case .double(let real)? = result, let whole = Int64(exactly: real),
        whole.magnitude < 1 << 51
      {
        return .constant(.int(whole))
      }
      return result.map(PredicateValue.constant) ?? .null
    case "NSDate", "Date":
      guard let seconds = number(.constant(value))?.number else { return .null }
      return .constant(.date(Date(timeIntervalSinceReferenceDate: seconds)))
    case "NSURL", "URL":
      return ValueComparison.text(of: value).flatMap(URL.init(string:)).map { .constant(.url($0)) } ?? .null
    case "NSUUID", "UUID":
      return ValueComparison.text(of: value).flatMap(UUID.init(uuidString:)).map { .constant(.uuid($0)) }
        ?? .null
    case "NSData", "Data":
      switch value {
      case .data: return .constant(value)
      case .uuid(let uuid): return .constant(.data(withUnsafeBytes(of: uuid.uuid) { Data($0) }))
      default:
        return ValueComparison.text(of: value).flatMap { Data(base64Encoded: $0) }.map {
          .constant(.data($0))
        }
          ?? .null
      }
    default: return .null
    }
  }
}

/// The functions of many values that are no aggregates: SQL doesn't know them. nils are left out before.
enum Statistics {
  static func median(_ values: [PredicateConstant]) -> PredicateConstant {
    let numbers = values.compactMap(\.number).sorted()
    if numbers.isEmpty { return .null }
    let middle = numbers.count / 2
    return .double(numbers.count % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2)
  }

  /// The values that occur most often, in the order of their first occurrence.
  static func mode(_ values: [PredicateConstant]) -> PredicateConstant {
    var counts: [PredicateConstant: Int] = [:]
    for value in values { counts[value, default: 0] += 1 }
    guard let most = counts.values.max() else { return .null }
    var result: [PredicateConstant] = []
    for value in values where counts[value] == most {
      result.append(value)
      // So that it comes once.
      counts[value] = 0
    }
    return .collection(result)
  }

  /// The standard deviation of the whole population, not of a sample.
  static func standardDeviation(_ values: [PredicateConstant]) -> PredicateConstant {
    let numbers = values.compactMap(\.number)
    if numbers.isEmpty { return .null }
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    let variance = numbers.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(numbers.count)
    return .double(variance.squareRoot())
  }
}
