import Foundation

@testable import CoreData

/// The oracle's model and data in a store of one kind: a clean context, and one with changes that are not saved.
final class PredicateStack {
  let kind: String
  private let coordinator: NSPersistentStoreCoordinator
  /// Objects by number: those in the store, and those that only the changed context has.
  private var stored: [Int: NSManagedObjectID] = [:]
  private var changed: NSManagedObjectContext?
  private var unsaved: [Int: NSManagedObject] = [:]
  private var numbers: [NSManagedObjectID: Int] = [:]

  init(_ kind: String, _ model: OracleModel, _ data: OracleData, at url: URL) throws {
    self.kind = kind
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model.managedObjectModel())
    try coordinator.addPersistentStore(
      ofType: kind, configurationName: nil, at: url,
      options: [NSSQLitePragmasOption: ["synchronous": "OFF", "journal_mode": "MEMORY"]])
    let context = newContext()
    try context.performAndWait {
      var objects: [Int: NSManagedObject] = [:]
      for number in data.numbers {
        objects[number] = NSEntityDescription.insertNewObject(
          forEntityName: data[number].entity, into: context)
        for (key, value) in data[number].values {
          objects[number]!.setValue(Self.boxed(value, of: key, data, number), forKey: key)
        }
      }
      for number in data.numbers {
        for (name, members) in data[number].links.sorted(by: { $0.key < $1.key }) where !members.isEmpty {
          Self.assign(objects[number]!, name, members.map { objects[$0]! })
        }
      }
      try context.save()
      for (number, object) in objects {
        stored[number] = object.objectID
        numbers[object.objectID] = number
      }
    }
  }

  func newContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// A context with these changes takes the place of the one before.
  func change(_ changes: [OracleChange], _ data: OracleData) {
    let context = newContext()
    for object in unsaved.values { numbers[object.objectID] = nil }
    unsaved = [:]
    changed = context
    var data = data
    context.performAndWait {
      func object(_ number: Int) -> NSManagedObject {
        unsaved[number] ?? context.object(with: stored[number]!)
      }
      for change in changes where change.isPossible(in: data) {
        change.make(in: &data)
        switch change {
        case .insert(let number, let entity):
          let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
          unsaved[number] = object
          numbers[object.objectID] = number
        case .set(let number, let key, let value):
          object(number).setValue(Self.boxed(value, of: key, data, number), forKey: key)
        case .assign(let number, let name, let members):
          Self.assign(object(number), name, members.map(object))
        case .delete(let number): context.delete(object(number))
        }
      }
    }
  }

  private static func assign(_ object: NSManagedObject, _ name: String, _ members: [NSManagedObject]) {
    let relationship = object.entity.relationshipsByName[name]!
    if !relationship.isToMany {
      object.setValue(members.first, forKey: name)
    } else if relationship.isOrdered {
      object.setValue(NSOrderedSet(array: members), forKey: name)
    } else {
      object.setValue(NSSet(array: members), forKey: name)
    }
  }

  private static func boxed(_ value: OracleConstant, of key: String, _ data: OracleData, _ number: Int)
    -> Any?
  {
    if case .real(let real) = value, data.model.attribute(key, of: data[number].entity)?.kind == .float {
      return Float(real)
    }
    return value.boxed
  }

  // Fetching.

  /// What is wrong with a request's results in the clean context, or in the changed one; nil if nothing is.
  func mismatch(
    _ request: OracleRequest, _ data: OracleData, isChanged: Bool, in clean: NSManagedObjectContext
  ) -> String? {
    let context = isChanged ? changed! : clean
    // A case that was made smaller may name objects that were left out.
    let known = Set(stored.keys).union(unsaved.keys)
    guard request.predicate?.objects.isSubset(of: known) ?? true else { return nil }
    return context.performAndWait {
      let isRefused = !isChanged && kind == ComparedStores.asked && request.predicate?.isRefused == true
      let found: String?
      do {
        found = try mismatch(request, data, context, isChanged)
      } catch {
        if ComparedStores.refuses(error) { return nil }
        // Where changes are evaluated in memory it may be found or refused.
        let mayRefuse = isRefused || (kind == ComparedStores.asked && request.predicate?.isRefused == true)
        return mayRefuse ? nil : "threw \(error)"
      }
      return isRefused ? "was not refused" : found
    }
  }

  private func mismatch(
    _ request: OracleRequest, _ data: OracleData, _ context: NSManagedObjectContext, _ isChanged: Bool
  ) throws -> String? {
    let predicate = try request.predicate.map { try self.predicate($0, request.spelling, context, isChanged) }
    switch request.result {
    case .objects:
      let fetch = NSFetchRequest<NSManagedObject>(entityName: request.entity)
      configure(fetch, request, predicate)
      return request.mismatch(try context.fetch(fetch).map { numbers[$0.objectID]! }, data)
    case .ids:
      let fetch = NSFetchRequest<NSManagedObjectID>(entityName: request.entity)
      configure(fetch, request, predicate)
      fetch.resultType = .managedObjectIDResultType
      return request.mismatch(try context.fetch(fetch).map { numbers[$0]! }, data)
    case .count:
      let fetch = NSFetchRequest<NSManagedObject>(entityName: request.entity)
      configure(fetch, request, predicate)
      let count = try context.count(for: fetch)
      let wanted = request.slice(request.matching(data)).count
      return count == wanted ? nil : "counted \(count) instead of \(wanted)"
    case .dictionaries:
      let fetch = NSFetchRequest<NSDictionary>(entityName: request.entity)
      configure(fetch, request, predicate)
      fetch.resultType = .dictionaryResultType
      fetch.propertiesToFetch = request.columns.map { column($0, request, data) }
      fetch.propertiesToGroupBy =
        request.groups.isEmpty ? nil : request.groups.map { $0.joined(separator: ".") }
      fetch.returnsDistinctResults = request.isDistinct
      if let having = request.having {
        fetch.havingPredicate = NSPredicate(format: "%K >= %ld", request.columns.last!.name, Int(having))
      }
      let rows = try context.fetch(fetch).map { row in
        request.columns.map { OracleValue(any: row[$0.name]) }
      }
      return request.mismatch(rows, data)
    }
  }

  private func configure<Result>(
    _ fetch: NSFetchRequest<Result>, _ request: OracleRequest, _ predicate: NSPredicate?
  ) {
    fetch.predicate = predicate
    fetch.includesSubentities = request.withSubentities
    fetch.fetchLimit = request.limit
    fetch.fetchOffset = request.offset
    if !request.sort.isEmpty {
      fetch.sortDescriptors = request.sort.map { key in
        let path = key.path.joined(separator: ".")
        return key.ignoresCase
          ? NSSortDescriptor(
            key: path, ascending: key.isAscending, selector: Selector("caseInsensitiveCompare:"))
          : NSSortDescriptor(key: path, ascending: key.isAscending)
      }
    }
  }

  private func column(_ column: OracleRequest.Column, _ request: OracleRequest, _ data: OracleData) -> Any {
    guard case .aggregate(let function, let path) = column else { return column.name }
    let description = NSExpressionDescription()
    description.name = column.name
    description.expression = FoundationExpression(
      forFunction: "\(function):", arguments: [FoundationExpression(forKeyPath: path.joined(separator: "."))])
    var type = NSAttributeType.undefinedAttributeType
    if function == "count" { type = .integer64AttributeType }
    if function == "average" || function == "sum" { type = .doubleAttributeType }
    description.expressionResultType = type
    return description
  }

  private func predicate(
    _ predicate: OraclePredicate, _ spelling: UInt64, _ context: NSManagedObjectContext, _ isChanged: Bool
  ) throws -> NSPredicate {
    func object(_ number: Int) -> Any? {
      // What is not saved is unknown elsewhere.
      if let object = unsaved[number] { return isChanged ? object : object.objectID }
      guard let id = stored[number] else { return nil }
      return (spelling ^ UInt64(number)) % 2 == 0 ? id : context.object(with: id)
    }
    if spelling == 0 { return PredicateBuilder(object: object).predicate(predicate) }
    let writer = OracleWriter(predicate, spelling: spelling)
    let arguments = writer.arguments.map { argument -> Any? in
      switch argument {
      case .key(let key): return key
      case .value(.object(let number)): return object(number)
      case .value(let constant): return constant.boxed
      case .list(let members):
        return members.map { member -> Any in
          if case .object(let number) = member { return object(number) ?? NSNull() }
          return member.boxed ?? NSNull()
        }
      }
    }
    let parsed = try NSPredicate.parsing(writer.text, arguments: arguments)
    // What the printer writes must mean the same.
    if spelling % 5 == 0, predicate.objects.isEmpty {
      return try NSPredicate.parsing(PredicatePrinter.print(parsed.node))
    }
    return parsed
  }
}
