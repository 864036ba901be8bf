import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("04 Wrap the error", .serialized)
@MainActor struct WrapTheErrorTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  /// What opening a text file as a store leads to.
  private func failure() throws -> NSError {
    try "This is no store.".write(to: bench.storeURL, atomically: true, encoding: .utf8)
    let error = try #require(
      throws: (any Error).self, "a text file was opened as a store",
      performing: { try openBookshop(model: Bench.model, at: bench.storeURL) })
    if let unfinished = error as? Unfinished { throw unfinished }
    return error as NSError
  }

  @Test("The error is one of the bookshop's, with a description for the user")
  func description() throws {
    let error = try failure()
    #expect(error.domain == bookshopErrorDomain)
    #expect(error.code == 1)
    #expect(error.localizedDescription == "The bookshop could not be opened")
  }

  @Test("The failure reason has the path of the file")
  func reason() throws {
    let error = try failure()
    let reason = error.localizedFailureReason ?? "no reason"
    #expect(reason.contains(bench.storeURL.path))
  }

  @Test("Core Data's own error lies underneath")
  func underlying() throws {
    let error = try failure()
    let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError, "there is no underlying error")
    #expect(underlying.domain == NSCocoaErrorDomain)
    #expect(underlying.code == 259)
  }
}
