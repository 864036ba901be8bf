import CoreData

/// Why there is no stack, told to a person.
public enum DataControllerFailure: LocalizedError {
  //> cases
  /// The program was built without its model.
  case modelMissing(name: String)
  /// The file is there and is no store, or cannot be read.
  case storeUnreadable(url: URL, underlying: NSError)
  /// The file is a store, made with another model.
  case modelMismatch(url: URL, underlying: NSError)
  //< cases

  //> sort
  /// Sorts out what `loadPersistentStores` hands over. The codes are Core Data's and
  /// Foundation's.
  init(opening url: URL?, error: any Error) {
    let error = error as NSError
    let url = url ?? URL(fileURLWithPath: "/dev/null")
    switch (error.domain, error.code) {
    case (NSCocoaErrorDomain, NSPersistentStoreIncompatibleVersionHashError),
      (NSCocoaErrorDomain, NSPersistentStoreIncompatibleSchemaError):
      self = .modelMismatch(url: url, underlying: error)
    default:
      self = .storeUnreadable(url: url, underlying: error)
    }
  }
  //< sort

  //> message
  /// One or two sentences: what is wrong, with which file, and what can be done.
  public var message: String {
    switch self {
    case .modelMissing(let name):
      "This program is incomplete: its data model \(name) is missing. Install it anew."
    case .storeUnreadable(let url, let underlying):
      "The data in \(url.path) cannot be read (\(underlying.domain) \(underlying.code)). "
        + "Put back a copy of the file, or move it away to start with an empty one."
    case .modelMismatch(let url, _):
      "The data in \(url.path) was written by another version of this program. "
        + "It has been left as it is; open it with that version."
    }
  }
  //< message

  public var errorDescription: String? { message }

  /// The error that Core Data gave, for a log.
  public var underlying: NSError? {
    switch self {
    case .modelMissing: nil
    case .storeUnreadable(_, let underlying), .modelMismatch(_, let underlying): underlying
    }
  }
}
