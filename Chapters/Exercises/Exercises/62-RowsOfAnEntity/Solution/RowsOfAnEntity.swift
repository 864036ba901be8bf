import CoreData
import ExerciseSupport
import StoreFileReader

/// How many objects of an entity are in a closed store, asked past Core Data.
///
/// - Parameter root: The entity that begins the hierarchy; its table has the rows of all entities below it.
func rowCount(of entity: String, under root: String, in file: StoreFileReader) throws -> Int {
  let table = "Z\(root.uppercased())"
  let number = try file.integer("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'")
  // What matters: a hierarchy shares one table. Each row has the number of its entity in Z_ENT.
  //= return try file.rowCount(of: table)
  return Int(try file.integer("SELECT COUNT(*) FROM \(table) WHERE Z_ENT = \(number)"))
}
