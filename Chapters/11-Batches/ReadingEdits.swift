import CoreData

/// What `ReadingBatches` does, with objects and saves: the measure for what a batch gains. On the context's queue.
public struct ReadingEdits {
  public let context: NSManagedObjectContext
  public let portion: Int

  public init(context: NSManagedObjectContext, portion: Int = 1000) {
    self.context = context
    self.portion = portion
  }

  /// Corrects the readings of a station that are not checked yet, in portions. Returns how many.
  public func calibrate(_ stationCode: String, by degrees: Double) throws -> Int {
    try inPortions(NSPredicate(format: "stationCode == %@ AND isChecked == NO", stationCode)) { reading in
      reading.celsius += degrees
      reading.isChecked = true
    }
  }

  /// Deletes the readings before a time, in portions. Returns how many.
  public func forget(before time: Date) throws -> Int {
    try inPortions(NSPredicate(format: "time < %@", time as NSDate)) { context.delete($0) }
  }

  /// Each portion must no longer meet the predicate once it is saved.
  private func inPortions(_ predicate: NSPredicate, _ change: (Reading) -> Void) throws -> Int {
    let request: NSFetchRequest<Reading> = Reading.fetchRequest()
    request.predicate = predicate
    request.fetchLimit = portion
    var done = 0
    while true {
      let found = try context.fetch(request)
      if found.isEmpty { return done }
      found.forEach(change)
      try context.save()
      context.reset()
      done += found.count
    }
  }
}
