extension FetchDescription {
  /// Resolves a request against a model. Throws an error that names the entity and the part if the request is invalid.
  init<Result>(_ request: NSFetchRequest<Result>, _ layouts: ModelLayouts) throws {
    guard let name = request.entityName else {
      throw Failure.malformedFetchRequest(entity: nil, what: "A fetch request must have an entity.").nsError
    }
    guard let layout = request.entity.flatMap(layouts.layout(of:)) ?? layouts.layout(named: name) else {
      throw Failure.unknownEntity(name, names: layouts.layouts.map(\.name)).nsError
    }
    request.foundEntity(layout.entity)
    self.layout = layout
    self.request = request
    includesSubentities = request.includesSubentities
    limit = max(request.fetchLimit, 0)
    offset = max(request.fetchOffset, 0)
    predicate = try request.predicate?.node
    let plainKey = layouts.hasComposites ? nil : predicate?.plainKey
    if plainKey == nil {
      predicate = try predicate?.normalised(noting: &hasFetches)
      if hasFetches { predicate = try predicate?.resolvingFetches(layouts, entity: name) }
    }
    sort = try request.sortDescriptors?.map { try SortKey($0) } ?? []
    if layouts.hasComposites {
      predicate = predicate?.joiningElements(layout)
      for index in sort.indices { sort[index].path = layout.joiningElements(sort[index].path) }
    }
    if plainKey == nil, predicate?.hasAggregateFunctions == true,
      let resolved = predicate?.resolvingAggregates(self, pendingChanges: request.includesPendingChanges)
    {
      predicate = resolved
      hasFetches = true
    }
    switch request.resultType {
    case .managedObjectIDResultType: output = .references
    case .countResultType: output = .count
    case .dictionaryResultType: output = .dictionaries(try DictionaryFetch(request, layout))
    default: output = request.includesPropertyValues ? .rows : .references
    }
    try checkKeyPaths(plainKey)
  }

  /// Throws an error for a key path in the predicate or the sort order that the model does not have, even if no row
  /// would be evaluated.
  ///
  /// - Parameter plainKey: the only key in the predicate, if it is known.
  private func checkKeyPaths(_ plainKey: String?) throws {
    var problem: Failure?
    if let plainKey {
      problem = layout.problem(withKeyPath: [plainKey])
    } else {
      predicate?.forEachKeyPath { [layout] path in problem = problem ?? layout.problem(withKeyPath: path) }
    }
    for key in sort { problem = problem ?? layout.problem(withKeyPath: key.path) }
    if let problem { throw problem.nsError }
  }
}

extension EntityLayout {
  /// The failure for a key path that starts at this entity; nil if the model has it.
  fileprivate func problem(withKeyPath path: [String]) -> Failure? {
    var layout = self
    for key in path {
      if let property = layout.property(named: key) {
        guard property.isRelationship else {
          if property.kind == .composite { return problem(withComposite: property, path) }
          guard property.kind == .fetched else { return nil }
          return .malformedFetchRequest(
            entity: name,
            what:
              "the key path \(path.joined(separator: ".")) goes through the fetched property \(layout.name).\(key), which "
              + "objects know, but stores do not")
        }
        layout = layout.model.layouts[property.destination]
        continue
      }
      switch key {
      case "self", "objectID", "entity": return nil
      case _ where key.utf8.first == UInt8(ascii: "@"): continue
      default:
        return .unknownKeyPath(
          keyPath: path.joined(separator: "."), entity: name, missing: key, names: layout.propertyNames)
      }
    }
    return nil
  }
}

extension EntityLayout {
  /// A path to an element of a composite attribute is one key by now, so this one names an element that does not exist.
  fileprivate func problem(withComposite property: LayoutProperty, _ path: [String]) -> Failure {
    let text = path.joined(separator: ".")
    let rest = path.last == property.name ? nil : path.last
    if let rest {
      return .unknownKeyPath(
        keyPath: text, entity: name, missing: rest, names: property.elements.map(\.ownName))
    }
    return .malformedFetchRequest(
      entity: name,
      what: "a store can't compare or sort by the composite attribute \(text). Use one of its elements, such as "
        + "\(property.leaves.first?.name ?? "-"), or compare it with nil")
  }
}

extension PredicateNode {
  /// The key, if this compares one key with a text, a number or another plain value, as `isbn == "0-330-25864-8"` does:
  /// nothing of that is worked out or replaced before a store sees it. Nil for all others.
  fileprivate var plainKey: String? {
    guard case .comparison(let comparison) = self, case .keyPath(let path) = comparison.left, path.count == 1,
      case .constant(let constant) = comparison.right
    else { return nil }
    switch constant {
    case .nothing, .bool, .int, .double, .date, .string, .data, .uuid, .url, .decimal: return path[0]
    case .collection, .object, .other: return nil
    }
  }

  /// Replaces managed objects among the constants by their ids, which may leave the context's queue, and paths that
  /// begin at constants by their values. Throws `NSError` for a path that can't be read.
  func normalised() throws -> PredicateNode {
    var hasFetches = false
    return try normalised(noting: &hasFetches)
  }

  /// Does what `normalised()` does, and sets `hasFetches` if there is a FETCH expression.
  func normalised(noting hasFetches: inout Bool) throws -> PredicateNode {
    try replacing { node in
      if case .fetch = node { hasFetches = true }
      return try node.knownConstant
    }
  }
}

extension PredicateNode {
  /// The predicate with other ids of objects among its constants.
  func replacingIDs(_ other: (NSManagedObjectID) -> NSManagedObjectID) -> PredicateNode {
    replacing { node in
      if case .constant(let constant) = node { return .constant(constant.replacingIDs(other)) }
      return nil
    }
  }
}

extension FetchDescription {
  /// The fetch with other ids of objects in its predicates.
  func replacingIDs(_ other: (NSManagedObjectID) -> NSManagedObjectID) -> FetchDescription {
    var description = self
    description.predicate = predicate.map { $0.replacingIDs(other) }
    if case .dictionaries(var dictionaries) = output, let having = dictionaries.having {
      dictionaries.having = having.replacingIDs(other)
      description.output = .dictionaries(dictionaries)
    }
    return description
  }
}

extension PredicateConstant {
  fileprivate func replacingIDs(_ other: (NSManagedObjectID) -> NSManagedObjectID) -> PredicateConstant {
    switch self {
    case .object(let id as NSManagedObjectID): .object(other(id))
    case .object(let sub as SubFetch):
      .object(
        SubFetch(
          sub.fetch.replacingIDs(other), isCount: sub.isCount, includesPendingChanges: sub.includesPendingChanges,
          of: sub.request))
    case .collection(let members): .collection(members.map { $0.replacingIDs(other) })
    default: self
    }
  }

  fileprivate var normalised: PredicateConstant {
    switch self {
    case .object(let object as NSManagedObject): .object(object.objectID)
    case .collection(let members): .collection(members.map(\.normalised))
    default: self
    }
  }

  /// What a path leads to that begins at a program's value, such as `$author.name` once the variable has one.
  fileprivate func value(along path: [String]) throws -> PredicateConstant {
    try publicErrors { try CompiledKeyPath(path).value(from: PredicateValue(any: anyValue)).fixed.normalised }
  }
}

extension ExpressionNode {
  /// As ``PredicateNode/normalised()`` and `joiningElements` do it in predicates: managed objects become their ids, and
  /// an element of a composite is one key.
  func resolved(in layout: EntityLayout) throws -> ExpressionNode {
    try replacing { try $0.knownConstant }.joiningElements(layout)
  }

  /// The constant that a fetch has for a constant, or for what begins at one: a path, an index, a SUBQUERY that asks
  /// nothing of the fetched object. Nil for other expressions.
  fileprivate var knownConstant: ExpressionNode? {
    get throws {
      switch self {
      case .constant(let constant): .constant(constant.normalised)
      case .nested(.constant(let constant), let path): .constant(try constant.value(along: path))
      case .nested, .index, .subquery: try beginsAtConstant ? .constant(valueOfNoObject) : nil
      default: nil
      }
    }
  }

  private var beginsAtConstant: Bool {
    switch self {
    case .constant: true
    case .nested(let base, _): base.beginsAtConstant
    case .index(let base, .at(let place)): base.beginsAtConstant && place.beginsAtConstant
    case .index(let base, _): base.beginsAtConstant
    case .subquery(let collection, let variable, let predicate):
      collection.beginsAtConstant && predicate.asksOnly(for: variable)
    default: false
    }
  }

  private var valueOfNoObject: PredicateConstant {
    get throws {
      try publicErrors {
        var compiler = PredicateCompiler(variables: [:])
        let term = try compiler.term(self)
        var frame = EvaluationFrame(root: .null)
        return try term(&frame).fixed.normalised
      }
    }
  }
}

extension PredicateNode {
  /// Whether it depends on nothing but one variable and constants.
  fileprivate func asksOnly(for variable: String) -> Bool {
    if hasBlock || !freeVariables.isSubset(of: [variable]) { return false }
    var asksForMore = false
    _ = replacing { node -> ExpressionNode? in
      switch node {
      case .keyPath, .evaluatedObject, .anyKey, .fetch, .assignment: asksForMore = true
      default: break
      }
      return nil
    }
    return !asksForMore
  }
}

extension DictionaryFetch {
  init<Result>(_ request: NSFetchRequest<Result>, _ layout: EntityLayout) throws {
    var asked: [Any] = request.propertiesToFetch ?? []
    if asked.isEmpty { asked = layout.slots.filter { !$0.isTransient }.map(\.name) }
    if asked.isEmpty {
      throw Failure.malformedFetchRequest(
        entity: layout.name, what: "A request for dictionaries needs properties to fetch, and this entity stores none."
      ).nsError
    }
    columns = try asked.map { (property: Any) -> Column in try DictionaryFetch.column(property, layout) }
    isDistinct = request.returnsDistinctResults
    groupBy = try request.propertiesToGroupBy?.map { try DictionaryFetch.column($0, layout).expression } ?? []
    having = try request.havingPredicate?.node.normalised().joiningElements(layout)
      .replacing(layout.operatorFirst)
    if having != nil && groupBy.isEmpty {
      throw Failure.malformedFetchRequest(
        entity: layout.name, what: "A having predicate needs properties to group by."
      ).nsError
    }
    try checkAggregates(layout)
  }

  private static func column(_ property: Any, _ layout: EntityLayout) throws -> Column {
    if let description = property as? NSExpressionDescription {
      guard let expression = description.expression else {
        // Its name may say what it is.
        if layout.property(named: description.name) != nil { return try column(description.name, layout) }
        throw Failure.malformedFetchRequest(
          entity: layout.name, what: "The expression description \"\(description.name)\" has no expression."
        ).nsError
      }
      return Column(
        name: description.name, expression: try expression.node.resolved(in: layout).replacing(layout.operatorFirst),
        type: description.expressionResultType)
    }
    let name = (property as? NSPropertyDescription)?.name ?? property as? String ?? "\(property)"
    if name == "objectID", layout.property(named: name) == nil {
      return Column(name: name, expression: .evaluatedObject, type: nil)
    }
    let path = name.split(separator: ".").map(String.init)
    guard let first = path.first, let property = layout.property(named: first) else {
      throw Failure.unknownKeyPath(
        keyPath: name, entity: layout.name, missing: path.first ?? "", names: layout.propertyNames
      ).nsError
    }
    if property.kind == .fetched {
      throw Failure.malformedFetchRequest(
        entity: layout.name, what: "the fetched property \(first) can't be a column of dictionaries"
      ).nsError
    }
    let joined = layout.joiningElements(path)
    if let last = joined.last, joined.count == 1, layout.property(named: last)?.kind == .composite {
      throw Failure.malformedFetchRequest(
        entity: layout.name,
        what: "the composite attribute \(last) can't be a column of dictionaries; its elements can"
      ).nsError
    }
    let expression = ExpressionNode.keyPath(joined)
    return Column(name: name, expression: layout.operatorFirst(expression) ?? expression, type: nil)
  }
}
