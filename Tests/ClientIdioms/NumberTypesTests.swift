import CoreData
import Foundation
import Testing

final class Parcel: NSManagedObject {
  @NSManaged var width: CGFloat
  @NSManaged var depth: CGFloat
}

@Suite("Types of numbers")
struct NumberTypesTests {
  private static let model: NSManagedObjectModel = {
    let parcel = NSEntityDescription()
    (parcel.name, parcel.managedObjectClassName) = ("Parcel", NSStringFromClass(Parcel.self))
    let types: [(String, NSAttributeType)] = [
      ("width", .doubleAttributeType), ("depth", .floatAttributeType), ("pieces", .integer16AttributeType),
      ("price", .decimalAttributeType),
    ]
    parcel.properties = types.map { name, type in
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [parcel]
    return model
  }()

  @Test("A CGFloat is a number, in a declaration and by key")
  func layoutNumbers() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    _ = try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
    let context = NSManagedObjectContext(coordinator: coordinator, type: .privateQueueConcurrencyType)
    try context.performAndWait {
      let parcel = Parcel(context: context)
      #expect(parcel.width == 0 && parcel.depth == 0)
      (parcel.width, parcel.depth) = (2.5, 0.25)
      parcel.setValue(CGFloat(3), forKey: "pieces")
      parcel.setValue(CGFloat(1.5), forKey: "price")
      try context.save()
      context.refreshAllObjects()
      #expect(parcel.width == 2.5 && parcel.depth == 0.25)
      #expect(parcel.value(forKey: "pieces") as? Int == 3)
      #expect(parcel.value(forKey: "price") as? NSDecimalNumber == 1.5)
      parcel.setValue(CGFloat(4), forKey: "width")
      #expect(parcel.value(forKey: "width") as? Double == 4)
    }
  }
}
