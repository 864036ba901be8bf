import CoreData
import Foundation
import Testing

/// Properties that a class adds to its entity's, as lists and cells use them; `@objc` in front of them is for Apple's
/// platforms.
class Contact: NSManagedObject {
  @NSManaged var first: String?
  @NSManaged var last: String?
  @NSManaged var age: Int16
  @NSManaged var friends: Set<Contact>

  var draft: String?
  lazy var badge: String = (first ?? "?") + " " + String(age)

  #if canImport(ObjectiveC)
  @objc
  #endif
  var fullName: String { [first, last].compactMap { $0 }.joined(separator: " ") }

  var isAdult: Bool { age >= 18 }
  var stage: Stage { isAdult ? .grown : .growing }
  var wish: Stage? = .grown

  #if NEVER_DEFINED
  var nickname: String { "never" }
  #else
  @NSManaged var nickname: String?
  #endif

  // None of these can be asked for by a name, and the file with the accessors compiles all the same.
  @nonobjc var handler: () -> Void { {} }
  var checked: String { get throws { first ?? "" } }
  var loaded: String { get async { first ?? "" } }
  private var hidden: String { "hidden" }
  static var count: Int { 0 }
  @available(*, unavailable) var gone: Int { 0 }
}

enum Stage: Int { case growing, grown }

final class Colleague: Contact {
  override var fullName: String { super.fullName + " (colleague)" }
}

extension Contact {
  var initial: String? { last?.prefix(1).uppercased() }
  var ageInDogYears: Int {
    get { Int(age) * 7 }
    set { age = Int16(newValue / 7) }
  }
  var watched: Int {
    get { 1 }
    set {}
  }
}

#if DEBUG
final class Imaginary: NSManagedObject {
  var note: String { "imagined" }
}
#else
final class Imaginary: NSManagedObject {}
#endif

#if NEVER_DEFINED
final class Absent: NSManagedObject {
  var note: String { "absent" }
}
#endif

@Suite("Computed properties of an entity's class")
struct ComputedPropertiesTests {
  private static let model: NSManagedObjectModel = {
    func entity(_ type: NSManagedObject.Type) -> NSEntityDescription {
      let entity = NSEntityDescription()
      (entity.name, entity.managedObjectClassName) = ("\(type)", NSStringFromClass(type))
      return entity
    }
    let contact = entity(Contact.self)
    let types: [(String, NSAttributeType)] = [
      ("first", .stringAttributeType), ("last", .stringAttributeType), ("age", .integer16AttributeType),
    ]
    contact.properties = types.map { name, type in
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
      return attribute
    }
    let nickname = NSAttributeDescription()
    (nickname.name, nickname.attributeType) = ("nickname", .stringAttributeType)
    (nickname.isOptional, nickname.isTransient) = (true, true)
    contact.properties.append(nickname)
    let friends = NSRelationshipDescription()
    (friends.name, friends.destinationEntity, friends.inverseRelationship) = ("friends", contact, friends)
    contact.properties.append(friends)
    contact.subentities = [entity(Colleague.self)]
    let model = NSManagedObjectModel()
    model.entities = [contact] + contact.subentities
    return model
  }()

  private func withContacts(_ body: (NSManagedObjectContext) throws -> Void) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    _ = try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
    let context = NSManagedObjectContext(coordinator: coordinator, type: .privateQueueConcurrencyType)
    try context.performAndWait {
      for (first, last, age) in [("Ada", "Byron", 12), ("Mary", "Shelley", 30), ("George", "Byron", 36)] {
        let contact = last == "Shelley" ? Colleague(context: context) : Contact(context: context)
        (contact.first, contact.last, contact.age) = (first, last, Int16(age))
      }
      try context.save()
      try body(context)
    }
  }

  private func request() -> NSFetchRequest<Contact> {
    let request = NSFetchRequest<Contact>(entityName: "Contact")
    request.sortDescriptors = [NSSortDescriptor(key: "last", ascending: true), .init(key: "first", ascending: true)]
    return request
  }

  @Test("A property with a getter outside the model is found by its key, and by key paths through relationships")
  func values() throws {
    try withContacts { context in
      let contacts = try context.fetch(request())
      let (ada, mary) = (contacts[0], contacts[2])
      #expect(ada.value(forKey: "fullName") as? String == "Ada Byron")
      #expect(mary.value(forKey: "fullName") as? String == "Mary Shelley (colleague)")
      #expect(ada.value(forKey: "isAdult") as? Bool == false)
      #expect(ada.value(forKey: "ageInDogYears") as? Int == 84)
      #expect(ada.value(forKey: "badge") as? String == "Ada 12")
      ada.friends = [mary]
      #expect((ada.value(forKeyPath: "friends.initial") as? Set<String>) == ["S"])
      #expect(ada.value(forKeyPath: "friends.@max.ageInDogYears") as? Int == 210)
      let values = ada.dictionaryWithValues(forKeys: ["first", "initial"])
      #expect(values as? [String: String] == ["first": "Ada", "initial": "B"])
      ada.last = nil
      #expect(ada.value(forKey: "initial") == nil)
      #expect(ada.value(forKey: "draft") == nil)
    }
  }

  @Test("A getter in a branch of an #if that isn't compiled stands for nothing")
  func uncompiledGetter() throws {
    try withContacts { context in
      let ada = try context.fetch(request())[0]
      ada.nickname = "Countess"
      #expect(ada.value(forKey: "nickname") as? String == "Countess")
    }
  }

  @Test("An enumeration over whole numbers is its number there, as Objective-C sees it")
  func enumerations() throws {
    try withContacts { context in
      let contacts = try context.fetch(request())
      #expect(contacts[0].value(forKey: "stage") as? Int == 0)
      #expect(contacts[0].value(forKey: "wish") as? Int == 1)
      #expect(contacts.filter(NSPredicate(format: "stage == 1").evaluate(with:)).map(\.first) == ["George", "Mary"])
      let order = [NSSortDescriptor(key: "stage", ascending: false), NSSortDescriptor(key: "first", ascending: false)]
      let sorted = try #require(NSArray(array: contacts).sortedArray(using: order) as? [Contact])
      #expect(sorted.map(\.first) == ["Mary", "George", "Ada"])
    }
  }

  @Test("It gives the sections of a list, which follow the changes")
  func sections() throws {
    try withContacts { context in
      let controller = NSFetchedResultsController(
        fetchRequest: request(), managedObjectContext: context, sectionNameKeyPath: "initial", cacheName: nil)
      let delegate = Delegate()
      controller.delegate = delegate
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["B", "S"])
      #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
      controller.fetchedObjects?.first?.last = "Lovelace"
      context.processPendingChanges()
      #expect(controller.sections?.map(\.name) == ["B", "L", "S"])
      #expect(delegate.changes == 1)
    }
  }

  private final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
    var changes = 0
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) { changes += 1 }
  }

  @Test("Predicates and sort descriptors in memory ask it")
  func predicates() throws {
    try withContacts { context in
      let contacts = try context.fetch(request())
      let adults = NSPredicate(format: "isAdult == YES AND fullName CONTAINS 'll'")
      #expect(contacts.filter(adults.evaluate(with:)).map(\.first) == ["Mary"])
      let order = [NSSortDescriptor(key: "fullName", ascending: false)]
      let sorted = try #require(NSArray(array: contacts).sortedArray(using: order) as? [Contact])
      #expect(sorted.map(\.first) == ["Mary", "George", "Ada"])
      let byAge = [NSSortDescriptor(keyPath: \Contact.ageInDogYears, ascending: false)]
      #expect((NSArray(array: contacts).sortedArray(using: byAge) as? [Contact])?.first?.first == "George")
      contacts[0].friends = [contacts[1]]
      #expect(NSPredicate(format: "ANY friends.isAdult == YES").evaluate(with: contacts[0]))
    }
  }
}
