import CoreData
import ExerciseSupport

/// Takes copies from the stock of the book with a number, whatever the stock is by now.
///
/// - Returns: Whether there were enough; if not, the stock stays as it is.
func takeFromStock(_ copies: Int, isbn: String, in context: NSManagedObjectContext) throws -> Bool {
  let request = NSBatchUpdateRequest(entityName: "Book")
  // What matters: question and change are one request. Between two of them another machine may sell the last copy.
  //= request.predicate = NSPredicate(format: "isbn == %@", isbn)
  request.predicate = NSPredicate(format: "isbn == %@ AND stock >= %d", isbn, copies)
  request.propertiesToUpdate = ["stock": NSExpression(format: "stock - %d", copies)]
  request.resultType = .updatedObjectsCountResultType
  let result = try context.execute(request) as? NSBatchUpdateResult
  return result?.result as? Int == 1
}
