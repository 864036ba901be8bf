import Foundation

/// Where a set-up has its store, as another program reads it.
protocol StorePlace {
  func state(rowsBefore: Int?) -> FaultOutcome.FileState

  /// The pages of a book, for the fault in which two writers want to change them.
  func pages(ofBook number: Int) -> Int?
}

/// A SQLite file, read by a connection that has nothing to do with the stack.
struct FilePlace: StorePlace {
  let url: URL

  func state(rowsBefore: Int?) -> FaultOutcome.FileState { FaultOutcome.FileState(at: url, rowsBefore: rowsBefore) }

  func pages(ofBook number: Int) -> Int? { FaultOutcome.FileState.pages(ofBook: number, at: url) }
}
