import DataModelFiles

/// Compares a declaration's type with the model. It reports only a type that surely ends the program or never holds a
/// value. A number of another width is no problem: it can be read and written.
extension DeclarationCheck {
  /// The kind of value that a type holds.
  private enum Family: Equatable {
    /// `Int`, `Double`, `Bool`; and `NSNumber`.
    case scalar, number
    case decimal, string, date, data, uuid, url, set, orderedSet, array, dictionary, objectID
    case managedObject(String)
    /// `Any`, or a class that a transformable's value may have.
    case object
  }

  /// A text that says what the model has instead; nil if the declaration fits or its type is unknown.
  func mismatch(_ declared: TypeSyntax, _ property: Property, in scope: [String]) -> String? {
    guard let family = family(of: declared, in: scope) else { return nil }
    switch property {
    case .fetched:
      if case .array = family { return nil }
      return "the model has a fetched property, whose value is an array of objects"
    case .relationship(let relationship, let destinationClass):
      return mismatch(family, relationship, destinationClass)
    case .attribute(let attribute):
      return mismatch(family, attribute)
    }
  }

  private func mismatch(
    _ family: Family, _ relationship: DataModel.Relationship, _ className: String?
  ) -> String? {
    if relationship.isToMany {
      let noun = "the model has a to-many relationship to \(relationship.destinationName)"
      switch family {
      case .set: return relationship.isOrdered ? "\(noun) that is ordered: its value is an NSOrderedSet" : nil
      case .orderedSet: return relationship.isOrdered ? nil : "\(noun) without an order: its value is a set"
      case .object: return nil
      case .scalar, .number, .decimal, .string, .date, .data, .uuid, .url, .array, .dictionary,
        .objectID, .managedObject:
        return noun
      }
    }
    let noun = "the model has a to-one relationship to \(relationship.destinationName)"
    switch family {
    case .object: return nil
    case .managedObject(let name):
      guard let own = ClassName.own(className, module: types.module), types.ownType(path(own)) != nil,
        types.ownType(path(name)) != nil, !types.ancestry(of: path(own)).contains(name)
      else { return nil }
      return "\(noun), whose class is \(own)"
    case .scalar, .number, .decimal, .string, .date, .data, .uuid, .url, .set, .orderedSet,
      .array, .dictionary, .objectID:
      return noun
    }
  }

  private func mismatch(_ family: Family, _ attribute: DataModel.Attribute) -> String? {
    if case .object = family { return nil }
    let type = attribute.type
    // A type without a name stands for a value of any class.
    guard let name = type.valueClassName ?? type.swiftName else { return nil }
    let fits =
      family == Self.family(named: name) || family == .scalar && type.scalarName != nil
      || family == .number && type == .decimal
    return fits ? nil : "the model has an attribute of type \(type.editorName)"
  }

  private func path(_ name: String) -> [String] { name.split(separator: ".").map(String.init) }

  private func family(of type: TypeSyntax, in scope: [String]) -> Family? {
    switch type {
    case .optional(let wrapped): return family(of: wrapped, in: scope)
    case .array: return .array
    case .dictionary: return .dictionary
    case .tuple, .other: return nil
    case .name(let path, _):
      if let entry = types.lookUp(path, in: scope) {
        switch entry.declaration.kind {
        case .alias(let aliased):
          return entry.declaration.isGeneric
            ? nil : family(of: aliased, in: Array(entry.declaration.path.dropLast()))
        case .classType:
          // We can't know whether a class from another module is a class of managed objects.
          return entry.module == types.module && isEntityClass(entry.declaration.path)
            ? .managedObject(entry.declaration.path.joined(separator: ".")) : nil
        case .structType, .enumType, .protocolType: return nil
        }
      }
      return Self.family(named: path[path.count - 1])
    }
  }

  private static func family(named name: String) -> Family? {
    switch name {
    case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Bool", "Double",
      "Float", "CGFloat", "TimeInterval":
      return .scalar
    case "NSNumber": return .number
    case "Decimal", "NSDecimalNumber": return .decimal
    case "String", "NSString": return .string
    case "Date", "NSDate": return .date
    case "Data", "NSData": return .data
    case "UUID", "NSUUID": return .uuid
    case "URL", "NSURL": return .url
    case "Set", "NSSet", "NSMutableSet": return .set
    case "NSOrderedSet", "NSMutableOrderedSet": return .orderedSet
    case "Array", "NSArray": return .array
    case "Dictionary", "NSDictionary": return .dictionary
    case "NSManagedObjectID": return .objectID
    case "NSObject", "Any", "AnyObject", "NSManagedObject": return .object
    default: return nil
    }
  }
}
