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
      End with one failure: a missing model, a text file, another program's database, a damaged store, or a store of \
      another model.
      """)
  var fault: Fault?

  static func main() { ChapterProgram.run(Self.self) }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "DataController", stores: [DataController.storeName])
    let url = folder.appendingPathComponent(DataController.storeName)
    if let fault { return try await end(with: fault, in: folder) }

    try await showShortForm(folder)
    try showSynchronous(url)
    try showTooEarly(url)
    try await showAsynchronous(url)
    try await showBlocked(url)
    try await showAwait(url)
    Output.heading("Five things that go wrong, and what a person is told")
    for fault in Fault.allCases { try await show(fault, in: folder) }
    let file = try StoreFileReader(contentsOf: url)
    Output.heading("The closed file")
    Output.line("tables: \(try file.tables().joined(separator: ", "))")
    Output.line("ZEMPLOYEE has \(Output.count(try file.rowCount(of: "ZEMPLOYEE"), "row"))")
  }

  //> short-form
  @MainActor private func showShortForm(_ folder: URL) async throws {
    Output.heading("The short form: assign, and be called")
    let owner = ControllerOwner()
    try await withCheckedThrowingContinuation { continuation in
      owner.controller = DataController(in: folder) { result in
        let isAssigned = owner.controller != nil
        Output.line("callback on \(CurrentQueue.name), the property is assigned: \(isAssigned)")
        continuation.resume(with: result)
      }
    }
    try owner.controller?.close()
  }

  /// Any object of a program that keeps the controller in a property.
  @MainActor private final class ControllerOwner {
    var controller: DataController?
  }
  //< short-form

  //> synchronous
  @MainActor private func showSynchronous(_ url: URL) throws {
    Output.heading("Synchronous: the initializer waits")
    var returned = false
    var outcome: Result<Void, DataControllerFailure>?
    let controller = DataController(at: url) { result in
      outcome = result
      Output.line("callback on \(CurrentQueue.name), initializer has returned: \(returned)")
    }
    returned = true
    try outcome?.get()
    print("Core Data stack has been initialized.")
    try addEmployee("Ada", to: controller, url)
    try controller.close()
  }
  //< synchronous

  //> too-early
  @MainActor private func showTooEarly(_ url: URL) throws {
    Output.heading("Too early: the context is there, the store is not")
    let container = NSPersistentContainer(name: "DataModel")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    // A program that does not wait is here before loadPersistentStores has done its work.
    let context = container.viewContext
    do {
      _ = try context.fetch(NSFetchRequest<Employee>(entityName: "Employee"))
    } catch {
      Output.line("fetch(_:) says \((error as NSError).code): \(error.localizedDescription)")
    }
    let employee = Employee(context: context)
    employee.name = "Alan"
    do {
      try context.save()
    } catch {
      Output.line("save() says \((error as NSError).code): \(error.localizedDescription)")
    }
    let rows = try StoreFileReader(contentsOf: url).rowCount(of: "ZEMPLOYEE")
    Output.line("the file holds \(Output.count(rows, "row")), as before")
  }
  //< too-early

  //> asynchronous
  @MainActor private func showAsynchronous(_ url: URL) async throws {
    Output.heading("Asynchronous: the initializer returns at once")
    var made: DataController?
    let result = await withCheckedContinuation { continuation in
      made = DataController(at: url, loading: .asynchronous) { result in
        Output.line("callback on \(CurrentQueue.name)")
        // What the program does next belongs on the main queue, where the view context is.
        DispatchQueue.main.async {
          Output.line("the program goes on on \(CurrentQueue.name)")
          continuation.resume(returning: result)
        }
      }
    }
    try result.get()
    guard let controller = made else { return }
    print("Core Data stack has been initialized.")
    try addEmployee("Grace", to: controller, url)
    try controller.close()
  }
  //< asynchronous

  @MainActor private func showBlocked(_ url: URL) async throws {
    Output.heading("Asynchronous, and the main thread stands still")
    let (controller, arrived) = loadAndBlock(url)
    // The main queue's next block comes after the one that is waiting.
    await withCheckedContinuation { turn in DispatchQueue.main.async { turn.resume() } }
    Output.line("the main thread waits no more; the block has run: \(arrived.isSignalled)")
    try controller.close()
  }

  //> blocked
  /// Holds the main thread until the callback has come, and a little longer.
  @MainActor private func loadAndBlock(_ url: URL) -> (DataController, DispatchSemaphore) {
    let calledBack = DispatchSemaphore(value: 0)
    let arrived = DispatchSemaphore(value: 0)
    let controller = DataController(at: url, loading: .asynchronous) { _ in
      DispatchQueue.main.async { arrived.signal() }
      calledBack.signal()
    }
    calledBack.wait()
    Output.line("the callback has come and has left a block for the main queue")
    Thread.sleep(forTimeInterval: 0.2)
    Output.line("a fifth of a second later the block has run: \(arrived.isSignalled)")
    return (controller, arrived)
  }
  //< blocked

  @MainActor private func showAwait(_ url: URL) async throws {
    Output.heading("With await: ready, or an error")
    //> await
    let controller = try await DataController.load(at: url)
    Output.line("the program goes on on \(CurrentQueue.name)")
    print("Core Data stack has been initialized.")
    try addEmployee("Barbara", to: controller, url)
    //< await
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

extension DispatchSemaphore {
  /// Whether it has been signalled; takes the signal.
  fileprivate var isSignalled: Bool { wait(timeout: .now()) == .success }
}
