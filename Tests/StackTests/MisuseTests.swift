import Testing

@testable import CoreData

/// What ends the program, word for word. Ids are masked.
@Suite("Misuse")
struct MisuseTests {
  /// Compares the report that a program ended with: what stands on standard error between the fatal error and the
  /// backtrace.
  private func expect(
    _ result: ExitTest.Result?, _ expected: String, at location: SourceLocation = #_sourceLocation
  ) throws {
    let words = String(decoding: try #require(result, sourceLocation: location).standardErrorContent, as: UTF8.self)
    let parts = words.components(separatedBy: "Fatal error: ")
    try #require(parts.count == 2, "\(words)", sourceLocation: location)
    let found = parts[1].components(separatedBy: "\nCurrent stack trace:")[0].components(separatedBy: "\n\n*** ")[0]
      .replacingOccurrences(of: "<x-coredata:[^>]*>", with: "<id>", options: .regularExpression)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    // Where the call came from is another suite's matter; these bodies are expanded by a macro.
    let place = found.range(of: "\n  At: +[^\n]+", options: .regularExpression)
    let report = place.map { found.replacingCharacters(in: $0, with: "") } ?? found
    #expect(report == expected, sourceLocation: location)
  }

  /// The report of a use of the context "library" off its private queue.
  private func offQueue(_ call: String) -> String {
    """
    Context "library" was used off its queue.
      Call:  \(call)
      Queue: private queue of "library"; called on a background thread
    Objects belong to the queue of the context that made them. Wrap the call in
    `context.perform { ... }`, or pass `objectID` and fetch the object in your own context.
    """
  }

  // Off the queue.

  @Test("A context's method off its queue")
  func contextCall() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try guarded()
      await elsewhere { _ = try? stack.context.all("Tag") }
    }
    try expect(result, offQueue("NSManagedObjectContext.fetch(_:)"))
  }

  @Test("A context's sets off its queue")
  func contextSets() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try guarded()
      await elsewhere { _ = stack.context.insertedObjects }
    }
    try expect(result, offQueue("NSManagedObjectContext.insertedObjects"))
  }

  @Test("Making an object off the queue")
  func insertion() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try guarded()
      await elsewhere { stack.context.new("Tag") }
    }
    try expect(result, offQueue("NSManagedObjectContext.insert(_:)"))
  }

  @Test("Reading a property off the queue, by key and by a typed accessor")
  func propertyRead() async throws {
    let byKey = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try guarded()
      let tag = stack.context.performAndWait { stack.context.new("Tag") }
      await elsewhere { _ = tag.value(forKey: "name") }
    }
    try expect(byKey, offQueue("NSManagedObject.value(forKey: \"name\") on Tag <id>"))
    let typed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try guarded()
      let tag = stack.context.performAndWait { stack.context.new("Tag") }
      await elsewhere { _ = tag.storedString(ManagedKey("name")) }
    }
    try expect(typed, offQueue("reading \"name\" on Tag <id>"))
  }

  @Test("Writing a property off the queue, by key and by a typed accessor")
  func propertyWrite() async throws {
    let byKey = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try guarded()
      let tag = stack.context.performAndWait { stack.context.new("Tag") }
      await elsewhere { tag.setValue("x", forKey: "name") }
    }
    try expect(byKey, offQueue("NSManagedObject.setValue(_:forKey: \"name\") on Tag <id>"))
    let typed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try guarded()
      let tag = stack.context.performAndWait { stack.context.new("Tag") }
      await elsewhere { tag.storeString("x", ManagedKey("name")) }
    }
    try expect(typed, offQueue("setting \"name\" on Tag <id>"))
  }

  @Test("Reading and changing a relationship off the queue")
  func relationship() async throws {
    let toOne = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try guarded()
      let book = stack.context.performAndWait { stack.context.new("Book") }
      await elsewhere { _ = book.value(forKey: "author") }
    }
    try expect(toOne, offQueue("NSManagedObject.value(forKey: \"author\") on Book <id>"))
    let members = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try guarded()
      let book = stack.context.performAndWait { stack.context.new("Book") }
      let tag = stack.context.performAndWait { stack.context.new("Tag") }
      let tags = stack.context.performAndWait { book.mutableSetValue(forKey: "tags") }
      await elsewhere { tags.add(tag) }
    }
    try expect(members, offQueue("changing \"tags\" on Book <id>"))
  }

  @Test("A main-queue context and its objects on another thread")
  func mainQueue() async throws {
    func words(_ call: String) -> String {
      offQueue(call).replacingOccurrences(of: "private queue of \"library\"", with: "main queue")
    }
    let call = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try guardedMainContext()
      await elsewhere { try? context.save() }
    }
    try expect(call, words("NSManagedObjectContext.save()"))
    let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try guardedMainContext()
      let tag = context.performAndWait { context.new("Tag") }
      await elsewhere { _ = tag.value(forKey: "name") }
    }
    try expect(read, words("NSManagedObject.value(forKey: \"name\") on Tag <id>"))
    let write = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try guardedMainContext()
      let tag = context.performAndWait { context.new("Tag") }
      await elsewhere { tag.setValue("x", forKey: "name") }
    }
    try expect(write, words("NSManagedObject.setValue(_:forKey: \"name\") on Tag <id>"))
    let relationship = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try guardedMainContext()
      let tag = context.performAndWait { context.new("Tag") }
      await elsewhere { _ = tag.mutableSetValue(forKey: "books").count }
    }
    try expect(relationship, words("reading \"books\" on Tag <id>"))
  }

  @Test("A private context's object on the main thread")
  func onTheMainThread() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try guarded()
      let tag = stack.context.performAndWait { stack.context.new("Tag") }
      await MainActor.run { _ = tag.value(forKey: "name") }
    }
    try expect(
      result,
      offQueue("NSManagedObject.value(forKey: \"name\") on Tag <id>")
        .replacingOccurrences(of: "a background thread", with: "the main thread"))
  }

  @Test("Without the trap a use off the queue is reported once for each kind of call, and goes on")
  func reported() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      ConcurrencyGuard.isOn = true
      ConcurrencyGuard.reaction = .report
      let stack = try Stack(.inMemory)
      for _ in 0..<3 { _ = try stack.context.all("Tag") }
      _ = stack.context.hasChanges
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.components(separatedBy: "Call:  NSManagedObjectContext.fetch(_:)").count == 2)
    #expect(words.components(separatedBy: "Call:  NSManagedObjectContext.hasChanges").count == 2)
  }

  @Test("Without the guard a use off the queue is not looked for")
  func unguarded() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      ConcurrencyGuard.isOn = false
      ConcurrencyGuard.reaction = .trap
      _ = try stack.context.all("Tag")
    }
    #expect(try #require(result).standardErrorContent.isEmpty)
  }

  // Objects of other contexts.

  @Test("Establishing a relationship between objects of different contexts")
  func relationshipAcross() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      try stack.context.performAndWait {
        let book = stack.context.new("Book")
        try stack.elsewhere { other throws in book["author"] = other.new("Author") }
      }
    }
    try expect(
      result,
      """
      Illegal attempt to establish a relationship "author" between objects in different contexts.
        Source:      Book <id>
        Destination: Author <id>
      An object belongs to the context that made it; a relationship joins objects of one
      context. Fetch the destination in the source's context: context.object(with:
      destination.objectID).
      """)
  }

  @Test("Deleting another context's object")
  func deletion() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      try stack.context.performAndWait {
        let tag = stack.context.new("Tag")
        try stack.elsewhere { other throws in other.delete(tag) }
      }
    }
    try expect(
      result,
      """
      An NSManagedObjectContext cannot delete objects in other contexts.
        Object:  Tag <id>
        Context: without a name
      The object belongs to another context, or to none since it was deleted and saved. Delete
      it in its own context, or pass `objectID` and delete context.object(with:).
      """)
  }

  @Test("Inserting another context's object")
  func foreignInsertion() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      stack.context.name = "library"
      let other = stack.newContext()
      let tag = other.performAndWait { other.new("Tag") }
      stack.context.performAndWait { stack.context.insert(tag) }
    }
    try expect(
      result,
      """
      An object of another context was inserted into the context "library".
        Object: Tag <id>
      An object stays in the context that made it. Fetch it there: context.object(with:
      other.objectID).
      """)
  }

  // Contexts without what they need.

  @Test("Fetching and saving without a coordinator")
  func withoutCoordinator() async throws {
    let fetching = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = NSManagedObjectContext(.privateQueue)
      context.name = "library"
      try context.performAndWait { _ = try context.all("Tag") }
    }
    try expect(
      fetching,
      "fetch(_:) was called on the context \"library\", which has no coordinator: set "
        + "persistentStoreCoordinator first, or take the context of a container.")
    let saving = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = NSManagedObjectContext(.privateQueue)
      try context.performAndWait { try context.save() }
    }
    try expect(
      saving,
      "save() was called on the context without a name, which has no coordinator: set "
        + "persistentStoreCoordinator first, or take the context of a container.")
  }

  @Test("A second coordinator")
  func secondCoordinator() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (stack, other) = (try Stack(.inMemory), try Stack(.inMemory))
      stack.context.name = "library"
      stack.context.persistentStoreCoordinator = other.coordinator
    }
    try expect(
      result, "The context \"library\" already has a coordinator: objects cannot move between coordinators.")
  }

  @Test("A coordinator of another model than that of the objects which the context has already")
  func otherModel() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (stack, other) = (try Stack(.inMemory), try Stack(.inMemory))
      let context = NSManagedObjectContext(.privateQueue)
      context.performAndWait {
        _ = NSManagedObject(entity: stack.model.entitiesByName["Tag"]!, insertInto: context)
      }
      context.persistentStoreCoordinator = other.coordinator
    }
    try expect(
      result,
      "The context without a name can't get the coordinator of another model: it has objects of its first model.")
  }

  // Values.

  @Test("A key that the entity lacks, read and written")
  func unknownKey() async throws {
    func expected(_ twin: String) -> String {
      """
      The entity Tag has no property "nmae". Did you mean "name"?
        Object:     Tag <id>
        Properties: name, books
      The key is misspelt, or the loaded model is not the version that the code expects. Compare
      the key with the model. For a key that a user types, \(twin)
      """
    }
    let reading = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      stack.context.performAndWait { _ = stack.context.new("Tag").value(forKey: "nmae") }
    }
    try expect(reading, expected("value(checkedForKey:) throws instead."))
    let writing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      stack.context.performAndWait { stack.context.new("Tag").setValue(1, forKey: "nmae") }
    }
    try expect(writing, expected("setValue(_:checkedForKey:) throws\ninstead."))
  }

  @Test("A value that the attribute, or the relationship, does not take")
  func unacceptableValue() async throws {
    let attribute = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      stack.context.performAndWait { stack.context.new("Author").setValue(5, forKey: "name") }
    }
    try expect(
      attribute,
      """
      Unacceptable type of value for attribute: property = "name"; entity = Author; desired type = NSString; \
      given type = Int; value = 5.
      Values are checked against the model when they are set. Convert the value first;
      setValue(_:checkedForKey:) throws instead.
      """)
    let destination = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      stack.context.performAndWait { stack.context.new("Book").setValue(stack.context.new("Tag"), forKey: "author") }
    }
    try expect(
      destination,
      """
      Unacceptable type of value for to-one relationship: property = "author"; entity = Book; \
      desired entity = Author; given entity = Tag.
        Source:      Book <id>
        Destination: Tag <id>
      The model says which entity a relationship leads to. Pass an object of that entity.
      """)
  }
}

/// A stack whose context is named, with a guard that traps.
private func guarded() throws -> Stack {
  let stack = try Stack(.inMemory)
  stack.context.name = "library"
  ConcurrencyGuard.isOn = true
  ConcurrencyGuard.reaction = .trap
  return stack
}

private func guardedMainContext() throws -> NSManagedObjectContext {
  let context = NSManagedObjectContext(.mainQueue)
  context.persistentStoreCoordinator = try guarded().coordinator
  context.name = "library"
  return context
}

/// Runs a body on a thread that is neither the main one nor owns a context's queue.
private func elsewhere(_ body: @escaping () -> Void) async {
  await withCheckedContinuation { continuation in
    Thread {
      body()
      continuation.resume()
    }.start()
  }
}
