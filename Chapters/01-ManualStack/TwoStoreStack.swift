import CoreData

/// Two models made one, and two files behind one coordinator: students in SQLite, their grades in XML.
///
/// Belongs to the main queue.
public final class TwoStoreStack {
  public static let studentsName = "Students.sqlite"
  public static let gradesName = "Grades.xml"

  public let coordinator: NSPersistentStoreCoordinator
  public let context: NSManagedObjectContext

  /// - Throws: `ModelMissing`, or why one of the stores could not be added.
  public init(folder: URL) throws {
    //> merged-model
    let model = NSManagedObjectModel(byMerging: [
      try Self.model(named: "SingleViewCoreData"),
      try Self.model(named: "Grades"),
    ])!
    //< merged-model

    //> configurations
    let entities = model.entitiesByName
    let (student, grade) = (entities["Student"]!, entities["Grade"]!)
    model.setEntities([student], forConfigurationName: "Students")
    model.setEntities([grade], forConfigurationName: "Grades")
    //< configurations

    //> fetched-property
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Grade")
    request.predicate = NSPredicate(format: "studentId == $FETCH_SOURCE.studentId")
    request.sortDescriptors = [NSSortDescriptor(key: "subject", ascending: true)]
    let grades = NSFetchedPropertyDescription()
    grades.name = "grades"
    grades.fetchRequest = request
    student.properties.append(grades)
    //< fetched-property

    //> two-stores
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: "Students",
      at: folder.appendingPathComponent(Self.studentsName), options: nil)
    try coordinator.addPersistentStore(
      ofType: NSXMLStoreType, configurationName: "Grades",
      at: folder.appendingPathComponent(Self.gradesName), options: nil)
    //< two-stores

    context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  /// A compiled model among the program's resources.
  static func model(named name: String) throws -> NSManagedObjectModel {
    guard let url = Bundle.main.url(forResource: name, withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: url)
    else { throw ModelMissing(name: name) }
    return model
  }

  /// The grades of a student, by the fetched property.
  public func grades(of student: Student) -> [Grade] { student.value(forKey: "grades") as? [Grade] ?? [] }

  public func close() throws {
    context.reset()
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
