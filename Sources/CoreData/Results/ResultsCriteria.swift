/// Which objects a list has, in which order and sections: the request as it was at the fetch.
final class ResultsCriteria {
  private(set) var description: FetchDescription
  let sectionNameKeyPath: String?
  private var predicate: PredicateEvaluator?
  /// How many objects of the context had been saved for the first time when `predicate` was made.
  private var knownKeyCount = 0
  private let sort: [(key: SortKey, path: CompiledKeyPath)]
  let stores: [NSPersistentStore]?
  let sectionKeys: [String]
  /// The place of the section's name in a row; nil if a class may compute it.
  let sectionPath: CompiledKeyPath?
  /// The properties whose change may move an object.
  let placingKeys: Set<String>

  /// Throws an error that names the problem if the request is invalid.
  init<Result>(
    _ request: NSFetchRequest<Result>, sectionNameKeyPath: String?, _ layouts: ModelLayouts
  ) throws {
    description = try FetchDescription(request, layouts)
    predicate = try description.predicate.map { try PredicateEvaluator($0) }
    sort = try description.sort.map { key in
      (key, try publicErrors { try CompiledKeyPath(key.path) })
    }
    stores = request.affectedStores
    self.sectionNameKeyPath = sectionNameKeyPath
    sectionKeys = sectionNameKeyPath?.split(separator: ".").map(String.init) ?? []
    sectionPath =
      ResultsCriteria.isStored(sectionKeys, description.layout)
      ? try publicErrors { [sectionKeys] in try CompiledKeyPath(sectionKeys) } : nil
    placingKeys = Set(description.sort.compactMap(\.path.first) + sectionKeys.prefix(1))
  }

  private static func isStored(_ path: [String], _ layout: EntityLayout) -> Bool {
    var layout = layout
    for key in path {
      guard let property = layout.property(named: key), !property.isTransient else { return false }
      if property.isRelationship { layout = layout.model.layouts[property.destination] }
    }
    return !path.isEmpty
  }

  /// Follows the objects that the predicate names through their first save, which gives them other ids.
  func takeUpIDs(of context: NSManagedObjectContext) throws {
    guard let node = description.predicate, context.formerKeys.additions != knownKeyCount else { return }
    let current = context.withPermanentIDs(node)
    description.predicate = current
    predicate = try PredicateEvaluator(current)
    knownKeyCount = context.formerKeys.additions
  }

  /// Whether the object could be in the list, judged without its values.
  func concerns(_ object: NSManagedObject) -> Bool { description.entities.contains(object.layout.index) }

  /// Whether the object belongs in the list.
  func lists(_ object: NSManagedObject) throws -> Bool {
    guard concerns(object), object.state.isDisjoint(with: [.deleted, .inaccessible]) else { return false }
    if let context = object.managedObjectContext, try !context.isObject(object, in: stores) { return false }
    return try predicate?.matches(object) ?? true
  }

  /// Whether a sort key of the object changed in the current event.
  func isPlaced(anewInEvent object: NSManagedObject) -> Bool { object.hasChangedInEvent(placingKeys) }

  /// The sort keys of the object.
  func keys(of object: NSManagedObject) throws -> [PredicateValue] {
    try sort.map { step in try publicErrors { try step.path.value(from: .subject(object)) } }
  }

  func order(_ a: [PredicateValue], _ b: [PredicateValue]) -> ComparisonResult {
    for (index, step) in sort.enumerated() {
      let order = step.key.compare(a[index], b[index])
      if order != .orderedSame { return order }
    }
    return .orderedSame
  }

  /// The order of sort keys and an object.
  func order(_ keys: [PredicateValue], _ object: NSManagedObject) throws -> ComparisonResult {
    order(keys, try self.keys(of: object))
  }

  /// The name of the section that the object belongs in.
  func sectionName(of object: NSManagedObject) throws -> String {
    if sectionKeys.isEmpty { return "" }
    guard let sectionPath else { return ResultsCriteria.text(KeyPathValues.value(of: object, sectionKeys)) }
    let value = try publicErrors { try sectionPath.value(from: .subject(object)) }
    switch value {
    case .constant(.string(let text)): return text
    case .constant(.int(let number)): return String(number)
    case .constant(.bool(let flag)): return flag ? "1" : "0"
    // The predicates' value does not tell a float from a double, whose texts differ.
    case .constant(.double): return ResultsCriteria.text(KeyPathValues.value(of: object, sectionKeys))
    default: return ResultsCriteria.text(value.anyValue)
    }
  }

  /// The error of a result whose section has already ended.
  func outOfOrder(_ index: Int, section name: String) -> NSError {
    Failure.malformedFetchRequest(
      entity: description.layout.name,
      what:
        "The fetched object at index \(index) is out of order: its section \"\(name)\" has already ended. The list is "
        + "sorted first by \"\(description.sort.first?.path.joined(separator: ".") ?? "nothing")\", which does not keep "
        + "the sections by \"\(sectionNameKeyPath ?? "")\" together."
    ).nsError
  }

  static func text(_ value: Any?) -> String {
    switch value {
    case nil, is NSNull: ""
    case let text as String: text
    case let number as NSNumber: text(number)
    case let value?: "\(value)"
    }
  }

  /// A number's description with Apple's Foundation. Here a `Double` without a fraction has one in its text.
  private static func text(_ number: NSNumber) -> String {
    if number is NSDecimalNumber { return number.stringValue }
    return switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"): String(format: "%.16g", number.doubleValue)
    case UInt8(ascii: "f"): String(format: "%.7g", number.doubleValue)
    default: number.stringValue
    }
  }
}
