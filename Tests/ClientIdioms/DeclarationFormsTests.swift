import CoreData
import Foundation
import Testing

// swift-format-ignore: IdentifiersMustBeASCII
/// Declarations as old and foreign sources write them.
class Plant: NSManagedObject {
  enum Light: Int16 { case sun, shade }

  @NSManaged var label, place: String?
  @NSManaged var größe: Double
  @NSManaged var sprouts: NSMutableSet?
  @NSManaged var photos: NSMutableOrderedSet
}

final class Herb: Plant {
  @NSManaged override var label: String?
  @NSManaged var notes: [AnyHashable: Any]?
  @NSManaged var origin: NSSecureCoding?
  @NSManaged var height: Measurement<UnitLength>?

  var title: String { [label, place].compactMap(\.self).joined(separator: ", ") }
  var tag: String { "\(title) (\(größe))" }

  class func keyPathsForValuesAffectingTitle() -> Set<String> { ["label", "place"] }
  @MainActor class var keyPathsForValuesAffectingTag: Set<String> { ["title", "größe"] }
}

/// Getters that ask for their own names.
final class Memo: NSManagedObject {
  var section: String? {
    get { value(forKey: "section") as? String }
    set { setValue(newValue, forKey: "section") }
  }
  var shout: String? { (value(forKey: "section") as? String)?.uppercased() }
  /// How many memos there are.
  var others: String? { (try? managedObjectContext?.count(for: Memo.fetchRequest())).map { "\($0)" } }
}

final class Sprout: NSManagedObject {
  @NSManaged var plant: Plant?
}

final class Photo: NSManagedObject {
  @NSManaged var plant: Plant?
}

/// Declared as single values, which the model says they are not.
final class Misread: NSManagedObject {
  @NSManaged var size: Double
  @NSManaged var parts: String?
}

@Suite("Forms of managed declarations")
struct DeclarationFormsTests {
  private static let model: NSManagedObjectModel = {
    func entity(_ type: NSManagedObject.Type, _ attributes: [String: NSAttributeType] = [:]) -> NSEntityDescription {
      let entity = NSEntityDescription()
      (entity.name, entity.managedObjectClassName) = ("\(type)", NSStringFromClass(type))
      entity.properties = attributes.map { name, type in
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
        return attribute
      }
      return entity
    }
    func relate(_ one: NSEntityDescription, _ name: String, _ other: NSEntityDescription, isOrdered: Bool) {
      let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
      (there.name, there.destinationEntity, there.inverseRelationship) = (name, other, back)
      (back.name, back.destinationEntity, back.inverseRelationship) = ("plant", one, there)
      (there.isOrdered, back.maxCount) = (isOrdered, 1)
      one.properties.append(there)
      other.properties.append(back)
    }
    let texts: [String: NSAttributeType] = ["label": .stringAttributeType, "place": .stringAttributeType]
    let plant = entity(Plant.self, texts.merging(["größe": .doubleAttributeType]) { $1 })
    let herb = entity(
      Herb.self,
      Dictionary(uniqueKeysWithValues: ["notes", "origin", "height"].map { ($0, .transformableAttributeType) }))
    let (sprout, photo) = (entity(Sprout.self), entity(Photo.self))
    plant.subentities = [herb]
    relate(plant, "sprouts", sprout, isOrdered: false)
    relate(plant, "photos", photo, isOrdered: true)
    let memo = entity(
      Memo.self, Dictionary(uniqueKeysWithValues: ["section", "shout", "others"].map { ($0, .stringAttributeType) }))
    for property in memo.properties { property.isTransient = true }
    let model = NSManagedObjectModel()
    model.entities = [plant, herb, sprout, photo, memo]
    return model
  }()

  private func context() throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext(.mainQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test("A property that is declared again, two names for one type, and a name beyond ASCII are read and set")
  @MainActor
  func names() throws {
    let context = try context()
    let herb = Herb(context: context)
    (herb.label, herb.place, herb.größe) = ("basil", "window", 0.2)
    (herb as Plant).label = (herb as Plant).label?.capitalized
    (herb.notes, herb.origin) = (["soil": "rich"], "Asia" as NSString)
    herb.height = Measurement(value: 20, unit: .centimeters)
    try context.save()
    context.refreshAllObjects()
    #expect(herb.label == "Basil" && herb.place == "window" && herb.größe == 0.2)
    #expect(herb.value(forKey: "größe") as? Double == 0.2)
    #expect(herb.notes?["soil"] as? String == "rich")
    #expect(herb.origin as? String == "Asia" && herb.height == Measurement(value: 20, unit: .centimeters))
  }

  @Test("A relationship that is declared as a mutable set reads as one, whose changes are the relationship's")
  @MainActor
  func mutableSets() throws {
    let context = try context()
    let herb = Herb(context: context)
    let sprouts = (0..<3).map { _ in Sprout(context: context) }
    let photos = (0..<3).map { _ in Photo(context: context) }
    herb.sprouts?.add(sprouts[0])
    sprouts[1].plant = herb
    #expect(herb.sprouts?.count == 2 && sprouts[0].plant === herb)
    herb.sprouts = NSMutableSet(array: [sprouts[2]])
    #expect(herb.sprouts?.allObjects as? [Sprout] == [sprouts[2]] && sprouts[0].plant == nil)
    herb.photos.addObjects(from: photos)
    herb.photos.removeObject(at: 1)
    herb.photos.insert(photos[1], at: 0)
    #expect(herb.photos.array as? [Photo] == [photos[1], photos[0], photos[2]])
    try context.save()
    context.refreshAllObjects()
    #expect(herb.photos.count == 3 && herb.sprouts?.contains(sprouts[2]) == true)
    herb.photos.removeAllObjects()
    #expect(photos.allSatisfy { $0.plant == nil } && Herb(context: context).sprouts?.count == 0)
  }

  @Test("A getter of a transient attribute that asks for its own name gets what the object holds")
  @MainActor
  func ownNames() throws {
    let memo = Memo(context: try context())
    memo.section = "a"
    #expect(memo.section == "a" && memo.value(forKey: "section") as? String == "a")
    #expect(memo.value(forKey: "shout") as? String == "A" && memo.shout == "A")
    #expect(NSPredicate(format: "section == 'a' AND shout == 'A'").evaluate(with: memo))
  }

  @Test("A getter may fetch, which takes its object out of the context if that was new and deleted")
  @MainActor
  func fetchingGetter() throws {
    let context = try context()
    let (memo, other) = (Memo(context: context), Memo(context: context))
    context.delete(memo)
    #expect(memo.value(forKey: "others") as? String == "1")
    #expect(memo.managedObjectContext == nil && memo.value(forKey: "others") == nil)
    #expect(other.value(forKey: "others") as? String == "1")
  }

  /// As generic stores are written.
  private func all<T: NSManagedObject>(_ type: T.Type, in context: NSManagedObjectContext) throws -> [T]? {
    guard let request = T.fetchRequest() as? NSFetchRequest<T> else { return nil }
    return try context.fetch(request)
  }

  private func name<T: NSManagedObject>(of type: T.Type) -> String { type.description() }

  @Test("A class's description is its name with the module, also in generic code")
  func classDescriptions() {
    #expect(Herb.description() == NSStringFromClass(Herb.self))
    #expect(name(of: Herb.self).components(separatedBy: ".").last == "Herb")
  }

  @Test("A class's request can be cast to one for the class, also in generic code and by a metatype")
  @MainActor
  func requests() throws {
    let context = try context()
    let (plant, herb) = (Plant(context: context), Herb(context: context))
    #expect(try all(Herb.self, in: context) == [herb])
    #expect(try all(Plant.self, in: context).map(Set.init) == [plant, herb])
    let types: [NSManagedObject.Type] = [Plant.self, Herb.self]
    #expect(types.map { $0.fetchRequest() as AnyObject is NSFetchRequest<Herb> } == [false, true])
    #expect(types.allSatisfy { $0.fetchRequest() as AnyObject is NSFetchRequest<NSManagedObject> })
  }

  @Test(
    "A composite attribute or a to-many relationship that is declared as a single value is refused when it is read",
    arguments: ["size", "parts"])
  @MainActor
  func singleValues(_ key: String) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [key] in
      let (misread, width) = (NSEntityDescription(), NSAttributeDescription())
      (misread.name, misread.managedObjectClassName) = ("Misread", NSStringFromClass(Misread.self))
      (width.name, width.attributeType, width.isOptional) = ("width", .doubleAttributeType, true)
      let (size, parts) = (NSCompositeAttributeDescription(), NSRelationshipDescription())
      (size.name, size.elements, size.isOptional) = ("size", [width], true)
      (parts.name, parts.destinationEntity) = ("parts", misread)
      misread.properties = [size, parts]
      let model = NSManagedObjectModel()
      model.entities = [misread]
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      await MainActor.run {
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = coordinator
        let object = Misread(context: context)
        object.setValue(["width": 2.5], forKey: "size")
        _ = key == "size" ? "\(object.size)" : object.parts
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("Misread.\(key) was used as a single value, but the model gives it another type."))
  }

  @Test("An observer hears of what a method or property of the class says a property depends on")
  @MainActor
  func dependencies() throws {
    let herb = Herb(context: try context())
    var told: [String] = []
    let observations = [
      herb.observe(\.title) { herb, _ in told.append("title \(herb.title)") },
      herb.observe(\.tag) { herb, _ in told.append("tag \(herb.tag)") },
    ]
    herb.label = "basil"
    #expect(told.sorted() == ["tag basil (0.0)", "title basil"])
    told = []
    herb.größe = 2
    #expect(told == ["tag basil (2.0)"])
    withExtendedLifetime(observations) {}
    #expect(Herb.keyPathsForValuesAffectingValue(forKey: "title") == ["label", "place"])
    #expect(Plant.keyPathsForValuesAffectingValue(forKey: "title") == [])
  }
}
