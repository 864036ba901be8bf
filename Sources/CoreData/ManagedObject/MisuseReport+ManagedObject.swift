internal import DataModelFiles

/// The wording of misuses of managed objects.
extension MisuseReport {
  private static func place(_ object: NSManagedObject) -> String {
    "\(object.layout.name) \(object.objectID.description)"
  }

  /// `twin` is the method that throws instead; nil if there is none.
  static func unknownKey(_ key: String, _ object: NSManagedObject, twin: String? = nil) -> MisuseReport {
    let names = object.layout.propertyNames
    return MisuseReport(
      "The entity \(object.layout.name) has no property \"\(key)\".\(Spelling.suggestion(for: key, among: names))",
      facts: [
        ("Object", place(object)),
        ("Properties", names.joined(separator: ", ")),
      ],
      how: "The key is misspelt, or the loaded model is not the version that the code expects.",
      remedy: "Compare the key with the model."
        + (twin.map { " For a key that a user types, \($0) throws instead." } ?? ""))
  }

  static func wrongType(_ key: String, object: NSManagedObject, wanted: String) -> MisuseReport {
    let kind = object.layout.property(named: key).map { "\($0.kind)" } ?? "unknown"
    return MisuseReport(
      "\(object.layout.name).\(key) was used as \(wanted), but the model gives it another type.",
      facts: [("Object", place(object)), ("Model", kind)],
      how: "The type of the @NSManaged declaration does not fit the attribute's type in the model.",
      remedy: "Change one of them, so that the two agree.")
  }

  static func unacceptable(_ value: Any, _ property: LayoutProperty, of layout: EntityLayout) -> MisuseReport {
    MisuseReport(
      "Unacceptable type of value for \(property.isRelationship ? "relationship" : "attribute"): "
        + "property = \"\(property.name)\"; entity = \(layout.name); desired type = \(property.wantedType); "
        + "given type = \(type(of: value)); value = \(value).",
      how: "Values are checked against the model when they are set.",
      remedy: "Convert the value first; setValue(_:checkedForKey:) throws instead.")
  }

  static func outOfRange(_ value: Int64, key: String, object: NSManagedObject) -> MisuseReport {
    MisuseReport(
      "The value \(value) does not fit \(object.layout.name).\(key).",
      facts: [("Object", place(object))],
      how: "The @NSManaged declaration is of a wider integer type than the attribute.",
      remedy: "Widen the attribute in the model, or check the value first.")
  }

  static func abstractEntity(_ name: String) -> MisuseReport {
    MisuseReport(
      "The entity \(name) is abstract: it has no objects of its own.",
      how: "An abstract entity only hands its properties on to its subentities.",
      remedy: "Insert an object of one of its subentities.")
  }

  static func readOnly(_ key: String, _ object: NSManagedObject) -> MisuseReport {
    MisuseReport(
      "\(object.layout.name).\(key) cannot be set: it is a fetched property.", facts: [("Object", place(object))],
      how: "A fetched property's value is what its fetch request finds.", remedy: "Change the objects it finds.")
  }

  static func otherContext(_ object: NSManagedObject, key: String, other: NSManagedObject) -> MisuseReport {
    MisuseReport(
      "Illegal attempt to establish a relationship \"\(key)\" between objects in different contexts.",
      facts: [("Source", place(object)), ("Destination", place(other))],
      how: "An object belongs to the context that made it; a relationship joins objects of one context.",
      remedy: "Fetch the destination in the source's context: context.object(with: destination.objectID).")
  }

  static func deletedElsewhere(_ object: NSManagedObject, key: String, other: NSManagedObject) -> MisuseReport {
    MisuseReport(
      "The relationship \"\(key)\" was not set: one of its objects was deleted by another context or program.",
      facts: [("Source", place(object)), ("Destination", place(other))],
      how: "Its context merged the deletion, and the object has left it.",
      remedy: "Ask the object for its managedObjectContext, which is nil then.")
  }

  static func wrongEntity(_ object: NSManagedObject, property: LayoutProperty, other: NSManagedObject)
    -> MisuseReport
  {
    MisuseReport(
      "Unacceptable type of value for to-\(property.kind == .toOne ? "one" : "many") relationship: "
        + "property = \"\(property.name)\"; entity = \(object.layout.name); "
        + "desired entity = \(object.layout.model.layouts[property.destination].name); "
        + "given entity = \(other.layout.name).",
      facts: [("Source", place(object)), ("Destination", place(other))],
      how: "The model says which entity a relationship leads to.", remedy: "Pass an object of that entity.")
  }

  static func neededButUnread(_ object: NSManagedObject, _ property: LayoutProperty? = nil) -> MisuseReport {
    let what = property.map { "The relationship \(object.layout.name).\($0.name)" } ?? "The row"
    return MisuseReport(
      "\(what) of \(object.objectID.description) could not be read, and the object is to be changed.",
      how: "The unreadableFaultHandler kept the fault. A change needs what it changes: it could not be saved.",
      remedy: "Use fulfil(_:) before the change, which throws the error, or answer .retry.")
  }
}

extension EntityLayout {
  /// The names of all properties, for a message.
  var propertyNames: [String] { properties.map(\.name) }
}

extension LayoutProperty {
  /// The type that key-value coding takes, in Apple's words.
  var wantedType: String {
    switch kind.role {
    case .attribute: attribute.attributeType.valueClassName ?? attribute.attributeValueClassName ?? "NSObject"
    case .toOne: "NSManagedObject"
    case .toMany: isOrdered ? "NSOrderedSet" : "NSSet"
    case .fetched: "NSArray"
    case .composite: "NSDictionary of \(elements.map(\.ownName).joined(separator: ", "))"
    }
  }
}
