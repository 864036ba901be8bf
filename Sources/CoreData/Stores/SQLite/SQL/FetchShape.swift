/// What the text of a simple fetch depends on: entity, output, properties, operators, order, limit, but no value.
///
/// Fetches of one shape share a statement, which is found without translating anything. Simple are predicates that
/// compare the entity's own attributes and to-one relationships with constants that are there, by `= != < <= > >=`,
/// under any AND, OR and NOT: each comparison has one parameter, in the predicate's order. Other fetches are
/// translated each time, and find their prepared statement by its text.
struct FetchShape: Hashable {
  enum Output: Int {
    case rows, references, count
  }

  private var words: [Int] = []

  /// nil if the fetch is not simple.
  ///
  /// - Parameter bindings: takes the predicate's values.
  init?(
    _ fetch: FetchDescription, _ output: Output, _ entity: EntitySchema, _ translator: PredicateTranslator,
    _ schema: StoreSchema, bindings: inout [Binding]
  ) {
    words.reserveCapacity(16)
    let flags = (fetch.includesSubentities ? 1 : 0) | (fetch.predicate == nil ? 2 : 0) | output.rawValue << 2
    words.append(fetch.layout.index << 4 | flags)
    if let predicate = fetch.predicate {
      guard add(predicate, entity, translator, schema, &bindings) else { return nil }
    }
    if output == .count { return }
    words.append(fetch.limit)
    words.append(fetch.offset)
    for key in fetch.sort {
      guard key.path.count == 1, key.comparison == nil, let property = FetchShape.property(key.path[0], entity) else { return nil }
      words.append(property.slot << 4 | key.collation.number << 1 | (key.ascending ? 1 : 0))
    }
  }

  private enum Mark: Int {
    case and = -1
    case or = -2
    case not = -3
    case always = -4
    case never = -5
  }

  private mutating func add(
    _ node: PredicateNode, _ entity: EntitySchema, _ translator: PredicateTranslator, _ schema: StoreSchema,
    _ bindings: inout [Binding]
  ) -> Bool {
    switch node {
    case .comparison(let comparison):
      guard comparison.comparator.isSimple, comparison.modifier != .all, comparison.options.isEmpty,
        case .keyPath(let path) = comparison.left, path.count == 1, case .constant(let constant) = comparison.right,
        let property = FetchShape.property(path[0], entity),
        let binding = translator.simpleBinding(constant, for: property, of: entity.layout, schema)
      else { return false }
      words.append(property.slot << 4 | Int(comparison.comparator.rawValue))
      bindings.append(binding)
      return true
    case .and(let members), .or(let members):
      var mark = Mark.or
      if case .and = node { mark = .and }
      words.append(mark.rawValue)
      words.append(members.count)
      for member in members where !add(member, entity, translator, schema, &bindings) { return false }
      return true
    case .not(let member):
      words.append(Mark.not.rawValue)
      return add(member, entity, translator, schema, &bindings)
    case .constant(let value):
      words.append((value ? Mark.always : Mark.never).rawValue)
      return true
    case .block: return false
    }
  }

  /// The attribute or to-one relationship of a name, if the table has a column for it.
  private static func property(_ name: String, _ entity: EntitySchema) -> LayoutProperty? {
    guard let property = entity.layout.property(named: name), property.slot >= 0, !property.isTransient,
      entity.slots[property.slot] != nil
    else { return nil }
    return property
  }
}

extension PredicateTranslator {
  /// The value of a parameter that stands for a constant beside a property's column; nil where a comparison with it
  /// is more, or less, than a parameter.
  fileprivate func simpleBinding(
    _ constant: PredicateConstant, for property: LayoutProperty, of layout: EntityLayout, _ schema: StoreSchema
  ) -> Binding? {
    switch constant {
    case .null, .collection, .other: return nil
    case .string(let text): return .text(text)
    case .int(let number): return .int(number)
    case .object:
      guard property.kind == .toOne else { return nil }
      let destination = schema.layouts.layouts[property.destination]
      return try? binding(constant, for: .reference("", destination), QueryScope(schema, layout))
    default: return try? binding(constant, for: .value("", property.kind), QueryScope(schema, layout))
    }
  }
}

extension Comparison.Comparator {
  fileprivate var isSimple: Bool {
    switch self {
    case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: true
    default: false
    }
  }
}

extension SortKey.Collation {
  fileprivate var number: Int {
    switch self {
    case .binary: 0
    case .caseInsensitive: 1
    case .localized: 2
    case .localizedCaseInsensitive: 3
    case .localizedStandard: 4
    }
  }
}
