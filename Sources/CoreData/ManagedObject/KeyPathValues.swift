/// Values along key paths, on objects and on collections.
enum KeyPathValues {
  static func value(of subject: Any?, _ keys: [String]) -> Any? {
    guard let subject, let key = keys.first else { return subject }
    let rest = Array(keys.dropFirst())
    if key == "self" { return value(of: subject, rest) }
    if let object = subject as? NSManagedObject {
      let found = value(of: object.value(forKey: key), rest)
      guard rest.first == "@sum", !(found is NSDecimalNumber),
        object.layout.attribute([key] + rest.dropFirst())?.kind == .decimal
      else { return found }
      // The sum of no decimals is a decimal, too. No member says so.
      return NSDecimalNumber.zero
    }
    if let dictionary = subject as? [String: Any] { return value(of: dictionary[key], rest) }
    let members: [Any]
    switch subject {
    case let set as NSSet: members = set.allObjects
    case let set as NSOrderedSet: members = set.array
    case let array as [Any]: members = array
    case let description as any KeyedDescription: return value(of: description.described(key) ?? nil, rest)
    default: return nil
    }
    if key.hasPrefix("@") { return collect(key, members: members, rest: rest) }
    let values = members.map { value(of: $0, keys) }
    switch subject {
    case is NSSet: return NSSet(array: values.compactMap(\.self))
    case is NSOrderedSet: return NSOrderedSet(array: values.compactMap(\.self))
    // In an array each value stands at its member's place.
    default: return values.map { $0 ?? NSNull() }
    }
  }

  private static func collect(_ collector: String, members: [Any], rest: [String]) -> Any? {
    if collector == "@count" { return NSNumber(value: members.count) }
    let values = rest.isEmpty ? members : members.compactMap { value(of: $0, rest) }
    if let aggregate = Aggregate(collectionOperator: collector) {
      let constants = values.map { PredicateConstant(any: $0) }.filter { !$0.isNull }
      if aggregate == .average, !members.isEmpty { return average(of: constants, count: members.count) }
      return aggregate.value(of: constants).anyValue
    }
    switch collector {
    case "@unionOfObjects": return values
    case "@distinctUnionOfObjects": return distinct(values)
    // For collections of collections: all elements of all the values.
    case "@unionOfArrays", "@unionOfSets": return values.flatMap(elements)
    case "@distinctUnionOfArrays": return distinct(values.flatMap(elements))
    case "@distinctUnionOfSets": return NSSet(array: distinct(values.flatMap(elements)))
    default:
      misuse(
        "The collection operator \(collector) is unknown. The operators are @count, @sum, @avg, @min, @max, @unionOfObjects, "
          + "@distinctUnionOfObjects, @unionOfArrays, @distinctUnionOfArrays, @unionOfSets, @distinctUnionOfSets.")
    }
  }

  /// Key-value coding counts a member without a value as 0, as Apple's guide says; fetches and predicates leave it out.
  /// The average of decimals is one, too; of a fetch it is a double.
  private static func average(of values: [PredicateConstant], count: Int) -> NSNumber? {
    let total = Aggregate.total(of: values)
    if case .decimal(let sum) = total { return NSDecimalNumber(decimal: sum / Decimal(count)) }
    return total.number.map { NSNumber(value: $0 / Double(count)) }
  }

  private static func elements(_ value: Any) -> [Any] {
    (value as? NSSet)?.allObjects ?? (value as? NSOrderedSet)?.array ?? value as? [Any] ?? [value]
  }

  private static func distinct(_ values: [Any]) -> [Any] {
    var seen: Set<AnyHashable> = []
    return values.filter { ($0 as? AnyHashable).map { seen.insert($0).inserted } ?? true }
  }
}
