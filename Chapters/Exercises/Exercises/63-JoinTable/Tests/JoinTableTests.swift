import CoreData
import ExerciseSupport
import StoreFileReader
import Testing

@testable import Exercises

@Suite("63 The table in between", .serialized)
@MainActor struct JoinTableTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  /// A closed file of the bookshop with a book of two genres.
  private func shop() throws -> StoreFileReader {
    let coordinator = try bench.makeCoordinator()
    let context = bench.makeContext(coordinator)
    let book = Book(context: context)
    for name in ["gothic", "romance"] {
      let genre = Genre(context: context)
      genre.name = name
      book.addToGenres(genre)
    }
    try context.save()
    try coordinator.remove(coordinator.persistentStores[0])
    return try StoreFileReader(contentsOf: bench.storeURL)
  }

  @Test("The genres of the books have a table, with a row for each pair")
  func genres() throws {
    let file = try shop()
    let table = try joinTable(of: "genres", at: "Book", in: file)
    #expect(table == "Z_2GENRES")
    let count = try file.rowCount(of: "Z_2GENRES")
    #expect(count == 2, "pairs of a book and a genre")
  }

  @Test("The orders of a book have none: each order's row has its book")
  func orders() throws {
    let table = try joinTable(of: "orders", at: "Book", in: shop())
    #expect(table == nil)
  }

  @Test("In another model the number is another, and the name's end is not enough")
  func otherModel() throws {
    let model = NSManagedObjectModel()
    let entities = ["Album", "Band", "Concert", "Singer"].map { name in
      let entity = NSEntityDescription()
      (entity.name, entity.managedObjectClassName) = (name, "NSManagedObject")
      return entity
    }
    let (singers, concerts) = (NSRelationshipDescription(), NSRelationshipDescription())
    (singers.name, singers.destinationEntity, singers.inverseRelationship) = ("singers", entities[3], concerts)
    (concerts.name, concerts.destinationEntity, concerts.inverseRelationship) = ("concerts", entities[2], singers)
    // Albums have singers, too.
    let (voices, albums) = (NSRelationshipDescription(), NSRelationshipDescription())
    (voices.name, voices.destinationEntity, voices.inverseRelationship) = ("singers", entities[3], albums)
    (albums.name, albums.destinationEntity, albums.inverseRelationship) = ("albums", entities[0], voices)
    (entities[0].properties, entities[2].properties) = ([voices], [singers])
    entities[3].properties = [concerts, albums]
    model.entities = entities
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: bench.storeURL, options: nil)
    try coordinator.remove(store)
    let file = try StoreFileReader(contentsOf: bench.storeURL)
    let table = try joinTable(of: "singers", at: "Concert", in: file)
    let tables = try file.tables()
    #expect(table == "Z_3SINGERS", "the tables are \(tables)")
  }
}
