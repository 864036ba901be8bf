import ArgumentParser
import ChapterSupport
import CoreData
import DataControllerChapter
import Foundation
import StoreFileReader

@main
struct DataControllerProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "DataController",
    abstract: "A controller that owns the stack: how it loads, where it calls back, and how it fails.")

  enum Fault: String, CaseIterable, ExpressibleByArgument {
    case model, file, foreign, damaged, mismatch
  }

  @OptionGroup var store: StoreOptions

  @Option(
    name: .customLong("break"),
    help: """
      End with a failure: a missing model, a text file, another program's database, a damaged store, or a store of \
      another model.
      """)
  var fault: Fault?

  @Flag(help: "Open the store once, and wait for it: with SQLDebug, its statements come in one order.")
  var waiting = false

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws { try refuseTogether(["--break": fault != nil, "--waiting": waiting]) }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "DataController", stores: [DataController.storeName])
    let url = folder.appendingPathComponent(DataController.storeName)
    if let fault { return try await end(with: fault, in: folder) }
    if waiting { return try showWaiting(url) }

    try await showCallback(url)
    try showEarly(url)
    try showTooSoon(url)
    try await showBlocked(url)
    try await showAwait(url)
    try showWaiting(url)
    Output.heading("Five things that go wrong, and what the user reads")
    for fault in Fault.allCases { try await show(fault, in: folder) }
    let file = try StoreFileReader(contentsOf: url)
    Output.heading("The closed file")
    Output.line("tables: \(try file.tables().joined(separator: ", "))")
    Output.line("ZEMPLOYEE has \(Output.count(try file.rowCount(of: "ZEMPLOYEE"), "row"))")
  }

  @MainActor private func showCallback(_ url: URL) async throws {
    Output.heading("The controller calls back when it is ready")
    let office = Office()
    try await withCheckedThrowingContinuation { office.open(url, ready: $0) }
    guard let controller = office.controller else { return }
    try addEmployee("Ada", to: controller, url)
    try controller.close()
  }

  /// The part of the program that keeps the controller.
  @MainActor private final class Office {
    var controller: DataController?

    func open(_ url: URL, ready: CheckedContinuation<Void, any Error>) {
      //> callback
      controller = DataController(at: url) { [self] result in
        if case .success = result { print("Core Data stack has been initialized.") }
        Output.line("called back on \(CurrentQueue.name)")
        Output.line("the property controller is \(controller == nil ? "nil" : "set")")
        ready.resume(with: result)
      }
      Output.line("the initializer has returned")
      //< callback
    }
  }

  @MainActor private func showEarly(_ url: URL) throws {
    Output.heading("The same with a controller that calls back too early")
    let office = EarlyOffice()
    office.open(url)
    try office.controller?.close()
  }

  @MainActor private final class EarlyOffice {
    var controller: EarlyController?

    func open(_ url: URL) {
      //> early-callback
      controller = EarlyController(at: url) { [self] in
        Output.line("called back on \(CurrentQueue.name)")
        Output.line("the property controller is \(controller == nil ? "nil" : "set")")
        let employees = try? controller?.persistentContainer.viewContext.count(
          for: NSFetchRequest<Employee>(entityName: "Employee"))
        Output.line("it counts \(employees.map { Output.count($0, "employee") } ?? "nothing")")
      }
      Output.line("the initializer has returned")
      //< early-callback
    }
  }

  //> too-soon
  @MainActor private func showTooSoon(_ url: URL) throws {
    Output.heading("Not waiting: the context is there, the store is not")
    let container = NSPersistentContainer(name: "DataModel")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    // A program that doesn't wait gets here before loadPersistentStores has done its work.
    let context = container.viewContext
    do {
      _ = try context.fetch(NSFetchRequest<Employee>(entityName: "Employee"))
    } catch {
      Output.paragraph("fetch(_:): \((error as NSError).code) \(error.localizedDescription)")
    }
    let employee = Employee(context: context)
    employee.name = "Alan"
    do {
      try context.save()
    } catch {
      Output.paragraph("save(): \((error as NSError).code) \(error.localizedDescription)")
    }
    let rows = try StoreFileReader(contentsOf: url).rowCount(of: "ZEMPLOYEE")
    Output.line("the file holds \(Output.count(rows, "row")), as before")
  }
  //< too-soon

  @MainActor private func showBlocked(_ url: URL) async throws {
    Output.heading("The main thread stands still")
    let (controller, callback) = loadAndBlock(url)
    while !callback.hasCome { try await Task.sleep(nanoseconds: 1_000_000) }
    Output.line("the main thread is free; the callback has come: \(callback.hasCome)")
    try controller.close()
  }

  //> blocked
  /// Loads, and keeps the main thread from doing anything else until the store is open.
  @MainActor private func loadAndBlock(_ url: URL) -> (DataController, Callback) {
    let callback = Callback()
    let controller = DataController(at: url) { _ in callback.hasCome = true }
    let coordinator = controller.persistentContainer?.persistentStoreCoordinator
    while coordinator?.persistentStores.isEmpty == true { Thread.sleep(forTimeInterval: 0.1) }
    Output.line("the store is open; the callback has come: \(callback.hasCome)")
    return (controller, callback)
  }

  @MainActor private final class Callback {
    var hasCome = false
  }
  //< blocked

  @MainActor private func showAwait(_ url: URL) async throws {
    Output.heading("With await: ready, or an error")
    //> await
    let controller = try await DataController.load(at: url)
    Output.line("the program continues on \(CurrentQueue.name)")
    try addEmployee("Grace", to: controller, url)
    //< await
    try controller.close()
  }

  @MainActor private func showWaiting(_ url: URL) throws {
    Output.heading("Waiting: the initializer returns when the store is open")
    //> waiting
    let controller = try DataController(waitingAt: url)
    try addEmployee("Barbara", to: controller, url)
    //< waiting
    try controller.close()
  }

  //> add-employee
  @MainActor private func addEmployee(
    _ name: String, to controller: DataController, _ url: URL
  ) throws {
    guard let context = controller.viewContext else { return }
    let request = NSFetchRequest<Employee>(entityName: "Employee")
    request.sortDescriptors = [NSSortDescriptor(key: "badge", ascending: true)]
    let badge = (try context.fetch(request).last?.badge ?? 0) + 1
    let employee = Employee(context: context)
    employee.name = name
    employee.badge = badge
    try context.save()
    let rows = try StoreFileReader(contentsOf: url).rowCount(of: "ZEMPLOYEE")
    Output.line("saved \(employee.label); the file holds \(Output.count(rows, "row"))")
  }
  //< add-employee
}

extension Output {
  /// A line that is broken between words where a terminal ends. A path counts as fifty letters, so the lines break
  /// at the same words whatever the folder is.
  static func paragraph(_ text: String) {
    func width(_ word: Substring) -> Int { word.hasPrefix("/") ? 50 : word.count }
    var line: [Substring] = []
    var indent = ""
    for word in text.split(separator: " ") {
      let used = line.reduce(indent.count) { $0 + width($1) + 1 }
      if !line.isEmpty, used + width(word) > 90 {
        Output.line(indent + line.joined(separator: " "))
        (line, indent) = ([], "  ")
      }
      line.append(word)
    }
    Output.line(indent + line.joined(separator: " "))
  }
}
