import SwiftData

//> student
@Model
public final class Student {
  @Attribute(.unique) public var studentId: Int
  public var studentName: String
  public var studentAge: Int
  @Relationship(deleteRule: .cascade, inverse: \Grade.student) public var grades: [Grade] = []

  public init(name: String, age: Int, id: Int) {
    studentName = name
    studentAge = age
    studentId = id
  }
}
//< student

//> grade
@Model
public final class Grade {
  public var subject: String
  public var points: Int
  public var student: Student?

  public init(_ subject: String, points: Int, student: Student? = nil) {
    self.subject = subject
    self.points = points
    self.student = student
  }
}
//< grade
