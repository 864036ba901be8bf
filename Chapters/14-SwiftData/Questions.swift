import SwiftData

/// Questions about the students, each as you would write it in a `FetchDescriptor`.
public enum Questions {
  public typealias Question = (text: String, predicate: Predicate<Student>)

  //> compare
  public static func older(than age: Int, called start: String) -> Predicate<Student> {
    #Predicate { $0.studentAge > age && $0.studentName.starts(with: start) }
  }
  //< compare

  //> as-typed
  public static func matching(_ typed: String) -> Predicate<Student> {
    #Predicate { $0.studentName.localizedStandardContains(typed) }
  }
  //< as-typed

  //> among
  public static func among(_ ids: [Int]) -> Predicate<Student> {
    #Predicate { ids.contains($0.studentId) }
  }
  //< among

  //> to-many
  public static func passed(_ subject: String, with points: Int) -> Predicate<Student> {
    #Predicate { $0.grades.contains { $0.subject == subject && $0.points >= points } }
  }
  //< to-many

  //> to-one
  public static func grades(of student: Student) -> Predicate<Grade> {
    let id = student.persistentModelID
    return #Predicate { $0.student?.persistentModelID == id && $0.points > 50 }
  }
  //< to-one

  //> unstored
  public static var adults: Predicate<Student> {
    #Predicate { $0.isAdult }
  }
  //< unstored
}

extension Student {
  //> computed
  public var isAdult: Bool { studentAge >= 18 }
  //< computed
}
