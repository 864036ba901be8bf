import CoreData
import ExerciseSupport

/// How many copies of one author's books the shop has.
struct AuthorStock: Equatable {
  let author: String
  let copies: Int
}

/// The stock of each author who has a book in the shop, by name, as it is saved. Makes no objects.
func stockByAuthor(in context: NSManagedObjectContext) throws -> [AuthorStock] {
  let sum = NSExpressionDescription()
  sum.name = "copies"
  // What matters: the function runs over the rows of one group, inside the store.
  //= sum.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "stock")])
  sum.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "stock")])
  sum.expressionResultType = .integer64AttributeType

  let request = NSFetchRequest<NSDictionary>(entityName: "Book")
  request.resultType = .dictionaryResultType
  request.predicate = NSPredicate(format: "author != nil")
  request.propertiesToFetch = ["author.name", sum]
  request.propertiesToGroupBy = ["author.name"]
  request.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
  return try context.fetch(request).map { line in
    AuthorStock(
      author: line["author.name"] as? String ?? "", copies: (line["copies"] as? NSNumber)?.intValue ?? 0)
  }
}
