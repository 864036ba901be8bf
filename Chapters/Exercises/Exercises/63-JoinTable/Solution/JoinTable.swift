import CoreData
import ExerciseSupport
import StoreFileReader

/// The table that keeps the pairs of a many-to-many relationship; nil if the relationship has none.
///
/// - Parameters:
///   - relationship: `genres`, for example.
///   - entity: The entity at which the table is named; in the bookshop `Book`.
func joinTable(of relationship: String, at entity: String, in file: StoreFileReader) throws -> String? {
  let number = try file.integer("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'")
  // What matters: the number is the entity's, and it is another one in a model with more entities.
  //= let name = "Z_2\(relationship.uppercased())"
  let name = "Z_\(number)\(relationship.uppercased())"
  return try file.tables().contains(name) ? name : nil
}
