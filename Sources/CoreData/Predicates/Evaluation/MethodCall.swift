import Foundation

/// The methods that `FUNCTION(operand, "selector:", …)`, an operator such as `isKindOfClass:` and a key of a
/// plain value (`title.length`) may call: Linux has no way to call others by name.
///
/// Every function of the language can be called like this too, with the operand as its first argument: `FUNCTION(title,
/// "lowercase")`. A method of nil returns nil, as a message to nil does.
enum MethodCall {
  /// Takes the operand and the arguments, as many as `count` says.
  typealias Call = (PredicateValue, [PredicateValue]) throws -> PredicateValue

  /// Throws an error for a method that can't be called.
  static func named(_ selector: String, count: Int) throws -> Call {
    let colons = selector.utf8.filter { $0 == UInt8(ascii: ":") }.count
    let own = colons == count ? methods[selector] : nil
    guard let call = own ?? builtIn(selector, count: count) else {
      let arguments = methods[selector] == nil ? "" : " with \(count) arguments"
      throw Failure.unsupportedFeature("FUNCTION(…, \"\(selector)\")\(arguments) in an evaluation in memory")
    }
    return { operand, arguments in operand.isNull ? .null : try call(operand, arguments) }
  }

  /// A method without arguments, which is a property as well.
  static func property(_ name: String) -> Call? { name.utf8.last == UInt8(ascii: ":") ? nil : methods[name] }

  private static func builtIn(_ selector: String, count: Int) -> Call? {
    guard let function = PredicateFunction(spelling: selector), function.accepts(count + 1),
      let apply = try? FunctionEvaluation.of(function)
    else { return nil }
    return { operand, arguments in try apply([operand] + arguments) }
  }

  private static let methods: [String: Call] = {
    var methods: [String: Call] = [
      // Of everything.
      "self": { operand, _ in operand },
      "description": { operand, _ in .constant(.string(describe(operand))) },
      "isEqual:": { operand, arguments in truth(ValueComparison.equal(operand, arguments[0])) },
      "isKindOfClass:": { operand, arguments in
        truth(try isInstance(operand, of: arguments[0], exactly: false))
      },
      "isMemberOfClass:": { operand, arguments in
        truth(try isInstance(operand, of: arguments[0], exactly: true))
      },
      "valueForKey:": { operand, arguments in try value(of: operand, arguments[0]) },
      "objectForKey:": { operand, arguments in try value(of: operand, arguments[0]) },
      "valueForKeyPath:": { operand, arguments in
        guard case .constant(.string(let path)) = arguments[0] else { return .null }
        return try CompiledKeyPath(path.split(separator: ".").map(String.init)).value(from: operand)
      },
      // Of collections.
      "count": { operand, _ in .constant(.int(Int64(operand.members?.count ?? 0))) },
      "firstObject": { operand, _ in operand.members?.first ?? .null },
      "lastObject": { operand, _ in operand.members?.last ?? .null },
      "anyObject": { operand, _ in operand.members?.first ?? .null },
      "allObjects": { operand, _ in operand },
      "array": { operand, _ in operand },
      "set": { operand, _ in SetArithmetic.perform(.union, left: operand, right: .values([])) },
      "containsObject:": { operand, arguments in
        truth(SetArithmetic.contains(operand.members ?? [], arguments[0]))
      },
      "objectAtIndex:": { operand, arguments in try FunctionEvaluation.of(.elementAt)([operand] + arguments)
      },
      "componentsJoinedByString:": { operand, arguments in
        guard let members = operand.members, let separator = text(arguments[0]) else { return .null }
        return .constant(.string(members.map(describe).joined(separator: separator)))
      },
      // Of dates.
      "timeIntervalSinceReferenceDate": date { .double($0.timeIntervalSinceReferenceDate) },
      "timeIntervalSince1970": date { .double($0.timeIntervalSince1970) },
      "timeIntervalSinceNow": date { .double($0.timeIntervalSinceNow) },
      "timeIntervalSinceDate:": dates { .double($0.timeIntervalSince($1)) },
      "earlierDate:": dates { .date(min($0, $1)) },
      "laterDate:": dates { .date(max($0, $1)) },
      "isEqualToDate:": dates { .bool($0 == $1) },
    ]
    for name in ["dateByAddingTimeInterval:", "addTimeInterval:"] {
      methods[name] = { operand, arguments in
        guard let start = instant(operand), let seconds = arguments[0].constant.number else { return .null }
        return .constant(.date(start.addingTimeInterval(seconds)))
      }
    }
    // Of numbers, and of texts as the numbers that they begin with.
    for name in ["intValue", "integerValue", "longLongValue", "longValue", "shortValue"] {
      methods[name] = { operand, _ in FunctionEvaluation.integer(operand).map { .constant(.int($0)) } ?? .null
      }
    }
    for name in ["doubleValue", "floatValue"] {
      methods[name] = { operand, _ in
        FunctionEvaluation.number(operand)?.number.map { .constant(.double($0)) } ?? .null
      }
    }
    methods["boolValue"] = { operand, _ in
      if let text = text(operand), operand.constant.number == nil {
        let first = text.drop { $0 == " " || $0 == "+" || $0 == "-" || $0 == "0" }.first
        return truth(first.map { "YyTt123456789".contains($0) } ?? false)
      }
      return truth(operand.constant.number ?? 0 != 0)
    }
    methods["isEqualToNumber:"] = { operand, arguments in
      truth(operand.constant.number != nil && operand.constant.number == arguments[0].constant.number)
    }
    return methods.merging(textMethods) { $1 }
  }()

  // What the tables are made of.

  static func truth(_ value: Bool) -> PredicateValue { .constant(.bool(value)) }

  static func text(_ value: PredicateValue) -> String? {
    guard case .constant(let constant) = value else { return nil }
    return ValueComparison.text(of: constant)
  }

  private static func describe(_ value: PredicateValue) -> String {
    text(value) ?? value.anyValue.map { "\($0)" } ?? ""
  }

  private static func instant(_ value: PredicateValue) -> Date? {
    guard case .constant(.date(let date)) = value else { return nil }
    return date
  }

  private static func date(_ apply: @escaping (Date) -> PredicateConstant) -> Call {
    { operand, _ in instant(operand).map { .constant(apply($0)) } ?? .null }
  }

  private static func dates(_ apply: @escaping (Date, Date) -> PredicateConstant) -> Call {
    { operand, arguments in
      guard let a = instant(operand), let b = instant(arguments[0]) else { return .null }
      return .constant(apply(a, b))
    }
  }

  private static func value(of operand: PredicateValue, _ key: PredicateValue) throws -> PredicateValue {
    guard case .constant(.string(let name)) = key else { return .null }
    return try CompiledKeyPath([name]).value(from: operand)
  }

  /// Scalars count as instances of the classes that box them.
  private static func isInstance(
    _ value: PredicateValue, of type: PredicateValue, exactly: Bool
  ) throws -> Bool {
    guard let type = type.anyValue as? AnyClass else {
      throw Failure.unsupportedFeature("isKindOfClass: with an argument that is not a class")
    }
    let instance: AnyObject
    switch value {
    case .constant(.string(let text)): instance = NSString(string: text)
    case .constant(.date(let date)): instance = date as NSDate
    case .constant(.data(let data)): instance = data as NSData
    case .constant(.uuid(let uuid)): instance = uuid as NSUUID
    case .constant(.url(let url)): instance = url as NSURL
    case .constant(.collection), .values, .subjects: instance = NSArray()
    default:
      guard let object = value.anyValue else { return false }
      instance = object is [AnyHashable: Any] ? NSDictionary() : object as AnyObject
    }
    if exactly { return ObjectIdentifier(Swift.type(of: instance)) == ObjectIdentifier(type) }
    func isKind<Class>(_: Class.Type) -> Bool { instance is Class }
    return _openExistential(type as Any.Type, do: isKind)
  }
}
