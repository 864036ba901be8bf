extension PredicateTranslator {
  /// The value of a column. If the column may hold the name of a file, it is the content of the file.
  static func value(_ column: SlotColumn, in source: QueryScope.Source) -> SQLExpression {
    let value = SQLExpression.column(source.alias, column.name)
    return column.isTagged ? .storedData(value) : value
  }

  func path(
    _ path: [String], from start: QueryScope.Source, _ scope: QueryScope, whole: [String]
  ) throws -> SQLOperand {
    var source = start
    for (index, name) in path.enumerated() {
      let rest = Array(path[(index + 1)...])
      guard let property = source.layout.property(named: name), !property.isTransient, property.kind != .fetched
      else {
        if rest.isEmpty, source.layout.property(named: name) == nil {
          if name == "objectID" || name.lowercased() == "self" {
            return .reference(.column(source.alias, "Z_PK"), source.layout)
          }
          if name == "entity" { return .entity(.column(source.alias, "Z_ENT")) }
        }
        throw Failure.unknownKeyPath(
          keyPath: whole.joined(separator: "."), entity: start.layout.name, missing: name)
      }
      switch property.kind.role {
      case .toMany:
        let collection = SQLCollection(scope: scope, owner: source, relationship: property, rest: rest)
        if let place = rest.firstIndex(where: { $0.hasPrefix("@") }) {
          return try aggregate(collection, at: place, scope)
        }
        return .collection(collection)
      case .toOne:
        if rest.isEmpty || rest == ["objectID"] {
          let column = try scope.column(of: property, in: source)
          return .reference(
            .column(source.alias, column.name), scope.schema.layouts[property.destination])
        }
        source = try scope.destination(of: property, from: source)
      case .attribute, .fetched, .composite:
        guard rest.isEmpty else {
          if rest == ["length"], property.kind == .string || property.kind == .binary {
            let column = try scope.column(of: property, in: source)
            return .value(.call("length", [PredicateTranslator.value(column, in: source)]), .int64)
          }
          if property.kind == .transformable {
            throw scope.unsupported(
              "A look into the object of the transformable attribute \(name), \(whole.joined(separator: ".")),")
          }
          throw Failure.unknownKeyPath(
            keyPath: whole.joined(separator: "."), entity: start.layout.name, missing: rest[0])
        }
        let column = try scope.column(of: property, in: source)
        return .value(PredicateTranslator.value(column, in: source), property.kind)
      }
    }
    return .reference(.column(source.alias, "Z_PK"), source.layout)
  }

  func nested(_ base: ExpressionNode, path: [String], scope: QueryScope) throws -> SQLOperand {
    if case .variable(let name) = base, let (inner, source) = scope.variables[name] {
      // The variable may belong to a sub-select further out. Its path is joined there, because its table is there.
      return try self.path(path, from: source, inner, whole: path)
    }
    // A hierarchy has one table, where the columns of a subentity are nil in other rows, so the path needs no test.
    if base.cast != nil, let (place, source) = try source(of: base, scope) {
      return try self.path(path, from: source, place, whole: path)
    }
    guard case .collection(let collection) = try operand(base, scope) else {
      throw scope.unsupported("The key path \(path.joined(separator: ".")) on an expression")
    }
    let whole = SQLCollection(
      scope: collection.scope, owner: collection.owner, relationship: collection.relationship,
      rest: collection.rest + path, filter: collection.filter)
    if let place = whole.rest.firstIndex(where: { $0.hasPrefix("@") }) {
      return try aggregate(whole, at: place, scope)
    }
    return .collection(whole)
  }

  /// The table with the row of an object, and the scope that joins its paths; nil for what is no object.
  private func source(of node: ExpressionNode, _ scope: QueryScope) throws -> (QueryScope, QueryScope.Source)? {
    if let cast = node.cast {
      guard let layout = scope.schema.layouts.layout(of: cast.entity),
        let (place, source) = try source(of: cast.object, scope)
      else { return nil }
      return (place, source.seen(as: layout))
    }
    switch node {
    case .evaluatedObject: return (scope, scope.source)
    case .variable(let name): return scope.variables[name].map { ($0.scope, $0.source) }
    case .keyPath(let path): return try destination(of: path, from: scope.source, scope).map { (scope, $0) }
    case .nested(let base, let path):
      guard let (place, source) = try source(of: base, scope) else { return nil }
      return try destination(of: path, from: source, place).map { (place, $0) }
    default: return nil
    }
  }

  /// The table at the end of a path of to-one relationships; nil for another path.
  private func destination(
    of path: [String], from start: QueryScope.Source, _ scope: QueryScope
  ) throws -> QueryScope.Source? {
    var source = start
    for name in path {
      guard let property = source.layout.property(named: name), property.kind == .toOne else { return nil }
      source = try scope.destination(of: property, from: source)
    }
    return source
  }
}
