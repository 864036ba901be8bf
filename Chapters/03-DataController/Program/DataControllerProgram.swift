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
    case model, file, mismatch
  }

  @OptionGroup var store: StoreOptions

  @Option(
    name: .customLong("break"),
    help: "End with one failure: a missing model, a file that is no store, or a store of another model.")
  var fault: Fault?

  static func main() { ChapterProgram.run(Self.self) }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "DataController", stores: [DataController.storeName])
    let url = folder.appendingPathComponent(DataController.storeName)
    if let fault { throw try failure(fault, in: folder) }

    try showSynchronous(url)
    try await showAsynchronous(url)
    try await showAwait(url)
    Output.heading("Three things that go wrong, and what a person is told")
    for fault in Fault.allCases {
      let failure = try failure(fault, in: folder)
      Output.line(failure.message)
      if let underlying = failure.underlying {
        Output.line("  in the log: \(underlying.domain) \(underlying.code)")
      }
    }
    let rows = try StoreFileReader(contentsOf: url).rowCount(of: "ZEMPLOYEE")
    Output.line("")
    Output.line("the closed file holds \(Output.count(rows, "row"))")
  }

  //> queues
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

  @MainActor private func showAsynchronous(_ url: URL) async throws {
    Output.heading("Asynchronous: the initializer returns at once")
    var made: DataController?
    let result: Result<Void, DataControllerFailure> = await withCheckedContinuation { continuation in
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
  //< queues

  @MainActor private func showAwait(_ url: URL) async throws {
    Output.heading("With await: ready, or an error")
    let controller = try await DataController.load(at: url)
    Output.line("the program goes on on \(CurrentQueue.name)")
    print("Core Data stack has been initialized.")
    try addEmployee("Barbara", to: controller, url)
    try controller.close()
  }

  @MainActor private func addEmployee(_ name: String, to controller: DataController, _ url: URL) throws {
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

  /// Brings about a fault in a folder of its own and returns how the controller reports it.
  @MainActor private func failure(_ fault: Fault, in folder: URL) throws -> DataControllerFailure {
    let place = folder.appendingPathComponent("Broken", isDirectory: true)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let url = place.appendingPathComponent(DataController.storeName)
    try StoreOptions.removeStore(at: url)
    switch fault {
    case .model: break
    case .file: try Data("Meeting at ten. Bring the badges.\n".utf8).write(to: url)
    case .mismatch: try StoreOfAnotherModel.make(at: url)
    }

    var outcome: Result<Void, DataControllerFailure>?
    let controller = DataController(at: url, modelName: fault == .model ? "NoSuchModel" : "DataModel") {
      outcome = $0
    }
    if case .failure(let failure) = outcome { return failure }
    try controller.close()
    throw ChapterFailure(
      "The controller opened \(url.path) although it was broken on purpose (\(fault.rawValue)).")
  }
}
