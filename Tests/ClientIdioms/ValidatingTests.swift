import CoreData
import Foundation
import Testing

/// Methods that check single values, as Core Data's guide has them; `@objc` in front of them is for Apple's platforms.
class Ticket: NSManagedObject {
  @NSManaged var code: String?
  @NSManaged var price: Double
  @NSManaged var seat: String?
  @NSManaged var holder: Visitor?

  var asked: [String] = []

  #if canImport(ObjectiveC)
  @objc
  #endif
  func validatePrice(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    asked.append("price")
    guard let price = value.pointee as? Double else { return }
    if price > 1000 { throw TicketError.tooDear(price) }
  }

  /// Capital letters are kept, whatever was typed.
  func validateCode(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    asked.append("code")
    guard let code = value.pointee as? String else { return }
    if code.isEmpty { throw TicketError.noCode }
    if code != code.uppercased() { value.pointee = code.uppercased() as NSString }
  }
}

extension Ticket {
  func validateHolder(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    if (value.pointee as? Visitor)?.name == "Nemo" { throw TicketError.nobody }
  }

  // None of these is a validation method.
  func validateAll() throws { throw TicketError.nobody }
  func validateSeat(_ value: String) throws { throw TicketError.nobody }
  static func validateSeat(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws { throw TicketError.nobody }
}

final class SeasonTicket: Ticket {
  override func validatePrice(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    asked.append("season price")
  }

  func validateSeat(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    if value.pointee == nil { throw TicketError.noSeat }
  }
}

class Visitor: NSManagedObject {
  @NSManaged var name: String?
  @NSManaged var tickets: Set<Ticket>

  func validateName(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    if value.pointee as? String == "" { throw TicketError.nobody }
  }
}

final class Couple: Visitor {
  func validateTickets(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    if (value.pointee as? NSSet)?.count == 1 { throw TicketError.noSeat }
  }
}

enum TicketError: Error, Equatable {
  case tooDear(Double)
  case noCode, nobody, noSeat
}

@Suite("Methods that validate a value")
struct ValidatingTests {
  private static let model: NSManagedObjectModel = {
    func entity(_ name: String, _ type: NSManagedObject.Type) -> NSEntityDescription {
      let entity = NSEntityDescription()
      (entity.name, entity.managedObjectClassName) = (name, NSStringFromClass(type))
      return entity
    }
    func attribute(_ name: String, _ type: NSAttributeType, isOptional: Bool = true) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, isOptional)
      return attribute
    }
    let ticket = entity("Ticket", Ticket.self)
    let season = entity("SeasonTicket", SeasonTicket.self)
    let visitor = entity("Visitor", Visitor.self)
    visitor.subentities = [entity("Couple", Couple.self)]
    let (holder, tickets) = (NSRelationshipDescription(), NSRelationshipDescription())
    (holder.name, holder.destinationEntity, holder.inverseRelationship) = ("holder", visitor, tickets)
    holder.maxCount = 1
    (tickets.name, tickets.destinationEntity, tickets.inverseRelationship) = ("tickets", ticket, holder)
    let price = attribute("price", .doubleAttributeType, isOptional: false)
    price.setValidationPredicates([NSPredicate(format: "SELF >= 0")], withValidationWarnings: [])
    ticket.properties = [
      attribute("code", .stringAttributeType), price, attribute("seat", .stringAttributeType), holder,
    ]
    ticket.subentities = [season]
    visitor.properties = [attribute("name", .stringAttributeType), tickets]
    let model = NSManagedObjectModel()
    model.entities = [ticket, season, visitor] + visitor.subentities
    return model
  }()

  private func context(_ type: String = NSInMemoryStoreType) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: nil)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @MainActor @Test("Members that no method asks for are not read for the others")
  func members() throws {
    let context = try context()
    let (visitor, couple) = (Visitor(context: context), Couple(context: context))
    func sell(to visitor: Visitor) {
      let ticket = Ticket(context: context)
      (ticket.price, ticket.holder) = (20, visitor)
    }
    for visitor in [visitor, couple] { for _ in 0..<2 { sell(to: visitor) } }
    try context.save()
    context.refreshAllObjects()
    sell(to: visitor)
    try context.save()
    #expect(visitor.hasFault(forRelationshipNamed: "tickets"))
    visitor.name = ""
    #expect(throws: TicketError.nobody) { try context.save() }
    context.rollback()
    couple.tickets.first?.holder = visitor
    #expect(throws: TicketError.noSeat) { try context.save() }
  }

  @MainActor @Test("A save asks them after the model's own rules, and takes the value that they put in another's place")
  func saving() throws {
    let context = try context()
    let ticket = Ticket(context: context)
    (ticket.code, ticket.price) = ("a7", 20)
    try context.save()
    #expect(Set(ticket.asked) == ["price", "code"])
    #expect(ticket.code == "A7" && !context.hasChanges)
    ticket.asked = []
    ticket.price = -1
    #expect(throws: CocoaError.self) { try context.save() }
    #expect(!ticket.asked.contains("price"), "The model has refused it already.")
    ticket.price = 2000
    #expect(throws: TicketError.tooDear(2000)) { try context.save() }
    ticket.code = ""
    do {
      try context.save()
      Issue.record("Two values are wrong.")
    } catch let error as NSError {
      #expect(error.code == NSValidationMultipleErrorsError)
      #expect((error.userInfo[NSDetailedErrorsKey] as? [any Error])?.count == 2)
    }
    context.rollback()
    let nobody = Visitor(context: context)
    nobody.name = "Nemo"
    ticket.holder = nobody
    #expect(throws: TicketError.nobody) { try context.save() }
  }

  @MainActor @Test("validateValue(_:forKey:) asks them, and a subclass's own ones in their place")
  func byKey() throws {
    let context = try context()
    let ticket = Ticket(context: context)
    var value: AnyObject? = "b8" as NSString
    try ticket.validateValue(&value, forKey: "code")
    #expect(value as? String == "B8")
    value = 5000 as NSNumber
    #expect(throws: TicketError.tooDear(5000)) { try ticket.validateValue(&value, forKey: "price") }
    let season = SeasonTicket(context: context)
    try season.validateValue(&value, forKey: "price")
    #expect(season.asked == ["season price"])
    (ticket.price, ticket.code) = (1, "D")
    (season.price, season.code) = (3000, "c")
    #expect(throws: TicketError.noSeat) { try context.save() }
    season.seat = "12"
    try context.save()
    #expect(season.code == "C")
  }
}
