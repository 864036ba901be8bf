/// Values along key paths, on objects and on collections.
enum KeyPathValues {
  static func value(of subject: Any?, _ keys: [String]) -> Any? {
    guard let subject, let key = keys.first else { return subject }
    let rest = Array(keys.dropFirst())
    if key == "self" { return value(of: subject, rest) }
    if let object = subject as? NSManagedObject { return value(of: object.value(forKey: key), rest) }
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
    let values = members.compactMap { value(of: $0, keys) }
    switch subject {
    case is NSSet: return NSSet(array: values)
    case is NSOrderedSet: return NSOrderedSet(array: values)
    default: return values
    }
  }

  private static func collect(_ collector: String, members: [Any], rest: [String]) -> Any? {
    if collector == "@count" { return NSNumber(value: members.count) }
    let values = rest.isEmpty ? members : members.compactMap { value(of: $0, rest) }
    if let aggregate = Aggregate(collectionOperator: collector) {
      let constants = values.map { PredicateConstant(any: $0) }.filter { !$0.isNull }
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

  private static func elements(_ value: Any) -> [Any] {
    (value as? NSSet)?.allObjects ?? (value as? NSOrderedSet)?.array ?? value as? [Any] ?? [value]
  }

  private static func distinct(_ values: [Any]) -> [Any] {
    var seen: Set<AnyHashable> = []
    return values.filter { ($0 as? AnyHashable).map { seen.insert($0).inserted } ?? true }
  }
}
