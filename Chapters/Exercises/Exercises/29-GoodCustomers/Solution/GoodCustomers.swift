import CoreData
import ExerciseSupport

/// How many copies a customer has ordered, in all orders together.
struct CustomerTotal: Equatable {
  let customer: String
  let copies: Int
}

/// The customers who have ordered at least `copies` copies in all, by name. Makes no objects.
func goodCustomers(atLeast copies: Int, in context: NSManagedObjectContext) throws -> [CustomerTotal] {
  let sum = NSExpressionDescription()
  sum.name = "copies"
  sum.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "count")])
  sum.expressionResultType = .integer64AttributeType

  let request = NSFetchRequest<NSDictionary>(entityName: "Order")
  request.resultType = .dictionaryResultType
  request.propertiesToFetch = ["customer", sum]
  // Orders without a customer would be a group, too.
  request.predicate = NSPredicate(format: "customer != nil")
  request.sortDescriptors = [NSSortDescriptor(key: "customer", ascending: true)]
  try group(request, atLeast: copies)
  return try context.fetch(request).map { line in
    CustomerTotal(customer: line["customer"] as? String ?? "", copies: (line["copies"] as? NSNumber)?.intValue ?? 0)
  }
}

/// Makes a line for each customer of the orders, and keeps the lines whose sum, `copies`, is large enough.
private func group(_ request: NSFetchRequest<NSDictionary>, atLeast copies: Int) throws {
  request.propertiesToGroupBy = ["customer"]
  // What matters: a predicate chooses orders before they are added up; having chooses customers, by their sums.
  //= request.predicate = NSPredicate(format: "count >= %ld", copies)
  request.havingPredicate = NSPredicate(format: "$copies >= %ld", copies)
}
