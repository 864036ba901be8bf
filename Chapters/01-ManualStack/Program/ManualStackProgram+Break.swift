import ChapterSupport
import CoreData
import Foundation
import ManualStackChapter

/// `--break`: starts with a file that is not a database, shows the error level by level, and ends with it.
extension ManualStackProgram {
  @MainActor func showBrokenStore(in folder: URL) throws {
    let broken = folder.appendingPathComponent("Broken", isDirectory: true)
    try FileManager.default.createDirectory(at: broken, withIntermediateDirectories: true)
    let url = broken.appendingPathComponent(CoreDataStack.storeName)
    try StoreOptions.removeStore(at: url)
    //> text-file
    try Data("These are notes about students, not a database.\n".utf8).write(to: url)
    //< text-file

    Output.heading("A text file in the store's place")
    let stack = CoreDataStack(folder: broken)
    let context = stack.managedObjectContext
    guard let failure = stack.loadingFailure else {
      throw ChapterFailure("The file \(url.path) was opened as a store, though it is a text.")
    }
    showLevels(of: failure)
    //> without-store
    do {
      StudentRegister(context: context).add(name: "Ada", age: 20, id: 1)
      try stack.saveContext()
    } catch {
      Output.line("save() says: \((error as NSError).localizedDescription)")
      Output.line("still unsaved: \(Output.count(context.insertedObjects.count, "student"))")
    }
    //< without-store
    Output.line("the file is as it was: \(try String(contentsOf: url, encoding: .utf8).count) characters")
    throw failure
  }

  //> levels
  /// An error and those below it: whose it is, what it says, why, and about which file.
  private func showLevels(of failure: NSError) {
    var errors: [NSError] = []
    var next: NSError? = failure
    while let error = next {
      errors.append(error)
      next = error.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    for (index, error) in errors.enumerated() {
      Output.line("level \(index + 1): \(error.domain) \(error.code)")
      Output.line("  says: \(error.localizedDescription)")
      if let reason = error.localizedFailureReason { Output.line("  because: \(reason)") }
      if let path = error.userInfo[NSFilePathErrorKey] { Output.line("  file: \(path)") }
    }
  }
  //< levels
}
