import CoreData

/// The ways to bring the archive's lines into the store. Each is called on its context's queue.
public struct ArchiveImport {
  public let context: NSManagedObjectContext

  public init(context: NSManagedObjectContext) { self.context = context }

  //> by-saving
  /// Makes an object of each line, saves in portions, and empties the context after each.
  public func bySaving(_ lines: some Sequence<ArchiveLine>, portion: Int = 1000) throws {
    var unsaved = 0
    for line in lines {
      let reading = Reading(context: context)
      reading.stationCode = line.stationCode
      reading.time = line.time
      if let celsius = line.celsius { reading.celsius = celsius }
      unsaved += 1
      if unsaved == portion {
        try context.save()
        context.reset()
        unsaved = 0
      }
    }
    try context.save()
  }
  //< by-saving

  //> by-dictionaries
  /// All rows at once, as dictionaries. Returns the ids of the rows.
  public func byDictionaries(_ lines: some Sequence<ArchiveLine>) throws -> [NSManagedObjectID] {
    let objects = lines.map { line in
      var values: [String: Any] = ["stationCode": line.stationCode, "time": line.time]
      values["celsius"] = line.celsius
      return values
    }
    let request = NSBatchInsertRequest(entityName: "Reading", objects: objects)
    request.resultType = .objectIDs
    let result = try context.execute(request) as? NSBatchInsertResult
    return result?.result as? [NSManagedObjectID] ?? []
  }
  //< by-dictionaries

  //> by-dictionary-handler
  /// Row by row: the store asks for a row when it has written the last one. Returns how many.
  public func byDictionaryHandler(_ lines: some Sequence<ArchiveLine>) throws -> Int {
    var lines = lines.makeIterator()
    let request = NSBatchInsertRequest(entityName: "Reading") { (row: NSMutableDictionary) in
      guard let line = lines.next() else { return true }
      row["stationCode"] = line.stationCode
      row["time"] = line.time
      if let celsius = line.celsius { row["celsius"] = celsius }
      return false
    }
    return try count(request)
  }
  //< by-dictionary-handler

  //> by-object-handler
  /// The same, with properties that the compiler checks instead of keys. Returns how many.
  public func byObjectHandler(_ lines: some Sequence<ArchiveLine>) throws -> Int {
    var lines = lines.makeIterator()
    let request = NSBatchInsertRequest(entityName: "Reading") { (object: NSManagedObject) in
      guard let line = lines.next(), let row = object as? Reading else { return true }
      row.stationCode = line.stationCode
      row.time = line.time
      if let celsius = line.celsius { row.celsius = celsius }
      return false
    }
    return try count(request)
  }
  //< by-object-handler

  private func count(_ request: NSBatchInsertRequest) throws -> Int {
    request.resultType = .count
    return (try context.execute(request) as? NSBatchInsertResult)?.result as? Int ?? 0
  }

  //> link
  /// Connects a station's readings to it, as objects: a batch can't set relationships. Returns
  /// how many it connected.
  public func link(stationOf code: String, portion: Int = 1000) throws -> Int {
    let stations: NSFetchRequest<Station> = Station.fetchRequest()
    stations.predicate = NSPredicate(format: "code == %@", code)
    let readings: NSFetchRequest<Reading> = Reading.fetchRequest()
    readings.predicate = NSPredicate(format: "stationCode == %@ AND station == nil", code)
    readings.fetchLimit = portion
    var linked = 0
    while let station = try context.fetch(stations).first {
      let found = try context.fetch(readings)
      if found.isEmpty { break }
      for reading in found { reading.station = station }
      try context.save()
      context.reset()
      linked += found.count
    }
    return linked
  }
  //< link
}
