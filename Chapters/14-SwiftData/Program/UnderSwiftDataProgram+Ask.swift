import ChapterSupport
import Foundation
import SwiftData
import UnderSwiftDataChapter

/// `--ask`: questions as `#Predicate`. The SQL comes with `-com.apple.CoreData.SQLDebug 1`.
extension UnderSwiftDataProgram {
  func ask(in folder: URL) throws {
    let context = ModelContext(try School.open(at: folder.appendingPathComponent(School.storeName)))
    let school = School(context: context)
    for (index, (name, age)) in [("Ada", 20), ("Grace", 22), ("Barbara", 17)].enumerated() {
      let student = school.add(name: name, age: age, id: index + 1)
      student.grades = [
        Grade("Mathematics", points: 90 - 20 * index), Grade("French", points: 40 + 20 * index),
      ]
    }
    try context.save()
    Output.heading("Questions")
    try show("over 18, and G…", Questions.older(than: 18, called: "G"), context)
    try show("bar, as typed", Questions.matching("bar"), context)
    try show("1 and 3", Questions.among([1, 3]), context)
    try show("80 in mathematics", Questions.passed("Mathematics", with: 80), context)
    guard let grace = try school.student(withId: 2) else { throw ChapterFailure("Grace was not saved.") }
    let grades = try context.fetch(
      FetchDescriptor(predicate: Questions.grades(of: grace), sortBy: [SortDescriptor(\.subject)]))
    Output.line("Grace's, above 50: \(grades.map { "\($0.subject) \($0.points)" }.joined(separator: ", "))")

    Output.heading("A question that is refused")
    do {
      try show("adults", Questions.adults, context)
    } catch {
      Output.line("\(error)")
    }
    //> in-memory
    let adults = try school.all().filter(\.isAdult).map(\.studentName)
    //< in-memory
    Output.line("filtered by the program: \(adults.joined(separator: ", "))")
  }

  private func show(_ text: String, _ predicate: Predicate<Student>, _ context: ModelContext) throws {
    let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.studentId)])
    let names = try context.fetch(descriptor).map(\.studentName)
    Output.line("\(text): \(names.joined(separator: ", "))")
  }
}
