import Diary
import Foundation
import SwiftData
import Trips

/// What tutorials show: tests against a container in memory, an actor that imports, a file that grows with its schema.
@main
struct Program {
  static func main() async throws {
    try inMemory()
    try await imported()
    try migrated()
    try await ofTheMainActor()
    try ofSystemsAndProtocols()
    print("The SwiftData package works.")
  }

  @MainActor
  static func inMemory() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none)
    let container = try ModelContainer(for: Trip.self, Stay.self, configurations: configuration)
    let context = container.mainContext
    let trip = Trip(name: "Alps", destination: "Chur")
    context.insert(trip)
    trip.stays.append(Stay(place: "Chur", nights: 2))
    trip.stays.append(Stay(place: "Arosa", nights: 3, kind: .tent))
    try context.save()

    let descriptor = FetchDescriptor<Stay>(
      predicate: #Predicate { $0.nights > 2 }, sortBy: [SortDescriptor(\.place)])
    try check(context.fetch(descriptor).map(\.place) == ["Arosa"], "a predicate finds the longer stay")
    try check(context.fetch(descriptor).first?.trip === trip, "the inverse is set")

    // A name that is there already: the stored trip takes the new one's values.
    context.insert(Trip(name: "Alps", destination: "Davos"))
    try context.save()
    let trips = try context.fetch(FetchDescriptor<Trip>())
    check(trips.map(\.destination) == ["Davos"], "a unique name is stored once")

    context.delete(trips[0])
    try context.save()
    try check(context.fetchCount(FetchDescriptor<Stay>()) == 0, "stays go with their trip")
  }

  static func imported() async throws {
    let container = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let importer = TripImporter(modelContainer: container)
    let count = try await importer.add(names: ["Oslo", "Rome", "Oslo"])
    check(count == 2, "the actor has imported each name once")
    let context = ModelContext(container)
    let names = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    check(names == ["Oslo", "Rome"], "another context reads what the actor has saved")
  }

  static func migrated() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Log-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("Log.store")
    do {
      let schema = Schema(versionedSchema: LogV1.self)
      let context = ModelContext(
        try ModelContainer(for: schema, configurations: ModelConfiguration(schema: schema, url: file)))
      context.insert(LogV1.Entry(text: "First"))
      try context.save()
    }
    let schema = Schema(versionedSchema: LogV2.self)
    let container = try ModelContainer(
      for: schema, migrationPlan: LogPlan.self, configurations: ModelConfiguration(schema: schema, url: file))
    let context = ModelContext(container)
    let entries = try context.fetch(FetchDescriptor<LogV2.Entry>())
    check(entries.map(\.title) == ["First"] && entries.map(\.length) == [5], "the file has become the next version")
  }

  @MainActor
  static func ofTheMainActor() async throws {
    let diary = try Diary()
    let id = try await DiaryWriter(modelContainer: diary.container).write("Rain")
    diary.container.mainContext.insert(Appointment(title: "Dentist", place: "Chur"))
    try diary.container.mainContext.save()
    try check(diary.texts(containing: "RAI") == ["Rain"], "the main actor reads what the other has written")
    check((diary.container.mainContext.model(for: id) as? Entry)?.text == "Rain", "an identity leads to the model")
    try check(
      diary.container.mainContext.fetch(FetchDescriptor<Plan>()).map { ($0 as? Appointment)?.place } == ["Chur"],
      "a model that inherits is found as one of its class")
  }

  static func ofSystemsAndProtocols() throws {
    let container = try ModelContainer(
      for: Photo.self, Place.self, Camp.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 1...2 { context.insert(Photo(name: "Alps", data: Data([UInt8(number)]))) }
    context.insert(Camp(name: "Arosa"))
    try context.save()

    let photos = try context.fetch(FetchDescriptor<Photo>())
    check(photos.map(\.data) == [Data([2])], "a name is unique where the attribute says so")
    photos[0].show()
    check(photos[0].isShown && !context.hasChanges, "a transient property is no part of the store")
    try check(
      context.fetch(FetchDescriptor<Place>()).map { ($0 as? Camp)?.isSynced } == [false],
      "a class that inherits may conform to a protocol of models")
  }

  static func check(_ isTrue: @autoclosure () throws -> Bool, _ what: String) rethrows {
    if try !isTrue() { fatalError("not so: \(what)") }
  }
}

@ModelActor
actor TripImporter {
  /// How many trips there are afterwards.
  func add(names: [String]) throws -> Int {
    for name in names { modelContext.insert(Trip(name: name, destination: name)) }
    try modelContext.save()
    return try modelContext.fetchCount(FetchDescriptor<Trip>())
  }
}
