import CoreData

/// Changes to many readings at once. Call each on the context's queue. It returns the ids of the rows that it
/// chose; no context hears of the change.
public struct ReadingBatches {
  public let context: NSManagedObjectContext

  public init(context: NSManagedObjectContext) { self.context = context }

  //> calibrate
  /// Corrects the readings of a thermometer that was off by `degrees`, and marks them as checked.
  public func calibrate(_ stationCode: String, by degrees: Double) throws -> [NSManagedObjectID] {
    let request = NSBatchUpdateRequest(entityName: "Reading")
    request.predicate = NSPredicate(format: "stationCode == %@", stationCode)
    request.propertiesToUpdate = [
      "celsius": NSExpression(format: "celsius + %f", degrees), "isChecked": true,
    ]
    request.resultType = .updatedObjectIDsResultType
    let result = try context.execute(request) as? NSBatchUpdateResult
    return result?.result as? [NSManagedObjectID] ?? []
  }
  //< calibrate

  //> forget
  /// Deletes the readings before a time, with their remarks.
  public func forget(before time: Date) throws -> [NSManagedObjectID] {
    let fetch: NSFetchRequest<Reading> = Reading.fetchRequest()
    fetch.predicate = NSPredicate(format: "time < %@", time as NSDate)
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    request.resultType = .resultTypeObjectIDs
    let result = try context.execute(request) as? NSBatchDeleteResult
    return result?.result as? [NSManagedObjectID] ?? []
  }
  //< forget
}
