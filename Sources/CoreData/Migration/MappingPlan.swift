/// What an entity mapping does for each object, looked up once: mappings don't change while a migration uses them.
///
/// Nearly all attributes of nearly all mappings are copied, `$source.title`. Evaluating that for each object, as a
/// value of any class under a key of any kind, and setting it so, was a fourth of a migration by a policy.
final class MappingPlan {
  let mapping: NSEntityMapping
  /// The entity of the new objects; nil for a mapping that makes none.
  let entity: NSEntityDescription?
  private(set) var attributes: [AttributePlan] = []
  private(set) var relationships: [RelationshipPlan] = []

  struct AttributePlan {
    let mapping: NSPropertyMapping
    let name: String
    let expression: FoundationExpression
    /// The attribute that is copied, and its copy; nil where the expression has to be evaluated.
    let copy: (source: LayoutProperty, destination: LayoutProperty)?
    /// The transformable that is copied, and its copy, if both have the same transformer: data that it can't read is
    /// copied as it is. nil for other attributes.
    let data: (source: LayoutProperty, destination: LayoutProperty)?
    /// In an inferred mapping, what becomes of the elements of a composite attribute; nil for other attributes.
    let elements: ElementPlan?
  }

  struct ElementPlan {
    let source: LayoutProperty
    let destination: LayoutProperty
    let elements: [Element]

    struct Element {
      /// nil if it is new.
      let source: LayoutProperty?
      let destination: LayoutProperty
      /// The former composite, of those around it that may have no value the innermost one. Where it has none, the
      /// element has none.
      let group: LayoutProperty?
      /// Whether it is in an enumeration that was there before. If it is new, another case's element has the value.
      let isOfEnumeration: Bool
    }
  }

  struct RelationshipPlan {
    let mapping: NSPropertyMapping
    let name: String
    let expression: FoundationExpression
    /// The relationship in the destination model; nil for a name that it does not have.
    let relationship: NSRelationshipDescription?
    /// The relationship whose migrated objects are meant, and the mappings that make them; nil where the expression has
    /// to be evaluated.
    let followed: (source: LayoutProperty, mappings: [String])?
  }

  init(_ mapping: NSEntityMapping, _ manager: NSMigrationManager) {
    let entity = manager.destinationEntity(for: mapping)
    self.mapping = mapping
    self.entity = entity
    let source = manager.run.flatMap { run in
      mapping.sourceEntityName.flatMap(run.source.layouts.layout(named:))
    }
    let destination = entity.flatMap { manager.run?.destination.layouts.layout(of: $0) }
    for property in mapping.attributeMappings ?? [] {
      guard let name = property.name, let expression = property.valueExpression,
        !(entity?.attributesByName[name] is NSDerivedAttributeDescription)
      else { continue }
      attributes.append(
        AttributePlan(
          mapping: property, name: name, expression: expression,
          copy: MappingPlan.copy(expression, from: source, to: destination?.property(named: name)),
          data: MappingPlan.data(expression, from: source, to: destination?.property(named: name)),
          elements: manager.mappingModel.isInferred
            ? MappingPlan.elements(expression, from: source, to: destination, name) : nil))
    }
    for property in mapping.relationshipMappings ?? [] {
      guard let name = property.name, let expression = property.valueExpression else { continue }
      relationships.append(
        RelationshipPlan(
          mapping: property, name: name, expression: expression, relationship: entity?.relationshipsByName[name],
          followed: MappingPlan.followed(expression, from: source, manager)))
    }
  }

  /// The relationship of the source that an expression of an inferred mapping follows: `FUNCTION($manager,
  /// "destinationInstancesForSourceRelationshipNamed:sourceInstances:", "books", $source.books)`.
  private static func followed(
    _ expression: FoundationExpression, from source: EntityLayout?, _ manager: NSMigrationManager
  ) -> (source: LayoutProperty, mappings: [String])? {
    guard let source, let run = manager.run, let node = try? expressionNode(of: expression),
      case .function(PredicateFunction.methodCall, let arguments) = node, arguments.count == 4,
      case .variable(NSMigrationManagerKey) = arguments[0],
      case .constant(.string("destinationInstancesForSourceRelationshipNamed:sourceInstances:")) = arguments[1],
      case .constant(.string(let name)) = arguments[2], arguments[3].keyOfSource == name,
      let property = source.property(named: name), property.isRelationship, !property.isTransient
    else { return nil }
    let entities = run.source.layouts[property.destinations].map(\.name)
    return (property, run.names(ofMappingsFrom: Set(entities)))
  }

  /// The elements of a composite attribute that an inferred mapping keeps: those that the destination has, by their
  /// names there.
  private static func elements(
    _ expression: FoundationExpression, from source: EntityLayout?, to destination: EntityLayout?, _ name: String
  ) -> ElementPlan? {
    guard let source, let destination, let property = destination.property(named: name), property.kind == .composite,
      var node = try? expressionNode(of: expression)
    else { return nil }
    if case .conditional(_, let value, _) = node { node = value }
    guard let former = node.keyOfSource.flatMap(source.property(named:)), former.kind == .composite,
      let match = try? ElementMatch(
        from: former.compositeAttribute, to: property.compositeAttribute,
        sameVersion: source.entity.versionHash == destination.entity.versionHash)
    else { return nil }
    let paths = match.formerPaths
    func was(_ element: LayoutProperty) -> LayoutProperty? {
      if element === property { return former }
      return paths[String(element.name.dropFirst(name.count + 1))].flatMap {
        source.property(named: "\(former.name).\($0)")
      }
    }
    return ElementPlan(
      source: former, destination: property,
      elements: property.leaves.map { leaf in
        let groups = leaf.groups.filter { was($0) != nil }
        return ElementPlan.Element(
          source: was(leaf), destination: leaf, group: groups.last(where: \.isOptional).flatMap(was),
          isOfEnumeration: groups.contains(where: \.isEnumeration))
      })
  }

  /// The attribute that an expression copies, if a value of it is one of the other without a conversion.
  private static func copy(
    _ expression: FoundationExpression, from source: EntityLayout?, to destination: LayoutProperty?
  ) -> (source: LayoutProperty, destination: LayoutProperty)? {
    guard let pair = pair(expression, from: source, to: destination) else { return nil }
    switch pair.source.kind {
    case .int16, .int32, .int64, .boolean, .double, .date, .string, .uuid: return pair
    // Files of their own, numbers of another width, texts that are no URL: what key-value coding makes of them.
    case .float, .uri, .decimal, .binary, .transformable, .undefined, .toOne, .toMany, .fetched, .composite: return nil
    }
  }

  private static func data(
    _ expression: FoundationExpression, from source: EntityLayout?, to destination: LayoutProperty?
  ) -> (source: LayoutProperty, destination: LayoutProperty)? {
    guard let pair = pair(expression, from: source, to: destination), pair.source.kind == .transformable,
      pair.source.attribute.valueTransformerName == pair.destination.attribute.valueTransformerName
    else { return nil }
    return pair
  }

  /// The attribute that an expression copies, and its copy, if they are of one kind.
  private static func pair(
    _ expression: FoundationExpression, from source: EntityLayout?, to destination: LayoutProperty?
  ) -> (source: LayoutProperty, destination: LayoutProperty)? {
    guard let source, let destination, let node = try? expressionNode(of: expression), let key = node.keyOfSource,
      let property = source.property(named: key), property.kind == destination.kind, !property.isTransient,
      !destination.isTransient
    else { return nil }
    return (property, destination)
  }
}

extension ExpressionNode {
  /// The key of `$source.key`; nil for other expressions.
  fileprivate var keyOfSource: String? {
    guard case .nested(.variable(NSMigrationSourceObjectKey), let path) = keyPathCall ?? self, path.count == 1 else {
      return nil
    }
    return path[0]
  }
}

extension NSManagedObject {
  /// The objects that a relationship leads to.
  final func destinations(_ property: LayoutProperty) -> [NSManagedObject] {
    fireIfNeeded(call: "reading \"\(property.name)\"")
    if property.kind == .toOne { return toOne(property).map { [$0] } ?? [] }
    return readableMembers(property).map(Array.init) ?? []
  }

  /// Sets an attribute to the value that another object has for an attribute of the same kind.
  final func take(_ source: LayoutProperty, from object: NSManagedObject, into destination: LayoutProperty) {
    object.fireIfNeeded(call: "reading \"\(source.name)\"")
    beginChange(call: "setting \"\(destination.name)\"")
    var value = object.currentValue(source)
    // A file may hold a number that the attribute can't.
    if case .int(let number) = value, !destination.kind.range.contains(number) {
      value = .int(destination.kind.boxed(integer: number).int64Value)
    }
    write(value, slot: destination.slot)
  }

  /// Sets a transformable to the data of another object's, which can't be read. Returns false if there is none.
  final func takeUnreadable(
    _ source: LayoutProperty, from object: NSManagedObject, into destination: LayoutProperty
  ) -> Bool {
    guard object.hasUnreadable(source), case .data(let data)? = object.row?.value(source) else { return false }
    beginChange(call: "setting \"\(destination.name)\"")
    write(.data(data), slot: destination.slot)
    return true
  }

  /// Sets the elements of a composite attribute to those of another object's. As in place, new elements keep their
  /// default values where the composite has a value, and so does what is mandatory and had no value.
  final func take(_ plan: MappingPlan.ElementPlan, from object: NSManagedObject) throws {
    object.fireIfNeeded(call: "reading \"\(plan.source.name)\"")
    if !plan.destination.isOptional, object.boxedValue(plan.source) == nil { return }
    for element in plan.elements {
      let name = element.destination.name
      if let group = element.group, object.boxedValue(group) == nil {
        try setValue(nil, checkedForKey: name)
      } else if let source = element.source {
        let value = object.boxedValue(source)
        if value == nil, !element.destination.isOptional { continue }
        try setValue(value, checkedForKey: name)
      } else if element.isOfEnumeration {
        try setValue(nil, checkedForKey: name)
      }
    }
  }
}
