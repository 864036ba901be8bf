import SwiftData

/// Creates, reads and deletes students in a context, as chapter 1's register does. Nothing here saves.
public struct School {
  public static let storeName = "School.store"

  public let context: ModelContext

  public init(context: ModelContext) {
    self.context = context
  }

  //> open
  public static func open(at url: URL) throws -> ModelContainer {
    try ModelContainer(for: Student.self, configurations: ModelConfiguration(url: url))
  }
  //< open

  //> create
  @discardableResult
  public func add(name: String, age: Int, id: Int) -> Student {
    let student = Student(name: name, age: age, id: id)
    context.insert(student)
    return student
  }
  //< create

  //> read
  public func all() throws -> [Student] {
    try context.fetch(FetchDescriptor<Student>(sortBy: [SortDescriptor(\.studentId)]))
  }

  public func student(withId id: Int) throws -> Student? {
    var wanted = FetchDescriptor<Student>(predicate: #Predicate { $0.studentId == id })
    wanted.fetchLimit = 1
    return try context.fetch(wanted).first
  }
  //< read

  //> delete-many
  /// Deletes the students with these numbers, with the next save.
  public func remove(ids: [Int]) throws {
    try context.delete(model: Student.self, where: Questions.among(ids))
  }
  //< delete-many
}
