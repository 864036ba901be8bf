import CoreData

/// A way of setting up the stack, seen by a program that wants to read and write.
///
/// Conform to it to compare your own set-up with those of the chapters (`compare --with FILE.swift`). Use your stack as
/// your program does, and add nothing for the comparison. All members are called on the main queue.
///
/// The objects that you store are ``Book``s. The comparison puts their model beside the program under the name in
/// `info.modelName`, so `NSPersistentContainer(name:)` and `Bundle.main.url(forResource:withExtension:)` find it.
///
/// Throw errors as they come. If an error appeared in a property or in a handler instead of being thrown, wrap it in
/// ``SurfacedError``.
@preconcurrency @MainActor
public protocol StackSetup: ComparedSetup {
  /// The main-queue context whose objects the user sees.
  var viewContext: NSManagedObjectContext { get }

  /// Runs `block` in the context in which this set-up writes, and saves. Returns when the changes are in the file.
  func write(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws
}

extension StackSetup {
  public var view: any BookContext { viewContext }

  public func writeBooks(_ block: @escaping @Sendable (any BookContext) throws -> Void) async throws {
    try await write { try block($0) }
  }
}

/// What the comparison needs of any set-up, whatever its contexts are. If yours has managed object contexts, conform to
/// ``StackSetup`` instead.
@preconcurrency @MainActor
public protocol ComparedSetup: AnyObject {
  nonisolated static var info: SetupInfo { get }

  /// Sets up the stack. It returns when the store is open, or throws the reason why it isn't.
  ///
  /// - Parameter folder: the folder for the store's file, which is named `info.storeName` and may already exist.
  init(folder: URL) async throws

  /// The context whose books the user sees, on the main queue.
  var view: any BookContext { get }

  /// Runs `block` where this set-up writes, and saves. Returns when the changes are in the file.
  func writeBooks(_ block: @escaping @Sendable (any BookContext) throws -> Void) async throws

  /// Saves the changes of the view context down to the file.
  func saveView() async throws

  /// Closes the file.
  func close() async throws
}

/// An error, and how the set-up showed it.
public struct SurfacedError: Error {
  public let underlying: any Error
  public let surface: FaultOutcome.Surface
  /// The call, handler or property: `CoreDataStack.loadingFailure`.
  public let place: String
  /// Core Data's error, if `underlying` is the set-up's own and doesn't have it under `NSUnderlyingErrorKey`.
  public let cause: NSError?

  public init(
    _ underlying: any Error, _ surface: FaultOutcome.Surface, at place: String, cause: NSError? = nil
  ) {
    self.cause = cause
    self.underlying = underlying
    self.surface = surface
    self.place = place
  }
}

/// Runs `body`, and reports an error that it throws as thrown by the call `place`.
public func calling<Value>(_ place: String, _ body: () throws -> Value) throws -> Value {
  do { return try body() } catch let error as SurfacedError { throw error } catch {
    throw SurfacedError(error, .thrown, at: place)
  }
}

/// Runs an asynchronous `body`, and reports an error that it throws as thrown by the call `place`.
nonisolated(nonsending) public func calling<Value>(
  _ place: String, _ body: nonisolated(nonsending) () async throws -> Value
) async throws -> Value {
  do { return try await body() } catch let error as SurfacedError { throw error } catch {
    throw SurfacedError(error, .thrown, at: place)
  }
}

/// The reason why there is no comparison, as a sentence for the terminal.
public struct ComparisonFailure: LocalizedError, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  public var errorDescription: String? { description }
}
