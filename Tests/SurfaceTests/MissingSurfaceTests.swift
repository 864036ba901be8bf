import CoreData
import Testing

/// What is not there says so: nothing pretends.
@Suite("What is missing says so")
struct MissingSurfaceTests {
  @Test(
    "A store is not opened with an option that asks for what is missing",
    arguments: [
      NSPersistentStoreDeferredLightweightMigrationOptionKey,
    ])
  func options(_ key: String) {
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    description.setOption(true as NSNumber, forKey: key)
    var failure: (any Error)?
    _ = DataController(description) { outcome in
      if case .failure(let error) = outcome { failure = error }
    }
    #expect(failure?.localizedDescription.hasSuffix("is not implemented.") == true)
    description.setOption(false as NSNumber, forKey: key)
    failure = nil
    _ = DataController(description) { outcome in
      if case .failure(let error) = outcome { failure = error }
    }
    #expect(failure == nil)
  }
}
