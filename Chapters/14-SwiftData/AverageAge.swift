import CoreData

/// What `FetchDescriptor` has no words for, asked of the same file by Core Data.
public enum AverageAge {
  //> average
  public static func fetch(in context: NSManagedObjectContext) throws -> Double {
    let average = NSExpressionDescription()
    average.name = "average"
    average.expression = NSExpression(
      forFunction: "average:", arguments: [NSExpression(forKeyPath: "studentAge")])
    average.expressionResultType = .doubleAttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Student")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [average]
    return try context.fetch(request).first?["average"] as? Double ?? 0
  }
  //< average
}
