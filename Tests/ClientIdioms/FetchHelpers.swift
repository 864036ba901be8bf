import CoreData

/// What typed layers ask of an entity's class.
protocol Fetchable: NSManagedObject {}

extension Recipe: Fetchable {}
extension Ingredient: Fetchable {}

extension Fetchable {
  static var entityName: String { String(describing: self) }

  static func request(
    where predicate: NSPredicate? = nil, sortedBy key: String? = nil, ascending: Bool = true, limit: Int = 0
  ) -> NSFetchRequest<Self> {
    let request = NSFetchRequest<Self>(entityName: entityName)
    request.predicate = predicate
    if let key { request.sortDescriptors = [NSSortDescriptor(key: key, ascending: ascending)] }
    request.fetchLimit = limit
    return request
  }

  static func all(in context: NSManagedObjectContext, sortedBy key: String? = nil) throws -> [Self] {
    try context.fetch(request(sortedBy: key))
  }

  static func first(in context: NSManagedObjectContext, where format: String, _ arguments: Any...) throws -> Self? {
    try context.fetch(request(where: NSPredicate(format: format, argumentArray: arguments), limit: 1)).first
  }

  static func findOrCreate<Value>(
    _ key: String, _ value: Value, in context: NSManagedObjectContext, configure: (Self) -> Void = { _ in }
  ) throws -> Self {
    if let found = try first(in: context, where: "%K == %@", key, value) { return found }
    let made = Self(context: context)
    made.setValue(value, forKey: key)
    configure(made)
    return made
  }

  static func count(in context: NSManagedObjectContext, where predicate: NSPredicate? = nil) throws -> Int {
    try context.count(for: request(where: predicate))
  }

  @discardableResult
  static func deleteAll(in context: NSManagedObjectContext, where predicate: NSPredicate? = nil) throws -> Int {
    let found = try context.fetch(request(where: predicate))
    found.forEach(context.delete)
    return found.count
  }

  /// Values of one attribute, without objects.
  static func values<Value>(of key: String, as type: Value.Type, in context: NSManagedObjectContext) throws -> Set<
    Value
  > {
    let request = NSFetchRequest<NSDictionary>(entityName: entityName)
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [key]
    request.returnsDistinctResults = true
    return Set(try context.fetch(request).compactMap { $0[key] as? Value })
  }
}

// Predicates and orders by key paths, as libraries of queries make them.

func == <Object: NSManagedObject, Value>(left: KeyPath<Object, Value>, right: Value) -> NSPredicate {
  NSComparisonPredicate(
    leftExpression: NSExpression(forKeyPath: left.name), rightExpression: NSExpression(forConstantValue: right),
    modifier: .direct, type: .equalTo)
}

extension AnyKeyPath {
  /// The name that key-value coding has for it.
  var name: String {
    guard let name = _kvcKeyPathString else { fatalError("\(self) has no name.") }
    return name
  }
}
