import CoreData

/// Wrappers that add their own forms of `perform` beside Apple's.
extension NSManagedObjectContext {
  /// Runs a block, saves, and gives what the block made.
  @discardableResult
  func performAndSave<T>(_ block: (NSManagedObjectContext) throws -> T) throws -> T {
    try performAndWait {
      let value = try block(self)
      if hasChanges { try save() }
      return value
    }
  }

  /// A form with a completion, as there was before `async`.
  func perform(_ block: @escaping (NSManagedObjectContext) -> Void, completion: @escaping ((any Error)?) -> Void) {
    perform {
      block(self)
      do {
        try self.save()
        completion(nil)
      } catch {
        completion(error)
      }
    }
  }

  /// The result of a throwing block, for code that predates rethrowing forms.
  func performAndWaitForResult<T>(_ block: () throws -> T) -> Result<T, any Error> {
    var result: Result<T, any Error>?
    performAndWait { result = Result { try block() } }
    return result!
  }
}

/// Takes the method of a context as a value.
func run(_ work: @escaping () -> Void, by scheduler: (@escaping () -> Void) -> Void) { scheduler(work) }
