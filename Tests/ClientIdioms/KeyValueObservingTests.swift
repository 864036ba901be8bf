import CoreData
import Foundation
import Testing

private final class Band: NSManagedObject {
  @NSManaged var name: String?
  @NSManaged var founded: Int16
  @NSManaged var rank: NSNumber?
  @NSManaged var singer: Person?
  @NSManaged var members: Set<Person>
  @NSManaged var songs: NSOrderedSet
  @NSManaged func addToMembers(_ value: Person)
  @NSManaged func addToMembers(_ values: NSSet)
  @NSManaged func removeFromMembers(_ value: Person)
  @NSManaged func addToSongs(_ value: Song)
  @NSManaged func insertIntoSongs(_ value: Song, at index: Int)
  @NSManaged func removeFromSongs(_ value: Song)
  @NSManaged func replaceSongs(at index: Int, with value: Song)
  @NSManaged private var primitiveName: String?

  var title: String { "\(name ?? "?") (\(singer?.name ?? "nobody"))" }

  /// An accessor of one's own, as books write them.
  var loudName: String? {
    get { name }
    set {
      willChangeValue(forKey: "name")
      primitiveName = newValue?.uppercased()
      didChangeValue(forKey: "name")
    }
  }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    key == "title" ? ["name", "singer.name"] : super.keyPathsForValuesAffectingValue(forKey: key)
  }
}

private final class Person: NSManagedObject {
  @NSManaged var name: String?
  @NSManaged var band: Band?
  @NSManaged var leads: Band?
}

private final class Song: NSManagedObject {
  @NSManaged var name: String?
  @NSManaged var band: Band?
}

private final class Choir: NSManagedObject {
  @NSManaged var singers: Set<Person>
  @NSManaged var guests: Set<Person>

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    key == "singers" ? ["guests"] : super.keyPathsForValuesAffectingValue(forKey: key)
  }
}

/// What observers were told, a line each.
private final class Told {
  var lines: [String] = []
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}

@Suite("Observing managed objects by key paths")
struct KeyValueObservingTests {
  private static func entity(_ name: String, _ type: NSManagedObject.Type, _ attributes: [(String, NSAttributeType)])
    -> NSEntityDescription
  {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = NSStringFromClass(type)
    entity.properties = attributes.map { name, type in
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
      return attribute
    }
    return entity
  }

  private static func relate(
    _ one: NSEntityDescription, _ name: String, toMany: Bool, ordered: Bool = false, _ other: NSEntityDescription,
    _ inverseName: String
  ) {
    let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
    (there.name, there.destinationEntity, there.inverseRelationship) = (name, other, back)
    (back.name, back.destinationEntity, back.inverseRelationship) = (inverseName, one, there)
    there.maxCount = toMany ? 0 : 1
    there.isOrdered = ordered
    back.maxCount = 1
    one.properties.append(there)
    other.properties.append(back)
  }

  private static let model: NSManagedObjectModel = {
    let band = entity(
      "Band", Band.self,
      [("name", .stringAttributeType), ("founded", .integer16AttributeType), ("rank", .integer32AttributeType)])
    let person = entity("Person", Person.self, [("name", .stringAttributeType)])
    let song = entity("Song", Song.self, [("name", .stringAttributeType)])
    relate(band, "singer", toMany: false, person, "leads")
    relate(band, "members", toMany: true, person, "band")
    relate(band, "songs", toMany: true, ordered: true, song, "band")
    let choir = entity("Choir", Choir.self, [])
    relate(choir, "singers", toMany: true, person, "choir")
    relate(choir, "guests", toMany: true, person, "visits")
    let model = NSManagedObjectModel()
    model.entities = [band, person, song, choir]
    return model
  }()

  private func coordinator() throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    return coordinator
  }

  private func context(_ coordinator: NSPersistentStoreCoordinator? = nil) throws -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = try coordinator ?? self.coordinator()
    return context
  }

  private func names(_ members: NSOrderedSet?) -> String {
    members.map { $0.compactMap { ($0 as? Song)?.name }.joined(separator: ",") } ?? "-"
  }

  private func names(_ members: Set<Person>?) -> String {
    members.map { $0.compactMap(\.name).sorted().joined(separator: ",") } ?? "-"
  }

  private func band(_ context: NSManagedObjectContext) -> Band {
    let band = Band(context: context)
    band.name = "Faun"
    return band
  }

  private func person(_ name: String, _ context: NSManagedObjectContext) -> Person {
    let person = Person(context: context)
    person.name = name
    return person
  }

  private func song(_ name: String, _ context: NSManagedObjectContext) -> Song {
    let song = Song(context: context)
    song.name = name
    return song
  }

  @MainActor @Test("Observers hear of accessors, key-value coding and accessors of one's own, and of nothing primitive")
  func attributes() throws {
    let context = try context()
    let band = band(context)
    let told = Told()
    let observation = band.observe(\.name, options: [.old, .new]) { object, change in
      #expect(object === band && change.kind == .setting && change.indexes == nil && !change.isPrior)
      told.lines.append("\(change.oldValue.flatMap { $0 } ?? "nil") → \(change.newValue.flatMap { $0 } ?? "nil")")
    }
    band.name = "Saltatio"
    band.name = "Saltatio"
    band.setValue("Omnia", forKey: "name")
    band.setValue(nil, forKeyPath: "name")
    band.loudName = "Faun"
    #expect(
      told.take() == [
        "Faun → Saltatio", "Saltatio → Saltatio", "Saltatio → Omnia", "Omnia → nil", "nil → FAUN",
      ])
    band.setPrimitiveValue("Primitive", forKey: "name")
    band.founded = 1998
    #expect(told.take() == [])
    band.willChangeValue(for: \.name)
    band.setPrimitiveValue("By hand", forKey: "name")
    band.didChangeValue(for: \.name)
    #expect(told.take() == ["Primitive → By hand"])
    observation.invalidate()
    band.name = "Silence"
    #expect(told.take() == [])
  }

  @MainActor @Test("An observer gets the values that it asks for: at once, before a change, after it, or none")
  func options() throws {
    let context = try context()
    let band = band(context)
    let told = Told()
    func line(_ change: NSKeyValueObservedChange<Int16>) -> String {
      let (old, new) = (change.oldValue.map(String.init) ?? "-", change.newValue.map(String.init) ?? "-")
      return "\(change.isPrior ? "will" : "did") \(old) \(new)"
    }
    let all = band.observe(\.founded, options: [.initial, .prior, .old, .new]) { _, change in
      told.lines.append("all " + line(change))
    }
    let none = band.observe(\.founded) { _, change in told.lines.append("none " + line(change)) }
    band.founded = 1998
    // The attribute has no value at first, which a number without an optional type can't say.
    #expect(told.take() == ["all did - -", "all will - -", "all did - 1998", "none did - -"])
    band.founded = 1999
    #expect(told.take() == ["all will 1998 -", "all did 1998 1999", "none did - -"])
    withExtendedLifetime((all, none)) {}
  }

  @MainActor @Test("Both sides of a relationship are heard of, once each, when they agree")
  func relationships() throws {
    let context = try context()
    let (band, other) = (band(context), band(context))
    let person = person("Ana", context)
    let told = Told()
    func observe(_ band: Band, _ label: String) -> NSKeyValueObservation {
      band.observe(\.members, options: [.old, .new]) { band, change in
        for member in change.newValue ?? [] { #expect(member.band === band) }
        told.lines.append("\(label) \(change.kind) \(names(change.oldValue)) \(names(change.newValue))")
      }
    }
    let observations = [observe(band, "band"), observe(other, "other")]
    let single = person.observe(\.band, options: [.new]) { person, change in
      if let band = change.newValue.flatMap({ $0 }) { #expect(band.members.contains(person)) }
      told.lines.append("person \(change.newValue.flatMap { $0 } == nil ? "nil" : "band")")
    }
    person.band = band
    #expect(Set(told.take()) == ["band insertion - Ana", "person band"])
    other.addToMembers(person)
    #expect(told.lines.count == 3)
    #expect(Set(told.take()) == ["band removal Ana -", "other insertion - Ana", "person band"])
    other.removeFromMembers(person)
    #expect(Set(told.take()) == ["other removal Ana -", "person nil"])
    band.addToMembers(NSSet(array: [person, self.person("Bo", context)]))
    #expect(Set(told.take()) == ["band insertion - Ana,Bo", "person band"])
    band.addToMembers(person)
    #expect(told.take() == [], "a member already")
    band.mutableSetValue(forKey: "members").remove(person)
    #expect(Set(told.take()) == ["band removal Ana -", "person nil"])
    band.members = [person]
    #expect(Set(told.take()) == ["band setting Bo Ana", "person band"])
    context.delete(person)
    context.processPendingChanges()
    #expect(told.take().contains("band removal Ana -"))
    withExtendedLifetime((observations, single)) {}
  }

  @MainActor @Test("Places in ordered relationships are told")
  func orderedRelationships() throws {
    let context = try context()
    let band = band(context)
    let (a, b, c) = (song("a", context), song("b", context), song("c", context))
    let told = Told()
    let observation = band.observe(\.songs, options: [.old, .new]) { _, change in
      let places = change.indexes.map { $0.map(String.init).joined(separator: ",") } ?? "-"
      told.lines.append("\(change.kind) \(places) \(names(change.oldValue)) \(names(change.newValue))")
    }
    band.addToSongs(a)
    band.insertIntoSongs(b, at: 0)
    #expect(told.take() == ["insertion 0 - a", "insertion 0 - b"])
    band.replaceSongs(at: 1, with: c)
    #expect(told.take() == ["replacement 1 a c"])
    let songs = band.mutableOrderedSetValue(forKey: "songs")
    songs.addObjects(from: [a])
    songs.exchangeObject(at: 0, withObjectAt: 2)
    #expect(told.take() == ["insertion 2 - a", "replacement 0,2 b,a a,b"])
    c.band = nil
    #expect(told.take() == ["removal 1 c -"])
    band.songs = [c]
    #expect(told.take() == ["setting - a,b c"])
    observation.invalidate()
  }

  @MainActor @Test("A member that comes or goes is told with its place, and the others are not read")
  func oneMember() throws {
    let coordinator = try coordinator()
    let context = try context(coordinator)
    let band = band(context)
    for name in ["a", "b", "c"] {
      person(name, context).band = band
      song(name, context).band = band
    }
    try context.save()
    let elsewhere = try self.context(coordinator)
    let same = try #require(try elsewhere.existingObject(with: band.objectID) as? Band)
    let told = Told()
    let observations = [
      same.observe(\.members, options: [.old, .new]) { _, change in
        told.lines.append("\(change.kind) \(names(change.oldValue)) \(names(change.newValue))")
      },
      same.observe(\.songs, options: [.old, .new, .prior]) { _, change in
        if change.isPrior { return told.lines.append("will") }
        let places = change.indexes.map { $0.map(String.init).joined(separator: ",") } ?? "-"
        told.lines.append("\(places) \(change.kind) \(names(change.oldValue)) \(names(change.newValue))")
      },
    ]
    let ana = person("Ana", elsewhere)
    ana.band = same
    same.addToMembers(person("Bo", elsewhere))
    ana.band = nil
    #expect(told.take() == ["insertion - Ana", "insertion - Bo", "removal Ana -"])
    #expect(same.hasFault(forRelationshipNamed: "members"))
    song("d", elsewhere).band = same
    #expect(told.take() == ["will", "3 insertion - d"])
    #expect(elsewhere.registeredObjects.count { $0 is Song } == 1)
    let b = try #require(same.songs[1] as? Song)
    b.band = nil
    #expect(told.take() == ["will", "1 removal b -"])
    same.removeFromSongs(try #require(same.songs[2] as? Song))
    b.band = same
    #expect(told.take() == ["will", "2 removal d -", "will", "2 insertion - b"])
    withExtendedLifetime(observations) {}
  }

  @MainActor @Test("What an observer of a member does to the others within the change is told as one change with it")
  func furtherMembers() throws {
    let context = try context()
    let band = band(context)
    let (ana, bo) = (person("Ana", context), person("Bo", context))
    ana.band = band
    let told = Told()
    let observation = band.observe(\.members, options: [.old, .new]) { _, change in
      told.lines.append("\(change.kind) \(names(change.oldValue)) \(names(change.newValue))")
    }
    let other = bo.observe(\.band) { bo, _ in ana.band = bo.band == nil ? band : nil }
    band.addToMembers(bo)
    #expect(told.take() == ["setting Ana Bo"])
    band.removeFromMembers(bo)
    #expect(told.take() == ["setting Bo Ana"])
    withExtendedLifetime((observation, other)) {}
  }

  @MainActor @Test("A relationship that depends on another is told of as set when the other's members change")
  func dependentMembers() throws {
    let context = try context()
    let choir = Choir(context: context)
    let (ana, bo) = (person("Ana", context), person("Bo", context))
    let told = Told()
    let observation = choir.observe(\.singers, options: [.old, .new]) { _, change in
      told.lines.append("\(change.kind) \(names(change.oldValue)) \(names(change.newValue))")
    }
    ana.setValue(choir, forKey: "choir")
    #expect(told.take() == ["insertion - Ana"])
    bo.setValue(choir, forKey: "visits")
    #expect(told.take() == ["setting Ana Ana"])
    choir.guests = []
    #expect(told.take() == ["setting Ana Ana"])
    ana.setValue(nil, forKey: "choir")
    #expect(told.take() == ["removal Ana -"])
    withExtendedLifetime(observation) {}
  }

  @MainActor @Test("A path over a to-one relationship follows it, and a computed property what it depends on")
  func paths() throws {
    let context = try context()
    let band = band(context)
    let (ana, bo) = (person("Ana", context), person("Bo", context))
    let told = Told()
    let path = band.observe(\.singer?.name, options: [.new]) { _, change in
      told.lines.append("singer \(change.newValue.flatMap { $0 } ?? "nil")")
    }
    let computed = band.observe(\.title, options: [.old, .new]) { _, change in
      told.lines.append("\(change.oldValue ?? "-") → \(change.newValue ?? "-")")
    }
    band.singer = ana
    #expect(told.take() == ["singer Ana", "Faun (nobody) → Faun (Ana)"])
    ana.name = "Anna"
    #expect(told.take() == ["singer Anna", "Faun (Ana) → Faun (Anna)"])
    bo.leads = band
    #expect(Set(told.take()) == ["singer Bo", "Faun (Anna) → Faun (Bo)"])
    ana.name = "Ann"
    #expect(told.take() == [], "She sings no more.")
    bo.name = "Bob"
    band.name = "Duo"
    #expect(told.take() == ["singer Bob", "Faun (Bo) → Faun (Bob)", "Faun (Bob) → Duo (Bob)"])
    withExtendedLifetime((path, computed)) {}
  }

  @MainActor @Test("Undo, rollback and refresh tell what differs; a fault tells all, and again when it is read")
  func wholeObjects() throws {
    let coordinator = try coordinator()
    let context = try context(coordinator)
    let band = band(context)
    band.rank = 1
    try context.save()
    let told = Told()
    let name = band.observe(\.name, options: [.new]) { _, change in
      told.lines.append("name \(change.newValue.flatMap { $0 } ?? "nil")")
    }
    let rank = band.observe(\.rank) { _, _ in told.lines.append("rank") }
    try context.save()
    #expect(told.take() == [], "A save changes nothing.")
    let undoManager = UndoManager()
    undoManager.groupsByEvent = false
    context.undoManager = undoManager
    undoManager.beginUndoGrouping()
    band.name = "Two"
    context.processPendingChanges()
    undoManager.endUndoGrouping()
    context.undo()
    #expect(told.take() == ["name Two", "name Faun"])
    context.undoManager = nil
    band.name = "Three"
    context.rollback()
    #expect(told.take() == ["name Three", "name Faun"])
    let elsewhere = try self.context(coordinator)
    let same = try #require(try elsewhere.existingObject(with: band.objectID) as? Band)
    same.name = "Four"
    try elsewhere.save()
    context.refresh(band, mergeChanges: true)
    #expect(told.take() == ["name Four"])
    let prior = band.observe(\.founded, options: [.prior]) { _, change in
      told.lines.append("founded, prior \(change.isPrior)")
    }
    context.refresh(band, mergeChanges: true)
    #expect(told.take() == [], "Nothing differs, and nothing is told before.")
    band.founded = 1998
    context.rollback()
    #expect(told.take() == ["founded, prior true", "founded, prior false", "founded, prior false"])
    prior.invalidate()
    rank.invalidate()
    let unread = band.observe(\.rank) { _, _ in told.lines.append("rank") }
    name.invalidate()
    context.refresh(band, mergeChanges: false)
    #expect(told.take() == ["rank"] && band.isFault)
    _ = band.founded
    #expect(told.take() == ["rank"])
    _ = band.founded
    #expect(told.take() == [])
    unread.invalidate()
  }

  @MainActor @Test("An observation ends when it is let go of, and keeps neither the object nor the handler")
  func lifetimes() throws {
    let context = try context()
    weak var object: Band?
    weak var held: Told?
    do {
      let band = band(context)
      try context.save()
      object = band
      let told = Told()
      held = told
      var observation: NSKeyValueObservation? = band.observe(\.name) { _, _ in told.lines.append("name") }
      band.name = "Two"
      #expect(told.take() == ["name"] && observation != nil)
      observation = nil
      band.name = "Three"
      #expect(told.take() == [])
      // One that outlives its object.
      observation = band.observe(\.singer?.name) { _, _ in told.lines.append("never") }
      try context.save()
      withExtendedLifetime(band) {}
      observation?.invalidate()
    }
    #expect(object == nil)
    #expect(held == nil)
    var outliving: NSKeyValueObservation?
    do {
      let band = band(context)
      band.singer = person("Ana", context)
      try context.save()
      object = band
      outliving = band.observe(\.singer?.name) { _, _ in }
    }
    // The context holds what relationships have led to lately.
    context.reset()
    #expect(object == nil)
    outliving?.invalidate()
  }
}
