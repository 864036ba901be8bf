import CoreData
import Foundation

/// Steps that are more than one call.
extension OracleDriver {
  func assign(_ object: NSManagedObject, _ name: String, _ members: [NSManagedObject]) {
    let relationship = object.entity.relationshipsByName[name]!
    if !relationship.isToMany {
      object.setValue(members.first, forKey: name)
    } else if relationship.isOrdered {
      object.setValue(NSOrderedSet(array: members), forKey: name)
    } else {
      object.setValue(NSSet(array: members), forKey: name)
    }
  }

  func edit(
    _ object: NSManagedObject, _ name: String, _ set: (NSMutableSet) -> Void,
    _ list: (NSMutableOrderedSet) -> Void
  ) {
    if object.entity.relationshipsByName[name]!.isOrdered {
      list(object.mutableOrderedSetValue(forKey: name))
    } else {
      set(object.mutableSetValue(forKey: name))
    }
  }

  func fetch(_ fetch: OracleFetch, _ index: Int, _ expectation: OracleExpectation) throws {
    guard case .found(let wanted) = expectation.outcome else { return }
    let request = NSFetchRequest<NSManagedObject>(entityName: fetch.entity)
    if case .leadsTo(_, let number) = fetch.condition {
      request.predicate = NSPredicate(format: fetch.format, object(number, index))
    } else {
      request.predicate = NSPredicate(format: fetch.format)
    }
    request.sortDescriptors = [
      NSSortDescriptor(key: "count", ascending: !fetch.isDescending),
      NSSortDescriptor(key: "serial", ascending: true),
    ]
    request.fetchLimit = fetch.limit
    request.fetchOffset = fetch.offset
    request.includesPendingChanges = fetch.withPendingChanges
    let found = try contexts[index].fetch(request)
    try same("what is found", try found.map(number), wanted)
    try same("the count", try contexts[index].count(for: request), wanted.count)
  }

  func save(_ index: Int, _ expectation: OracleExpectation) throws {
    let context = contexts[index]
    // Held, so that they can be asked for the ids that they get.
    let held = Dictionary(
      uniqueKeysWithValues: context.insertedObjects.compactMap { object in
        numbers[object.objectID].map { ($0, object) }
      })
    let error = failure { try context.save() }
    learnIDs(held)
    let log = logs[index]
    switch expectation.outcome {
    case .invalid(let codes):
      let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError]
      try same(
        "the error", error?.code, codes.count == 1 ? codes[0] : NSValidationMultipleErrorsError)
      if let details { try same("the errors", details.map(\.code).sorted(), codes) }
    case .conflict: try same("the error", error?.code, NSManagedObjectMergeError)
    case .nothingToSave:
      if let error { throw OracleMismatch("the save failed: \(error)") }
      guard let didSave = log["didSave"] else { throw OracleMismatch("a save without changes was not announced") }
      try compare(OracleNotice(), didSave, index, "didSave")
    case .saved(let notice), .perhapsSaved(let notice):
      if let error { throw OracleMismatch("the save failed: \(error)") }
      if let didSave = log["didSave"] {
        try compare(notice, didSave, index, "didSave")
        for other in contexts.indices
        where other != index && contexts[other].parent == nil && context.parent == nil {
          missed[other].append(didSave)
        }
      } else if case .saved = expectation.outcome {
        throw OracleMismatch("the save was not announced")
      }
    case .done, .found: break
    }
    if expectation.mustRefresh {
      context.refreshAllObjects()
      try forget(index)
    } else if case .saved = expectation.outcome {
      let there = Set(oracle.contexts[index].now.numbers)
      kept[index] = kept[index].filter { there.contains($0.key) }
    }
  }

  /// Without kept objects what a context has not read yet is as new as can be, so all of them take changes
  /// over.
  func spread(from source: Int) throws {
    for index in contexts.indices where index != source && !oracle.isLevel(index) {
      let action: OracleAction = setting.parents[index] == nil ? .merge : .refreshAll
      for action in [action, .rollback] where !oracle.isLevel(index) {
        let step = OracleStep(context: index, action: action)
        guard let expectation = try? oracle.take(step) else { continue }
        try within(index) {
          try perform(step, expectation)
          try compareUndo(index, expectation)
        }
      }
    }
  }
}
