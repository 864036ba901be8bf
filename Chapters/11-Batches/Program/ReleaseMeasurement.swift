#if !DEBUG
import BatchesChapter
import ChapterSupport
import CoreData
import Foundation

/// One way of doing one thing, timed over a store of its own, and checked in the file afterwards.
struct ReleaseMeasurement {
  struct Way {
    let name: String
    var startsFilled = false
    let work: (NSManagedObjectContext, WeatherArchive) throws -> Void
    /// How many readings the file must hold afterwards that meet `condition`.
    let expected: (WeatherArchive) -> Int
    var condition = "1"
  }

  let folder: URL
  let archive: WeatherArchive

  private static let stationCodes = ["KIB", "MWE", "HOR", "BAR"]

  init(folder: URL, readings: Int) {
    self.folder = folder
    archive = WeatherArchive(Self.stationCodes, readingsEach: readings / Self.stationCodes.count)
  }

  func seconds(_ way: Way) throws -> Double {
    let url = folder.appendingPathComponent(WeatherStack.storeName)
    try StoreOptions.removeStore(at: url)
    let stack = try WeatherStack(folder: folder)
    let context = stack.newImporter(author: "measurement")
    let time = try context.performAndWait {
      if way.startsFilled { _ = try ArchiveImport(context: context).byDictionaryHandler(archive) }
      return try ContinuousClock().measure { try way.work(context, archive) }
    }
    let found = try WeatherFile(url: url).integer("SELECT count(*) FROM ZREADING WHERE \(way.condition)")
    guard found == way.expected(archive) else {
      throw ChapterFailure("\(way.name): the file holds \(found) readings, and not \(way.expected(archive)).")
    }
    try stack.close()
    return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
  }

  static let inserts: [Way] = {
    func way(_ name: String, _ work: @escaping (ArchiveImport, WeatherArchive) throws -> Void) -> Way {
      Way(
        name: name, work: { try work(ArchiveImport(context: $0), $1) }, expected: { $0.count })
    }
    return [
      way("save, portions of 1000") { try $0.bySaving($1) },
      way("batch, dictionaries") { _ = try $0.byDictionaries($1) },
      way("batch, dictionary handler") { _ = try $0.byDictionaryHandler($1) },
      way("batch, object handler") { _ = try $0.byObjectHandler($1) },
      way("save, with their stations") {
        try addStations($0.context)
        try saveLinked($1, $0.context)
      },
      way("batch, then linked by saves") {
        try addStations($0.context)
        _ = try $0.byDictionaryHandler($1)
        for code in stationCodes { _ = try $0.link(stationOf: code) }
      },
    ]
  }()

  private static func addStations(_ context: NSManagedObjectContext) throws {
    for code in stationCodes {
      let station = Station(context: context)
      (station.code, station.name) = (code, code)
    }
    try context.save()
  }

  /// Portions of 1000 whose readings lead to their stations from the start.
  private static func saveLinked(_ archive: WeatherArchive, _ context: NSManagedObjectContext) throws {
    let request: NSFetchRequest<Station> = Station.fetchRequest()
    var lines = archive.makeIterator()
    var portion: [ArchiveLine] = []
    repeat {
      portion.removeAll(keepingCapacity: true)
      while portion.count < 1000, let line = lines.next() { portion.append(line) }
      let stations = Dictionary(uniqueKeysWithValues: try context.fetch(request).map { ($0.code, $0) })
      for line in portion {
        let reading = Reading(context: context)
        reading.stationCode = line.stationCode
        reading.time = line.time
        if let celsius = line.celsius { reading.celsius = celsius }
        reading.station = stations[line.stationCode]
      }
      try context.save()
      context.reset()
    } while !portion.isEmpty
  }

  static let updates: [Way] = {
    [
      Way(
        name: "save, portions of 1000", startsFilled: true,
        work: { context, _ in
          for code in stationCodes { _ = try ReadingEdits(context: context).calibrate(code, by: 0.5) }
        }, expected: { $0.count }, condition: "ZISCHECKED = 1"),
      Way(
        name: "batch", startsFilled: true,
        work: { context, _ in
          for code in stationCodes { _ = try ReadingBatches(context: context).calibrate(code, by: 0.5) }
        }, expected: { $0.count }, condition: "ZISCHECKED = 1"),
    ]
  }()

  static let deletes: [Way] = {
    [
      Way(
        name: "save, portions of 1000", startsFilled: true,
        work: { _ = try ReadingEdits(context: $0).forget(before: WeatherArchive.time($1.readingsEach / 2)) },
        expected: { $0.count - $0.stationCodes.count * ($0.readingsEach / 2) }),
      Way(
        name: "batch", startsFilled: true,
        work: { _ = try ReadingBatches(context: $0).forget(before: WeatherArchive.time($1.readingsEach / 2)) },
        expected: { $0.count - $0.stationCodes.count * ($0.readingsEach / 2) }),
    ]
  }()
}
#endif
