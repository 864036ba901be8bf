import SwiftData

//> first-year
extension ChapterOne: VersionedSchema {
  public static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  public static var models: [any PersistentModel.Type] { [Student.self] }
}
//< first-year

//> second-year
/// A year later: the name is called `name`, and a number belongs to one student.
public enum SecondYear: VersionedSchema {
  public static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  public static var models: [any PersistentModel.Type] { [Student.self] }

  @Model
  public final class Student {
    @Attribute(originalName: "studentName") public var name: String?
    public var studentAge: Int16? = 0
    @Attribute(.unique) public var studentId: Int16? = 0

    public init() {}
  }
}
//< second-year

//> plan
/// From the first year to the second: of several students with one number, one stays.
public enum StudentPlan: SchemaMigrationPlan {
  public static var schemas: [any VersionedSchema.Type] { [ChapterOne.self, SecondYear.self] }

  public static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: ChapterOne.self, toVersion: SecondYear.self,
        willMigrate: { context in
          var taken: Set<Int16> = []
          for student in try context.fetch(FetchDescriptor<ChapterOne.Student>()) {
            guard let id = student.studentId, !taken.insert(id).inserted else { continue }
            context.delete(student)
          }
          try context.save()
        },
        didMigrate: nil)
    ]
  }
}
//< plan
