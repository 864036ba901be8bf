import CoreData
import Foundation

/// What the program does with its garden. Every method takes the context's queue itself.
public struct GardenJournal {
  let context: NSManagedObjectContext

  public init(context: NSManagedObjectContext) {
    self.context = context
  }

  //> sow
  /// Adds plants to the bed of that name, makes the bed if need be, and saves.
  public func sow(_ names: [String], in bedName: String, at date: Date) async throws {
    try await context.perform { [context] in
      let request: NSFetchRequest<Bed> = Bed.fetchRequest()
      request.predicate = NSPredicate(format: "%K == %@", Bed.Key.name.rawValue, bedName)
      let bed = try context.fetch(request).first ?? Bed(context: context)
      bed.name = bedName
      for name in names {
        let plant = Plant(context: context)
        plant.name = name
        plant.sownAt = date
        bed.addToPlants(plant)
      }
      try context.save()
    }
  }
  //< sow

  //> list
  /// The names of the plants of at least this height, the tallest first.
  public func names(atLeast height: Double) async throws -> [String] {
    try await context.perform { [context] in
      let request: NSFetchRequest<Plant> = Plant.fetchRequest()
      request.predicate = NSPredicate(format: "height >= %@", height as NSNumber)
      request.sortDescriptors = [
        NSSortDescriptor(key: Plant.Key.height.rawValue, ascending: false),
        NSSortDescriptor(key: Plant.Key.name.rawValue, ascending: true),
      ]
      return try context.fetch(request).compactMap(\.name)
    }
  }
  //< list

  /// Sets the height of the plants of a name, and saves.
  public func measure(_ name: String, height: Double) async throws {
    try await context.perform { [context] in
      let request: NSFetchRequest<Plant> = Plant.fetchRequest()
      request.predicate = NSPredicate(format: "name == %@", name)
      for plant in try context.fetch(request) { plant.height = height }
      try context.save()
    }
  }
}
