import CoreData
import Foundation
import SwiftData
import TestFiles
import Testing

@Model class Trip {
  #Unique<Trip>([\.name])
  var name: String
  var days = 1
  private(set) var secret: String? = "s"
  @Transient var isOpen = false
  @Relationship(deleteRule: .cascade, inverse: \Stay.trip) var stays: [Stay] = []
  init(name: String, days: Int = 1) {
    self.name = name
    self.days = days
  }
  func rename() { name += "!" }
}

@Model class BusinessTrip: Trip {
  var perDiem: Double
  var firm: String? = "Acme"
  init(name: String, perDiem: Double) {
    self.perDiem = perDiem
    super.init(name: name, days: 2)
    self.days += 1
  }
}

@Model final class FairTrip: BusinessTrip {
  #Index<FairTrip>([\.hall])
  var hall: Int = 7
  var stand: Stay?
  init(name: String) { super.init(name: name, perDiem: 3) }
}

@Model final class PrivateTrip: Trip {
  var reason: String
  init(name: String, reason: String) {
    self.reason = reason
    super.init(name: name)
  }
}

@Model final class Stay {
  var place: String
  var trip: Trip?
  init(place: String, trip: Trip? = nil) {
    self.place = place
    self.trip = trip
  }
}

/// Has properties with the names of what every managed object has.
@Model class Relic {
  var objectID: Int
  var entity = "relic"
  init(_ number: Int) { objectID = number }
}

@Model final class Vase: Relic {
  var age = 0
  override init(_ number: Int) { super.init(number) }
}

/// Inherits, but has no entity.
final class PlainTrip: Trip {}

@Suite("Models that inherit from models")
struct InheritanceTests {
  private func travels(_ folder: TemporaryFolder) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Trip.self, BusinessTrip.self, FairTrip.self, PrivateTrip.self,
        configurations: ModelConfiguration(url: folder.file())))
  }

  private func filled(_ folder: TemporaryFolder) throws -> ModelContext {
    let context = try travels(folder)
    let fair = FairTrip(name: "Fair")
    fair.stand = Stay(place: "Hall", trip: fair)
    context.insert(Trip(name: "Trip"))
    context.insert(BusinessTrip(name: "Business", perDiem: 40))
    context.insert(fair)
    context.insert(PrivateTrip(name: "Private", reason: "Sun"))
    try context.save()
    return context
  }

  private func names(_ context: ModelContext, _ predicate: Predicate<Trip>? = nil) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  @Test("An object has what its class and those above were initialized with, before and after it is inserted")
  func values() throws {
    let fair = FairTrip(name: "Fair")
    #expect(fair.name == "Fair" && fair.days == 3 && fair.perDiem == 3 && fair.firm == "Acme" && fair.hall == 7)
    fair.rename()
    fair.perDiem = 4
    fair.hall = 8
    let folder = TemporaryFolder()
    let context = try travels(folder)
    context.insert(fair)
    #expect(fair.name == "Fair!" && fair.perDiem == 4 && fair.hall == 8 && fair.secret == "s" && fair.stays.isEmpty)
    fair.rename()
    #expect(fair.name == "Fair!!" && fair.hasChanges && fair.persistentModelID.entityName == "FairTrip")
  }

  @Test("A fetch of a class gives objects of those below, each of its own class")
  func fetch() throws {
    let folder = TemporaryFolder()
    _ = try filled(folder)
    let context = try travels(folder)
    let all = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map(\.name) == ["Business", "Fair", "Private", "Trip"])
    #expect(all.map { "\(type(of: $0))" } == ["BusinessTrip", "FairTrip", "PrivateTrip", "Trip"])
    let fair = try #require(all[1] as? FairTrip)
    #expect(fair.perDiem == 3 && fair.hall == 7 && fair.stays.map(\.place) == ["Hall"] && fair.stand?.trip === fair)
    let below = try context.fetch(FetchDescriptor<BusinessTrip>(sortBy: [SortDescriptor(\.name)]))
    #expect(below.map(\.name) == ["Business", "Fair"] && below[1] === fair)
    #expect(try context.fetchCount(FetchDescriptor<PrivateTrip>()) == 1)
    fair.name = "Changed"
    try context.save()
    #expect(try names(travels(folder)) == ["Business", "Changed", "Private", "Trip"])
  }

  @Test("Where properties are called objectID and entity, no order by identity and no question for a class is mistaken")
  func namesOfObjects() throws {
    let context = try memory(Relic.self, Vase.self)
    for relic in [Relic(2), Vase(1)] { context.insert(relic) }
    try context.save()
    let relics = try context.fetch(FetchDescriptor<Relic>(sortBy: [SortDescriptor(\.objectID)]))
    #expect(relics.map(\.objectID) == [1, 2] && relics.map(\.entity) == ["relic", "relic"])
    let byIdentity = FetchDescriptor<Relic>(sortBy: [SortDescriptor(\.persistentModelID)])
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) { try context.fetch(byIdentity) }
    let vases = FetchDescriptor<Relic>(predicate: #Predicate { $0 is Vase })
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetch(vases) }
  }

  @Test("Predicates and orders know inherited properties, and ask for classes", arguments: [true, false])
  func predicates(saved: Bool) throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    if !saved { for trip in try context.fetch(FetchDescriptor<Trip>()) { trip.days += 1 } }
    #expect(try names(context, #Predicate { $0 is BusinessTrip }) == ["Business", "Fair"])
    #expect(try names(context, #Predicate { !($0 is BusinessTrip) && $0.name != "Trip" }) == ["Private"])
    let fairs = FetchDescriptor<FairTrip>(
      predicate: #Predicate<FairTrip> { $0.name == "Fair" && $0.hall == 7 },
      sortBy: [SortDescriptor(\FairTrip.name), SortDescriptor(\FairTrip.hall)])
    #expect(try context.fetch(fairs).map(\.name) == ["Fair"])
    let cheap = FetchDescriptor<FairTrip>(
      predicate: #Predicate<FairTrip> { $0.perDiem < 10 }, sortBy: [SortDescriptor(\FairTrip.perDiem)])
    #expect(try context.fetch(cheap).map(\.name) == ["Fair"])
  }

  @Test("Predicates ask for properties of the classes below by a cast", arguments: [true, false])
  func casts(saved: Bool) throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    if !saved { for trip in try context.fetch(FetchDescriptor<Trip>()) { trip.days += 1 } }
    #expect(try names(context, #Predicate { ($0 as? PrivateTrip)?.reason == "Sun" }) == ["Private"])
    #expect(try names(context, #Predicate { ($0 as? PrivateTrip) == nil }) == ["Business", "Fair", "Trip"])
    #expect(try names(context, #Predicate { ($0 as? FairTrip)?.stand?.place == "Hall" }) == ["Fair"])
    #expect(try names(context, #Predicate { ($0 as! BusinessTrip).perDiem > 3 }) == ["Business"])
    let costly = #Predicate<Trip> { trip in
      if let business = trip as? BusinessTrip { business.perDiem > 3 } else { trip.name == "Trip" }
    }
    #expect(try names(context, costly) == ["Business", "Trip"])
    let other = #Predicate<Trip> { (($0 as? FairTrip)?.hall ?? 0) == 0 && ($0 as? PrivateTrip)?.reason != "Sun" }
    #expect(try names(context, other) == ["Business", "Trip"])
    let stays = FetchDescriptor<Stay>(predicate: #Predicate { ($0.trip as? FairTrip)?.hall == 7 })
    #expect(try context.fetch(stays).map(\.place) == ["Hall"])
    let noText = #Predicate<Trip> { ($0.name as? Int) == 1 }
    #expect(throws: SwiftDataError.unsupportedPredicate) { try names(context, noText) }
  }

  @Test("A deletion may leave out the classes below")
  func deletion() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    try context.delete(model: Trip.self, includeSubclasses: false)
    try context.save()
    #expect(try names(context) == ["Business", "Fair", "Private"])
    try context.delete(model: BusinessTrip.self)
    try context.save()
    #expect(try names(context) == ["Private"] && context.fetchCount(FetchDescriptor<Stay>()) == 0)
  }

  @Test("A unique value of the class above is unique for those below")
  func unique() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let other = FairTrip(name: "Fair")
    other.hall = 9
    context.insert(other)
    try context.save()
    let third = ModelContext(context.container)
    let fairs = try third.fetch(FetchDescriptor<FairTrip>())
    #expect(fairs.map(\.hall) == [9] && fairs.map(\.name) == ["Fair"])
  }

  @Test("A new model that updates a stored one of another class of its hierarchy does not stand for it")
  func uniqueOfOtherClasses() throws {
    let folder = TemporaryFolder()
    var context = try filled(folder)
    let container = context.container
    context = ModelContext(container)
    let trip = Trip(name: "Fair")
    let fair = FairTrip(name: "Private")
    context.insert(trip)
    context.insert(fair)
    try context.save()
    #expect(trip.modelContext == nil && trip.name == "Fair" && fair.modelContext == nil)
    #expect(try context.fetch(FetchDescriptor<FairTrip>()).map(\.name) == ["Fair"])
    #expect(try context.fetch(FetchDescriptor<PrivateTrip>()).map(\.name) == ["Private"])
  }

  @Test("The entities inherit, share a table, and a schema tells")
  func entities() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let schema = context.container.schema
    #expect(schema.entities.map(\.name) == ["BusinessTrip", "FairTrip", "PrivateTrip", "Stay", "Trip"])
    let business = try #require(schema.entity(for: BusinessTrip.self))
    #expect(business.superentityName == "Trip" && business.superentity === schema.entity(for: Trip.self))
    #expect(business.subentities.map(\.name) == ["FairTrip"])
    #expect(business.storedProperties.map(\.name) == ["perDiem", "firm"])
    #expect(business.inheritedProperties.map(\.name) == ["name", "days", "secret", "stays"])
    #expect(business.inheritedPropertiesByName["days"]?.valueType == business.attributesByName["days"]?.valueType)
    #expect(business.inheritedPropertiesByName.count == 4)
    #expect(business.storedPropertiesByName.keys.sorted() == business.storedProperties.map(\.name).sorted())
    let tables = try SQLiteText.rows(
      folder.file(), "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%TRIP' OR name = 'ZSTAY'")
    #expect(tables.sorted() == ["ZSTAY", "ZTRIP"])
    let supers = try SQLiteText.rows(
      folder.file(),
      """
      SELECT a.Z_NAME || ': ' || b.Z_NAME FROM Z_PRIMARYKEY a JOIN Z_PRIMARYKEY b ON a.Z_SUPER = b.Z_ENT ORDER BY 1
      """)
    #expect(supers == ["BusinessTrip: Trip", "FairTrip: BusinessTrip", "PrivateTrip: Trip"])
  }

  @Test("An identity of a class below is found as one of the class above")
  func identity() async throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let fair = try #require(try context.fetch(FetchDescriptor<FairTrip>()).first)
    let id = fair.persistentModelID
    #expect(context.model(for: id) is FairTrip)
    let same: Trip? = context.registeredModel(for: id)
    #expect(same === fair)
    #expect(await Traveller(modelContainer: context.container).name(id) == "Fair")
  }

  @Test("A class that inherits without @Model is refused in a schema")
  func notMarked() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Schema([PlainTrip.self])
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("PlainTrip inherits from the model Trip, but is no model itself."))
  }

  @Test("An unsaved change at the end of a path behind a cast counts")
  func changesBehindCasts() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let fair = try #require(try context.fetch(FetchDescriptor<FairTrip>()).first)
    fair.stand?.place = "Hall 2"
    #expect(try names(context, #Predicate { ($0 as? FairTrip)?.stand?.place == "Hall 2" }) == ["Fair"])
    #expect(try names(context, #Predicate { ($0 as? FairTrip)?.stand?.place == "Hall" }) == [])
    let stays = FetchDescriptor<Stay>(predicate: #Predicate { ($0.trip as? FairTrip)?.stand?.place == "Hall 2" })
    #expect(try context.fetch(stays).count == fair.stays.count)
    // A trip that changed as well does not hide the other.
    for trip in try context.fetch(FetchDescriptor<PrivateTrip>()) { trip.days += 1 }
    #expect(try names(context, #Predicate { ($0 as? FairTrip)?.stand?.place == "Hall 2" }) == ["Fair"])
  }
}

@ModelActor actor Traveller {
  func name(_ id: PersistentIdentifier) -> String? { self[id, as: Trip.self]?.name }
}
