extension BatchUpdate {
  /// Resolves a request against a model. Throws an error that names the entity, the property and the value if the
  /// request is invalid.
  ///
  /// - Parameter permanentID: what an object of an id in the predicate is called now.
  init(
    _ request: NSBatchUpdateRequest, _ layouts: ModelLayouts,
    permanentID: ((NSManagedObjectID) -> NSManagedObjectID)? = nil
  ) throws {
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: request.entityName)
    fetch.entity = request.resolvedEntity
    fetch.predicate = request.predicate
    fetch.includesSubentities = request.includesSubentities
    fetch.resultType = .managedObjectIDResultType
    var found = try FetchDescription(fetch, layouts)
    if let permanentID { found = found.replacingIDs(permanentID) }
    rows = found
    let layout = rows.layout
    request.resolvedEntity = layout.entity

    var builder = RowBuilder()
    builder.beginRow(layout)
    var constants: [LayoutProperty] = []
    var expressions: [(property: LayoutProperty, node: ExpressionNode)] = []
    for (key, value) in request.propertiesToUpdate ?? [:] {
      let property = try BatchUpdate.property(key.base, layout)
      var value = unwrapped(value)
      if let expression = value as? FoundationExpression {
        let node = try expression.node
        guard case .constant(let constant) = node else {
          expressions.append((property, try node.resolved(in: layout)))
          continue
        }
        value = unwrapped(constant.anyValue)
      }
      constants.append(property)
      builder.set(try BatchUpdate.stored(value, property: property, layout: layout), property)
    }
    if constants.isEmpty && expressions.isEmpty {
      throw Failure.malformedBatchRequest(entity: layout.name, what: "propertiesToUpdate names no property").nsError
    }
    values = builder.finishRow(key: 0, version: 0, entity: layout.index)
    self.constants = constants.sorted(on: \.slot)
    self.expressions = expressions.sorted(on: \.property.slot)
  }

  private static func property(_ key: Any, _ layout: EntityLayout) throws -> LayoutProperty {
    let name = (key as? NSPropertyDescription)?.name ?? key as? String ?? "\(key)"
    guard let property = layout.property(named: name) else {
      throw Failure.unknownKeyPath(
        keyPath: name, entity: layout.name, missing: name, names: layout.propertyNames
      ).nsError
    }
    if let refusal = property.batchRefusal {
      throw Failure.malformedBatchRequest(entity: layout.name, what: "it can't set \(name), which \(refusal)").nsError
    }
    return property
  }

  /// A value in the form of a row; nil is null.
  static func stored(_ value: Any?, property: LayoutProperty, layout: EntityLayout) throws -> Value {
    guard let value else { return .null }
    guard let typed = Value(value, for: property) else {
      throw Failure.valueOfWrongClass(
        .init(entity: layout.name, property: property.name, value: value), expected: property.wantedType
      ).nsError
    }
    guard case .object = typed else { return typed }
    return .data(try property.attribute.storedData(ofTransformable: value))
  }
}
