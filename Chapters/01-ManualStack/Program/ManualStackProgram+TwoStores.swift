import ChapterSupport
import CoreData
import Foundation
import ManualStackChapter
import StoreFileReader

/// `--two-stores`: two models made one, two files behind one coordinator.
extension ManualStackProgram {
  @MainActor func showTwoStores(in folder: URL) throws {
    for name in [TwoStoreStack.studentsName, TwoStoreStack.gradesName] {
      try StoreOptions.removeStore(at: folder.appendingPathComponent(name))
    }
    let stack = try TwoStoreStack(folder: folder)
    Output.heading("Two models, made one")
    let model = stack.coordinator.managedObjectModel
    for configuration in model.configurations.sorted() {
      let names = (model.entities(forConfigurationName: configuration) ?? []).compactMap(\.name).sorted()
      Output.line("configuration \(configuration): \(names.joined(separator: ", "))")
    }

    Output.heading("One save, two files")
    //> one-save
    let register = StudentRegister(context: stack.context)
    let ada = register.add(name: "Ada", age: 20, id: 1)
    let grace = register.add(name: "Grace", age: 22, id: 2)
    let marks = [("Algebra", 1, ada), ("Logic", 2, ada), ("Algebra", 2, grace)]
    for (subject, mark, student) in marks {
      let grade = Grade(context: stack.context)
      grade.subject = subject
      grade.mark = Int16(mark)
      grade.studentId = student.studentId
    }
    try stack.context.save()
    //< one-save
    for store in stack.coordinator.persistentStores {
      let entities = try model.entities(forConfigurationName: store.configurationName)?.compactMap(\.name).map {
        let request = NSFetchRequest<NSManagedObject>(entityName: $0)
        request.affectedStores = [store]
        return "\(try stack.context.count(for: request)) of \($0)"
      }
      Output.line("\(store.url?.lastPathComponent ?? "no file"): \(entities?.joined(separator: ", ") ?? "nothing")")
    }
    let tables = try StoreFileReader(contentsOf: folder.appendingPathComponent(TwoStoreStack.studentsName)).tables()
    Output.line("tables of the SQLite file: \(tables.joined(separator: ", "))")

    Output.heading("From one file to the other")
    for student in try register.all() {
      let grades = stack.grades(of: student).map { "\($0.subject ?? "?") \($0.mark)" }
      Output.line("\(student.studentName ?? "?"): \(grades.joined(separator: ", "))")
    }
    try stack.close()
    try showShipped(folder.appendingPathComponent(TwoStoreStack.studentsName), model)
  }

  /// The students' file, as if it had come with the program.
  @MainActor private func showShipped(_ file: URL, _ model: NSManagedObjectModel) throws {
    Output.heading("A file that ships with the program")
    let before = try Data(contentsOf: file)
    //> read-only
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: "Students", at: file,
      options: [NSReadOnlyPersistentStoreOption: true])
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let students = try StudentRegister(context: context).all()
    students.first?.studentName = "Augusta"
    do {
      try context.save()
    } catch {
      Output.line("a save over \(students.count) students: \((error as NSError).code)")
    }
    //< read-only
    context.reset()
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    Output.line("the file is byte for byte as it was: \(try Data(contentsOf: file) == before)")
  }
}
