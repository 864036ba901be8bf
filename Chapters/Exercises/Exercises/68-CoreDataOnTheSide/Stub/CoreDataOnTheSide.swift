import CoreData
import ExerciseSupport
import SwiftData

@Model final class Visitor {
  var name: String
  var visits: Int

  init(name: String, visits: Int) {
    self.name = name
    self.visits = visits
  }
}

/// A Core Data container over a file that SwiftData has made, and may have open.
func visitorsStack(at url: URL) throws -> NSPersistentContainer {
  // TODO: Open the file with the class's own model, and record in it what is saved.
  throw Unfinished("a Core Data container opens the file, and keeps its history")
}
