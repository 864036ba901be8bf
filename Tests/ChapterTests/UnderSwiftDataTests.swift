import CoreData
import Foundation
import ManualStackChapter
import ModelMacros
import StoreFileReader
import SwiftData
import TestFiles
import Testing
import UnderSwiftDataChapter

@Suite("Chapter 14: SwiftData, and what is under it", .serialized)
@MainActor
struct UnderSwiftDataTests {
  let folder = TemporaryFolder()

  private func hash(_ type: any PersistentModel.Type) throws -> Data {
    let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [type]))
    return try #require(model.entityVersionHashesByName["Student"])
  }

  /// Chapter 1's file with two students, closed.
  private func chapterOneFile() throws -> URL {
    let stack = CoreDataStack(folder: folder.url)
    let register = StudentRegister(context: stack.managedObjectContext)
    register.add(name: "Ada", age: 20, id: 1)
    register.add(name: "Grace", age: 22, id: 2)
    try stack.saveContext()
    try stack.close()
    return stack.storeURL
  }

  @Test("The twin of chapter 1's entity has its hash, and the class that promises more has another")
  func hashes() throws {
    let theirs = CoreDataStack(folder: folder.url).managedObjectModel.entityVersionHashesByName["Student"]
    #expect(try hash(ChapterOne.Student.self) == theirs)
    #expect(try hash(UnderSwiftDataChapter.Student.self) != theirs)
    #expect(try hash(NextYear.Student.self) != theirs)
  }

  @Test("A file of chapter 1's is opened by the twin as it is, and chapter 1 opens it again afterwards")
  func twin() throws {
    let url = try chapterOneFile()
    do {
      let container = try ModelContainer(
        for: ChapterOne.Student.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      context.insert(ChapterOne.Student(name: "Barbara", age: 21, id: 3))
      try context.save()
    }
    let rows = try StoreFileReader(contentsOf: url).rows("SELECT Z_PK, Z_OPT, ZSTUDENTNAME FROM ZSTUDENT ORDER BY 1")
    #expect(rows.map { $0.map(\.description) } == [["1", "1", "Ada"], ["2", "1", "Grace"], ["3", "1", "Barbara"]])
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
    #expect(try hashes?["Student"] == hash(ChapterOne.Student.self))
  }

  @Test("A class with one property more takes the file away from chapter 1")
  func grown() throws {
    let url = try chapterOneFile()
    do {
      let container = try ModelContainer(for: NextYear.Student.self, configurations: ModelConfiguration(url: url))
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<NextYear.Student>()) == 2)
    }
    let stack = CoreDataStack(folder: folder.url)
    _ = stack.managedObjectContext
    let cause = stack.loadingFailure?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(cause?.code == NSPersistentStoreIncompatibleVersionHashError)
  }

  @Test("The class of the second year is refused where two have one number; its plan keeps one, under the new name")
  func secondYear() throws {
    let url = folder.url.appendingPathComponent(CoreDataStack.storeName)
    let configuration = ModelConfiguration(url: url)
    do {
      let context = ModelContext(try ModelContainer(for: ChapterOne.Student.self, configurations: configuration))
      let students: [(name: String, id: Int16)] = [("Ada", 1), ("Grace", 2), ("Grace", 2)]
      for student in students { context.insert(ChapterOne.Student(name: student.name, age: 20, id: student.id)) }
      try context.save()
    }
    let refusal = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: SecondYear.Student.self, configurations: configuration)
    }
    let error = try #require(refusal)
    #expect(((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 134111)
    #expect(try StoreFileReader(contentsOf: url).rowCount(of: "ZSTUDENT") == 3)
    let container = try ModelContainer(
      for: SecondYear.Student.self, migrationPlan: StudentPlan.self, configurations: configuration)
    let students = try ModelContext(container).fetch(
      FetchDescriptor<SecondYear.Student>(sortBy: [SortDescriptor(\.studentId)]))
    #expect(students.map(\.name) == ["Ada", "Grace"] && students.map(\.studentId) == [1, 2])
  }

  @Test("Many students are deleted by one call, with the save")
  func many() throws {
    let url = folder.url.appendingPathComponent(School.storeName)
    let context = ModelContext(try School.open(at: url))
    let school = School(context: context)
    for (id, name) in [(1, "Ada"), (2, "Grace"), (3, "Barbara")] { school.add(name: name, age: 20, id: id) }
    try context.save()
    try school.remove(ids: [1, 3])
    #expect(try StoreFileReader(contentsOf: url).rowCount(of: "ZSTUDENT") == 3)
    try context.save()
    #expect(try school.all().map(\.studentName) == ["Grace"])
  }

  @Test("The chapter's questions find whom they ask for, and the computed one is refused")
  func questions() throws {
    let container = try School.open(at: folder.url.appendingPathComponent(School.storeName))
    let context = ModelContext(container)
    let school = School(context: context)
    for (id, name, age) in [(1, "Ada", 20), (2, "Grace", 22), (3, "Bárbara", 17)] {
      school.add(name: name, age: age, id: id).grades = [
        Grade("Mathematics", points: 100 - 30 * id), Grade("French", points: 20 * id),
      ]
    }
    try context.save()
    func names(_ predicate: Predicate<UnderSwiftDataChapter.Student>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.studentId)])).map(\.studentName)
    }
    #expect(try names(Questions.older(than: 18, called: "G")) == ["Grace"])
    #expect(try names(Questions.matching("BARB")) == ["Bárbara"])
    #expect(try names(Questions.among([3, 1])) == ["Ada", "Bárbara"])
    #expect(try names(Questions.passed("Mathematics", with: 60)) == ["Ada"])
    let ada = try #require(try school.student(withId: 1))
    let grades = try context.fetch(FetchDescriptor(predicate: Questions.grades(of: ada)))
    #expect(grades.map(\.subject) == ["Mathematics"])
    #expect(throws: SwiftDataError.unsupportedPredicate) { try names(Questions.adults) }
  }

  @Test("The program that the compiler asks answers what the macros' own module writes")
  func expansion() throws {
    let outcome = try ProgramRunner.run("UnderSwiftData", ["--expand"])
    #expect(outcome.exitCode == 0)
    let source = try String(
      contentsOf: packageRoot.appendingPathComponent("Chapters/14-SwiftData/Student.swift"), encoding: .utf8)
    let begin = try #require(source.range(of: "//> student\n"))
    let end = try #require(source.range(of: "//< student"))
    let model = try ModelDeclaration(String(source[begin.upperBound..<end.lowerBound]))
    let printed = words(outcome.output)
    #expect(printed.contains(words(model.members)))
    let name = try #require(try PropertyDeclaration.reading("public var studentName: String"))
    #expect(printed.contains(words(name.accessors(isTransformable: false))) && printed.contains(name.marker))
  }

  /// Without the places where lines were broken for the page.
  private func words(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
