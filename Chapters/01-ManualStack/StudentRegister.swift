import CoreData

/// Creates, reads and deletes students in a context. Nothing here saves; the stack does that.
public struct StudentRegister {
  public let context: NSManagedObjectContext

  public init(context: NSManagedObjectContext) {
    self.context = context
  }

  //> create
  @discardableResult
  public func add(name: String, age: Int16, id: Int16) -> Student {
    let student = Student(context: context)
    student.studentName = name
    student.studentAge = age
    student.studentId = id
    return student
  }
  //< create

  //> read
  public func all() throws -> [Student] {
    let request: NSFetchRequest<Student> = Student.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "studentId", ascending: true)]
    return try context.fetch(request)
  }

  public func student(withId id: Int16) throws -> Student? {
    let request: NSFetchRequest<Student> = Student.fetchRequest()
    request.predicate = NSPredicate(format: "studentId == %d", id)
    request.fetchLimit = 1
    return try context.fetch(request).first
  }
  //< read

  //> delete
  public func remove(_ student: Student) {
    context.delete(student)
  }
  //< delete
}
