/// `t0.ZNAME = ?`: one of the row's own columns compared with one value by `= != < <= > >=`. Most comparisons are of
/// this kind, and a `FetchShape` knows no other.
struct ColumnComparison {
  let property: LayoutProperty
  let value: Binding
  private let comparator: Comparison.Comparator

  /// Returns nil for other comparisons, and for a value that doesn't become exactly one parameter.
  // Inlined, because each fetch asks: the call would cost a fetch by key 1 % of its instructions.
  // Inlined by force, as the count of `indexed` asks for; see CONTRIBUTING.md.
  @inline(__always)
  init?(_ comparison: Comparison, entity: EntitySchema, translator: PredicateTranslator) {
    guard comparison.comparator.isPlain, comparison.modifier != .all, comparison.options.isEmpty,
      case .keyPath(let path) = comparison.left, path.count == 1,
      case .constant(let constant) = comparison.right,
      let property = entity.storedProperty(named: path[0]),
      let value = translator.value(of: constant, beside: property, of: entity.layout)
    else { return nil }
    self.property = property
    self.value = value
    comparator = comparison.comparator
  }

  func condition(_ scope: QueryScope, negated: Bool) throws -> SQLExpression {
    let column = PredicateTranslator.value(try scope.column(of: property, in: scope.source), in: scope.source)
    switch comparator {
    case .equalTo: return .equality(column, value, isEqual: !negated)
    case .notEqualTo: return .equality(column, value, isEqual: negated)
    default:
      let condition = SQLExpression.infix(column, comparator.sign, .bound(value))
      return negated ? .notTrue(condition) : condition
    }
  }
}

extension PredicateTranslator {
  /// The constant as one value of the property's column; nil if it isn't one.
  @inline(__always)
  fileprivate func value(
    of constant: PredicateConstant, beside property: LayoutProperty, of layout: EntityLayout
  ) -> Binding? {
    switch constant {
    // An object is no number and no text, though its column has numbers.
    case .string(let text): return property.kind == .toOne ? nil : .text(text)
    case .int(let number): return property.kind == .toOne ? nil : .int(number)
    case .object(let object):
      guard property.kind == .toOne, let id = object as? NSManagedObjectID else { return nil }
      return key(id, in: layout.model.layouts[property.destination])
    default: return property.kind == .toOne ? nil : binding(constant)
    }
  }
}

extension SQLExpression {
  /// Compares a column with a value. Null is unequal to every value.
  static func equality(_ value: SQLExpression, _ bound: Binding, isEqual: Bool) -> SQLExpression {
    isEqual ? .infix(value, "=", .bound(bound)) : .either(.infix(value, "<>", .bound(bound)), value.isNull())
  }
}

extension EntitySchema {
  /// The attribute or to-one relationship with a name; nil if the table has no column with its values. Of a
  /// transformable attribute's object it has only the bytes.
  func storedProperty(named name: String) -> LayoutProperty? {
    guard let property = layout.property(named: name), property.slot >= 0, !property.isTransient,
      property.kind != .transformable, slots[property.slot] != nil
    else { return nil }
    return property
  }
}

extension Comparison.Comparator {
  /// Whether SQL has an operator for it.
  fileprivate var isPlain: Bool {
    switch self {
    case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: true
    case .matches, .like, .beginsWith, .endsWith, .in, .customSelector, .contains, .between: false
    }
  }

  /// SQL's operator for it.
  var sign: StaticString {
    switch self {
    case .equalTo: "="
    case .notEqualTo: "<>"
    case .lessThan: "<"
    case .lessThanOrEqualTo: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqualTo: ">="
    case .matches, .like, .beginsWith, .endsWith, .in, .customSelector, .contains, .between:
      preconditionFailure("SQL has no operator for \(self).")
    }
  }
}
