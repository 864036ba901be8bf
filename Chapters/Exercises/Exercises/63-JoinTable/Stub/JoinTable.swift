import CoreData
import ExerciseSupport
import StoreFileReader

/// The table that keeps the pairs of a many-to-many relationship; nil if the relationship has none.
///
/// - Parameters:
///   - relationship: `genres`, for example.
///   - entity: The entity at which the table is named; in the bookshop `Book`.
func joinTable(of relationship: String, at entity: String, in file: StoreFileReader) throws -> String? {
  // TODO: Work out the table's name, and say whether the file has it.
  throw Unfinished("the table with the pairs is found by the entity's number and the relationship's name")
}
