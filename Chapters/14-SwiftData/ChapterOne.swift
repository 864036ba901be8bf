import SwiftData

//> twin
/// Chapter 1's entity as a class. An entity has the name of its class alone, without what is
/// around it, so this is another "Student".
public enum ChapterOne {
  @Model
  public final class Student {
    public var studentName: String?
    public var studentAge: Int16? = 0
    public var studentId: Int16? = 0

    public init(name: String, age: Int16, id: Int16) {
      studentName = name
      studentAge = age
      studentId = id
    }
  }
}
//< twin

//> next-year
/// The same a year later: one more property, and nothing else.
public enum NextYear {
  @Model
  public final class Student {
    public var studentName: String?
    public var studentAge: Int16? = 0
    public var studentId: Int16? = 0
    public var studentMail: String?

    public init() {}
  }
}
//< next-year
