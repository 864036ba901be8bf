extension PredicateTranslator {
  /// Converts a constant to the type of the other side. Returns nil for null, for NaN, and for an object of another
  /// store.
  func binding(_ constant: PredicateConstant, for other: SQLOperand, _ scope: QueryScope) throws -> Binding? {
    switch constant {
    case .collection: throw scope.unsupported("A collection within a comparison")
    case .object(let object):
      if case .entity = other {
        guard let entity = object as? NSEntityDescription, let layout = scope.schema.layouts.layout(of: entity) else {
          throw scope.unsupported("An entity compared with \(object)")
        }
        return scope.schema.entities[layout.index].map { .int(Int64($0.number)) }
      }
      guard let id = object as? NSManagedObjectID else {
        throw scope.unsupported("The object \(object)")
      }
      guard case .reference(_, let layout) = other else { return key(id, in: id.layout) }
      return key(id, in: layout)
    case .other(let value): throw scope.unsupported("The value \(value)")
    default:
      // An object is no number and no text, though its column has numbers.
      if case .reference = other { return nil }
      return binding(constant)
    }
  }

  /// The value of a constant whose type doesn't depend on the other side; nil for null, objects and collections, and
  /// for NaN, which SQL would take for null and memory finds different from every value.
  func binding(_ constant: PredicateConstant) -> Binding? {
    switch constant {
    case .nothing, .collection, .object, .other: nil
    case _ where constant.isNotANumber: nil
    case .bool(let value): .int(value ? 1 : 0)
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .date(let value): .double(value.timeIntervalSinceReferenceDate)
    case .string(let value): .text(value)
    case .url(let value): .text(value.absoluteString)
    case .data(let value): .blob(value)
    case .uuid(let value): .uuid(value)
    case .decimal(let value): number(value)
    }
  }

  /// The key of an object. Returns nil if the object is in another store, or not in the table of the entity.
  func key(_ id: NSManagedObjectID, in layout: EntityLayout) -> Binding? {
    guard layout.rootIndex == id.layout.rootIndex, id.key > 0, let store,
      id.storeIdentity === store || id.storeIdentity?.uuid == store.uuid
    else { return nil }
    return .int(id.key)
  }

  /// The number that the engine makes from a decimal's digits. In SQLite, what is no number is a text. A whole number
  /// is an integer in each engine, so that it finds an integer's column by an index, too.
  private func number(_ value: Decimal) -> Binding {
    if !value.isNaN, let whole = Int64(value.description) { return .int(whole) }
    if dialect.hasDecimals { return .decimal(value) }
    return value.isNaN ? .text("NaN") : .double(Double(value.description) ?? .nan)
  }
}
