/// `t0.ZNAME = ?`: one of the row's own columns beside one value, by `= != < <= > >=`. Most comparisons are
/// such, and they are the ones that a `FetchShape` knows.
struct ColumnComparison {
  let property: LayoutProperty
  let value: Binding
  private let column: SlotColumn
  private let comparator: Comparison.Comparator

  /// nil for other comparisons, and where one with a value is more or less than one parameter.
  init?(_ comparison: Comparison, _ entity: EntitySchema, _ translator: PredicateTranslator) {
    guard comparison.modifier != .all, comparison.options.isEmpty, comparison.comparator.sign != nil,
      case .keyPath(let path) = comparison.left, path.count == 1,
      case .constant(let constant) = comparison.right,
      let (property, column) = entity.column(named: path[0])
    else { return nil }
    if case .object(let object) = constant {
      guard property.kind == .toOne, let id = object as? NSManagedObjectID,
        let key = translator.key(id, in: entity.layout.model.layouts[property.destination])
      else { return nil }
      value = key
    } else {
      guard let bound = PredicateTranslator.binding(constant) else { return nil }
      value = bound
    }
    self.property = property
    self.column = column
    comparator = comparison.comparator
  }

  func condition(_ source: QueryScope.Source, negated: Bool) -> SQLExpression {
    let column = PredicateTranslator.value(column, in: source)
    switch comparator {
    case .equalTo: return .equality(column, value, isEqual: !negated)
    case .notEqualTo: return .equality(column, value, isEqual: negated)
    default:
      let condition = SQLExpression.infix(column, comparator.sign ?? "=", .bound(value))
      return negated ? .notTrue(condition) : condition
    }
  }
}

extension SQLExpression {
  /// Null is unequal to every value.
  static func equality(_ value: SQLExpression, _ bound: Binding, isEqual: Bool) -> SQLExpression {
    isEqual ? .infix(value, "=", .bound(bound)) : .either(.infix(value, "<>", .bound(bound)), value.isNull())
  }
}

extension EntitySchema {
  /// The attribute or to-one relationship of a name, and its column; nil if the table has none for it.
  func column(named name: String) -> (LayoutProperty, SlotColumn)? {
    guard let property = layout.property(named: name), property.slot >= 0, !property.isTransient,
      let column = slots[property.slot]
    else { return nil }
    return (property, column)
  }
}

extension Comparison.Comparator {
  /// In SQL; nil for what is no plain operator.
  var sign: StaticString? {
    switch self {
    case .equalTo: "="
    case .notEqualTo: "<>"
    case .lessThan: "<"
    case .lessThanOrEqualTo: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqualTo: ">="
    case .matches, .like, .beginsWith, .endsWith, .in, .customSelector, .contains, .between: nil
    }
  }
}
