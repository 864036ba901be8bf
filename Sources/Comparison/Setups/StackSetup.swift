import CoreData

/// A way of setting up the stack, as far as a program that only wants to read and write has to know it.
///
/// Conform to it to have a set-up of your own compared with those of the chapters (`compare --with FILE.swift`). Use
/// your stack as your program does; add nothing for the comparison's sake. All members are called on the main queue.
///
/// What is stored are ``Book`` objects. The comparison lays their model under the name of `info.modelName` beside the
/// program, so `NSPersistentContainer(name:)` and `Bundle.main.url(forResource:withExtension:)` find it.
///
/// Errors are thrown as they come. To say that one was found in a property or came to a handler, and not from the call,
/// wrap it in ``SurfacedError``.
@preconcurrency @MainActor
public protocol StackSetup: ComparedSetup {
  /// The context that shows its objects to the user, on the main queue.
  var viewContext: NSManagedObjectContext { get }

  /// Runs `block` in the context in which this set-up wants to have something written, and saves it. Returns when it is
  /// in the file.
  func write(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws
}

extension StackSetup {
  public var view: any BookContext { viewContext }

  public func writeBooks(_ block: @escaping @Sendable (any BookContext) throws -> Void) async throws {
    try await write { try block($0) }
  }
}

/// What the comparison asks of any set-up, whatever its contexts are. For one with managed object contexts conform to
/// ``StackSetup``.
@preconcurrency @MainActor
public protocol ComparedSetup: AnyObject {
  nonisolated static var info: SetupInfo { get }

  /// Sets up the stack. When it returns, the store is open; otherwise it throws why it is not.
  ///
  /// - Parameter folder: Where the store's file is, with the name `info.storeName`. It may be there already.
  init(folder: URL) async throws

  /// What shows its books to the user, on the main queue.
  var view: any BookContext { get }

  /// Runs `block` where this set-up wants to have something written, and saves it. Returns when it is in the file.
  func writeBooks(_ block: @escaping @Sendable (any BookContext) throws -> Void) async throws

  /// Saves what was changed in the view context, down to the file.
  func saveView() async throws

  /// Closes the file.
  func close() async throws
}

/// An error, and how it came to light.
public struct SurfacedError: Error {
  public let underlying: any Error
  public let surface: FaultOutcome.Surface
  /// The call, handler or property: `CoreDataStack.loadingFailure`.
  public let place: String
  /// Core Data's own error, where `underlying` is the set-up's and does not lead to it by `NSUnderlyingErrorKey`.
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

/// Runs `body`; an error that it throws is one that the call `place` threw.
public func calling<Value>(_ place: String, _ body: () throws -> Value) throws -> Value {
  do { return try body() } catch let error as SurfacedError { throw error } catch {
    throw SurfacedError(error, .thrown, at: place)
  }
}

/// The same for a call that is waited for.
nonisolated(nonsending) public func calling<Value>(
  _ place: String, _ body: nonisolated(nonsending) () async throws -> Value
) async throws -> Value {
  do { return try await body() } catch let error as SurfacedError { throw error } catch {
    throw SurfacedError(error, .thrown, at: place)
  }
}

/// Why there is no comparison, in a sentence for the person in front of the terminal.
public struct ComparisonFailure: LocalizedError, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  public var errorDescription: String? { description }
}
