import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import ManualStackChapter
import StepRecorder

/// What the book's stepper shows of this chapter.
extension ManualStackProgram {
  enum Recording: String, CaseIterable, ExpressibleByArgument {
    case save
  }

  @MainActor func recordSaves(in folder: URL) throws {
    let stack = CoreDataStack(folder: folder)
    let register = StudentRegister(context: stack.managedObjectContext)
    if let failure = stack.loadingFailure { throw failure }
    let steps = try StepRecorder(
      "Three saves", contexts: ["context": stack.managedObjectContext],
      objects: ["Student": "studentName, studentAge"], file: stack.storeURL,
      tables: ["ZSTUDENT": "Z_PK, ZSTUDENTNAME, ZSTUDENTAGE"])
    let ada = register.add(name: "Ada", age: 20, id: 1)
    let grace = register.add(name: "Grace", age: 22, id: 2)
    try steps.frame("You make Ada and Grace.")
    try stack.saveContext()
    try steps.frame("You save.")
    ada.studentAge = 21
    try steps.frame("You set `ada.studentAge = 21`.")
    try stack.saveContext()
    try steps.frame("You save.")
    register.remove(grace)
    try steps.frame("You delete Grace.")
    try stack.saveContext()
    try steps.frame("You save.")
    withExtendedLifetime((ada, grace)) {}
  }
}
