import ChapterSupport
import CoreData
import Foundation
import ObjectGraphChapter

/// The same delete under each of the four rules.
extension ObjectGraphProgram {
  @MainActor func showDeleteRules(in folder: URL, _ file: ObjectGraphFile) throws {
    let rules: [(String, NSDeleteRule)] = [
      ("Nullify", .nullifyDeleteRule), ("Cascade", .cascadeDeleteRule), ("Deny", .denyDeleteRule),
      ("No action", .noActionDeleteRule),
    ]
    for (name, rule) in rules {
      Output.heading(name)
      try StoreOptions.removeStore(at: file.url)
      try delete(under: rule, in: folder, file)
      try file.show("ZAUTHOR", "Z_PK", "ZNAME")
      try file.show("ZBOOK", "Z_PK", "ZTITLE", "ZAUTHOR")
    }
  }

  @MainActor private func delete(under rule: NSDeleteRule, in folder: URL, _ file: ObjectGraphFile) throws {
    //> delete-under
    let stack = try ObjectGraphStack(folder: folder) { model in
      model.entitiesByName["Author"]!.relationshipsByName["books"]!.deleteRule = rule
    }
    let library = Library(context: stack.context)
    let leGuin = library.author("Ursula K. Le Guin")
    library.book("A Wizard of Earthsea", 1968, pages: 205, by: leGuin)
    library.book("The Left Hand of Darkness", 1969, pages: 286, by: leGuin)
    library.book("Beowulf", 1815, pages: 213)
    try stack.context.save()

    stack.context.delete(leGuin)
    do {
      try stack.context.save()
      Output.line("save() succeeds")
    } catch {
      showDenial(error as NSError)
    }
    //< delete-under
    try stack.close()
  }

  //> denial
  private func showDenial(_ error: NSError) {
    let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
    Output.line("save() says \(error.code): \(error.localizedDescription)")
    Output.line("  the object:   \((object as? Author)?.name ?? "none")")
    Output.line("  the property: \(error.userInfo[NSValidationKeyErrorKey] ?? "none")")
    Output.line("  the value:    \(titles(error.userInfo[NSValidationValueErrorKey] as? NSSet))")
    Output.line("  isDeleted:    \(object?.isDeleted ?? false)")
  }
  //< denial
}
