import Comparison
import CoreData
import DataControllerChapter

private let folder = "Chapters/05-DataController"
private let controllerFile = "\(folder)/DataController.swift"
private let asyncFile = "\(folder)/DataController+Async.swift"
private let failureFile = "\(folder)/DataControllerFailure.swift"

private func steps(_ context: SetupStep) -> [SetupStep] {
  [
    SetupStep(.model, [.region("find-model", in: controllerFile)]),
    SetupStep(.coordinator, note: "The container makes it."),
    SetupStep(.store, [.region("describe", in: controllerFile), .region("init", in: controllerFile)]),
    context,
    SetupStep(
      .errors,
      [
        .region("cases", in: failureFile), .region("sort", in: failureFile), .region("obstacle", in: failureFile),
        .region("message", in: failureFile),
      ]),
    SetupStep(.saving, note: "The program calls save() on the context."),
    SetupStep(.writing, note: "The view context writes, on the main queue."),
    SetupStep(.testing, note: "The store's URL and the model's name are parameters."),
  ]
}

/// Chapter 5: a controller that calls back when its store is open.
public final class ControllerSetup: ViewContextSetup {
  public nonisolated static let info = SetupInfo(
    id: "controller", title: "Data controller",
    summary: "An object owns the container and calls back when it is ready; the view context does it all.",
    chapter: 5, folder: folder, modelName: "DataModel", storeName: DataController.storeName,
    steps: steps(SetupStep(.context, [.symbol("DataController.viewContext", in: controllerFile)])))

  private let controller: DataController
  public let viewContext: NSManagedObjectContext

  public init(folder: URL) async throws {
    let url = folder.appendingPathComponent(Self.info.storeName)
    var made: DataController?
    let outcome = await withCheckedContinuation { called in
      made = DataController(at: url) { called.resume(returning: $0) }
    }
    if case .failure(let failure) = outcome {
      throw SurfacedError(failure, .handler, at: "DataController's completion", cause: failure.underlying)
    }
    guard let made else { preconditionFailure("The continuation runs its body before it waits.") }
    controller = made
    guard let context = controller.viewContext else {
      preconditionFailure("A controller that is ready has a container.")
    }
    viewContext = context
  }

  public func close() async throws { try controller.close() }
}

/// Chapter 5: the same controller behind an `await`.
public final class AwaitedControllerSetup: ViewContextSetup {
  public nonisolated static let info = SetupInfo(
    id: "awaited", title: "Data controller, async",
    summary: "The controller comes back from an await, ready or not at all; the view context does it all.",
    chapter: 5, folder: folder, modelName: "DataModel", storeName: DataController.storeName,
    steps: steps(
      SetupStep(
        .context,
        [.region("async", in: asyncFile), .symbol("DataController.viewContext", in: controllerFile)])))

  private let controller: DataController
  public let viewContext: NSManagedObjectContext

  public init(folder: URL) async throws {
    let url = folder.appendingPathComponent(Self.info.storeName)
    do {
      controller = try await DataController.load(at: url)
    } catch let failure as DataControllerFailure {
      throw SurfacedError(failure, .thrown, at: "DataController.load(at:)", cause: failure.underlying)
    }
    guard let context = controller.viewContext else {
      preconditionFailure("A controller that is ready has a container.")
    }
    viewContext = context
  }

  public func close() async throws { try controller.close() }
}
