import CoreData
import Testing

@Suite("Delete rules")
struct DeleteRuleTests {
  enum Shape: CaseIterable { case toOne, toMany, ordered, manyToMany, oneToOne }

  /// Owner.targets (with the rule) and Target.owners, of every shape. `targets` and `owners` are the same names
  /// whether they lead to one or many.
  private func shaped(_ shape: Shape, _ rule: NSDeleteRule) -> NSManagedObjectModel {
    let (owner, target) = (entity("Owner", [attribute("name")]), entity("Target", [attribute("name")]))
    let there: Count = shape == .toOne || shape == .oneToOne ? .one : shape == .ordered ? .ordered : .many
    let back: Count = shape == .toOne || shape == .manyToMany ? .many : .one
    join(relate(owner, "targets", there, to: target, rule: rule), relate(target, "owners", back, to: owner))
    return model([owner, target])
  }

  private func targets(_ owner: NSManagedObject) -> Set<NSManagedObject> {
    owner.object("targets").map { [$0] } ?? owner.objects("targets")
  }

  private func owners(_ target: NSManagedObject) -> Set<NSManagedObject> {
    target.object("owners").map { [$0] } ?? target.objects("owners")
  }

  /// An owner with targets, saved and forgotten.
  private func prepare(_ stack: Stack, _ shape: Shape) throws -> (
    owner: NSManagedObject, targets: [NSManagedObject]
  ) {
    let context = stack.context
    let owner = context.new("Owner")
    let targets = (0..<(shape == .toOne || shape == .oneToOne ? 1 : 3)).map {
      context.new("Target", ["name": "\($0)"])
    }
    switch shape {
    case .toOne, .oneToOne: owner["targets"] = targets[0]
    case .ordered: owner["targets"] = NSOrderedSet(array: targets)
    case .toMany, .manyToMany: owner["targets"] = Set(targets)
    }
    try context.save()
    context.refreshAllObjects()
    return (owner, targets)
  }

  @Test("A cascade's object may save while it is prepared for its deletion", arguments: StoreKind.allCases)
  func savingCascade(_ kind: StoreKind) throws {
    let (owner, target) = (entity("Owner"), entity("Target", class: SavingTarget.self))
    join(
      relate(owner, "targets", .many, to: target, rule: .cascadeDeleteRule), relate(target, "owner", .one, to: owner))
    try withStack(kind, model([owner, target])) { stack, context in
      let owner = context.new("Owner")
      context.new("Target", ["owner": owner])
      try context.save()
      context.delete(owner)
      context.processPendingChanges()
      try context.save()
      #expect(try stack.elsewhere { try $0.all("Owner").isEmpty && $0.all("Target").isEmpty })
    }
  }

  @Test("Nullify: the destinations stay, and lead nowhere", arguments: StoreKind.withCustom, Shape.allCases)
  func nullify(_ kind: StoreKind, _ shape: Shape) throws {
    try withStack(kind, shaped(shape, .nullifyDeleteRule)) { stack, context in
      let (owner, targets) = try prepare(stack, shape)
      context.delete(owner)
      context.processPendingChanges()
      #expect(context.deletedObjects == [owner])
      #expect(targets.allSatisfy { owners($0).isEmpty })
      #expect(targets.allSatisfy { $0.isUpdated })
      try context.save()
      try stack.elsewhere { other throws in
        #expect(try other.all("Owner").isEmpty)
        #expect(try other.all("Target").count == targets.count)
        #expect(try other.all("Target").allSatisfy { owners($0).isEmpty })
      }
    }
  }

  @Test("Cascade: the destinations go too", arguments: StoreKind.withCustom, Shape.allCases)
  func cascade(_ kind: StoreKind, _ shape: Shape) throws {
    try withStack(kind, shaped(shape, .cascadeDeleteRule)) { stack, context in
      let (owner, targets) = try prepare(stack, shape)
      context.delete(owner)
      context.processPendingChanges()
      #expect(context.deletedObjects == Set(targets + [owner]))
      try context.save()
      try stack.elsewhere { other throws in
        #expect(try other.all("Owner").isEmpty)
        #expect(try other.all("Target").isEmpty)
      }
    }
  }

  @Test(
    "Deny: the save fails with 1600 and nothing is changed, until the destinations are gone as well",
    arguments: StoreKind.withCustom, Shape.allCases)
  func deny(_ kind: StoreKind, _ shape: Shape) throws {
    try withStack(kind, shaped(shape, .denyDeleteRule)) { stack, context in
      let (owner, targets) = try prepare(stack, shape)
      context.delete(owner)
      for _ in 0..<2 {
        let error = try #require(failure { try context.save() })
        #expect(error.code == NSValidationRelationshipDeniedDeleteError)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "targets")
        #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === owner)
        #expect(error.userInfo["NSValidationErrorShouldAttemptRecoveryKey"] as? Bool == true)
      }
      #expect(context.deletedObjects == [owner])
      #expect(targets.allSatisfy { owners($0) == [owner] })
      try stack.elsewhere { other throws in #expect(try other.all("Owner").count == 1) }
      targets.forEach(context.delete)
      try context.save()
      #expect(try context.all("Owner").isEmpty)
      #expect(try context.all("Target").isEmpty)
    }
  }

  @Test("Deny without destinations denies nothing", arguments: StoreKind.withCustom, Shape.allCases)
  func denyNothing(_ kind: StoreKind, _ shape: Shape) throws {
    try withStack(kind, shaped(shape, .denyDeleteRule)) { _, context in
      let owner = context.new("Owner")
      try context.save()
      context.delete(owner)
      try context.save()
      #expect(try context.all("Owner").isEmpty)
    }
  }

  @Test("No action: the destinations are not touched", arguments: StoreKind.withCustom, Shape.allCases)
  func noAction(_ kind: StoreKind, _ shape: Shape) throws {
    try withStack(kind, shaped(shape, .noActionDeleteRule)) { stack, context in
      let (owner, targets) = try prepare(stack, shape)
      context.delete(owner)
      context.processPendingChanges()
      #expect(targets.allSatisfy { !$0.hasChanges })
      try context.save()
      #expect(try context.all("Target").count == targets.count)
      #expect(try context.all("Owner").isEmpty)
    }
  }

  @Test(
    "A cascade goes on over several levels, and a circle of cascades comes to an end",
    arguments: StoreKind.withCustom)
  func circle(_ kind: StoreKind) throws {
    let (a, b) = (entity("A", [attribute("name")]), entity("B", [attribute("name")]))
    join(
      relate(a, "bs", .many, to: b, rule: .cascadeDeleteRule),
      relate(b, "as", .many, to: a, rule: .cascadeDeleteRule))
    try withStack(kind, model([a, b])) { _, context in
      let all = (0..<4).map { context.new("A", ["name": "\($0)"]) }
      let bs = (0..<4).map { context.new("B", ["name": "\($0)"]) }
      for index in 0..<4 { all[index]["bs"] = Set([bs[index], bs[(index + 1) % 4]]) }
      try context.save()
      context.refreshAllObjects()
      context.delete(all[2])
      try context.save()
      #expect(try context.all("A").isEmpty)
      #expect(try context.all("B").isEmpty)
    }
  }

  @Test(
    "A library: an author's books go with their chapters; tags stay, without them",
    arguments: StoreKind.withCustom)
  func library(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author")
      let tag = context.new("Tag")
      for _ in 0..<2 {
        let book = context.new("Book", ["author": author, "tags": Set([tag])])
        context.new("Chapter", ["book": book])
      }
      let kept = context.new("Book", ["tags": Set([tag])])
      try context.save()
      context.reset()
      context.delete(try context.only("Author"))
      try context.save()
      try stack.elsewhere { other throws in
        #expect(try other.all("Chapter").isEmpty)
        #expect(try other.only("Tag").objects("books") == [try other.only("Book")])
        _ = kept
      }
    }
  }

  @Test(
    "prepareForDeletion is called once, while the relationships still stand, for cascades too",
    arguments: StoreKind.withCustom)
  func prepareForDeletion(_ kind: StoreKind) throws {
    let (owner, part) = (
      entity("Owner", [attribute("name")]), entity("Part", [attribute("name")], class: Preparing.self)
    )
    join(
      relate(owner, "parts", .many, to: part, rule: .cascadeDeleteRule),
      relate(part, "owner", .one, to: owner))
    try withStack(kind, model([owner, part])) { _, context in
      let owner = context.new("Owner", ["name": "o"])
      let part = context.new("Part", ["owner": owner]) as! Preparing
      try context.save()
      context.delete(owner)
      try context.save()
      #expect(part.log == ["o"])
    }
  }

  @Test(
    "An object that prepares for its deletion is marked by then, so the last of several can take their owner along",
    arguments: StoreKind.withCustom, [false, true])
  func lastOne(_ kind: StoreKind, isSaved: Bool) throws {
    let (owner, part) = (entity("Owner"), entity("Part", class: LastOne.self))
    join(relate(owner, "parts", .many, to: part), relate(part, "owner", .one, to: owner))
    try withStack(kind, model([owner, part])) { stack, context in
      let owner = context.new("Owner")
      let parts = (0..<2).map { _ in context.new("Part", ["owner": owner]) }
      if isSaved { try context.save() }
      context.delete(parts[0])
      #expect(!owner.isDeleted)
      context.delete(parts[1])
      #expect(owner.isDeleted)
      try context.save()
      try stack.elsewhere { other throws in #expect(try other.all("Owner").isEmpty && other.all("Part").isEmpty) }
    }
  }

  @Test(
    "Two objects that delete each other when they prepare are prepared once each", arguments: StoreKind.withCustom,
    [false, true])
  func mutual(_ kind: StoreKind, byCascade: Bool) throws {
    let (owner, part) = (entity("Owner"), entity("Part", class: Mutual.self))
    relate(owner, "part", .one, to: part, rule: .cascadeDeleteRule)
    relate(part, "other", .one, to: part)
    try withStack(kind, model([owner, part])) { stack, context in
      let parts = (0..<2).map { _ in context.new("Part") as! Mutual }
      (parts[0]["other"], parts[1]["other"]) = (parts[1], parts[0])
      let owner = context.new("Owner", ["part": parts[0]])
      try context.save()
      context.delete(byCascade ? owner : parts[0])
      context.processPendingChanges()
      #expect(parts.map(\.count) == [1, 1] && parts.allSatisfy { $0.isDeleted })
      try context.save()
      try stack.elsewhere { other throws in #expect(try other.all("Part").isEmpty) }
    }
  }

  @Test(
    "The relationships still stand after a fetch in prepareForDeletion, of new objects as of saved ones",
    arguments: StoreKind.withCustom, [false, true])
  func fetchWhilePreparing(_ kind: StoreKind, isSaved: Bool) throws {
    let (owner, part) = (entity("Owner", [attribute("name")]), entity("Part", [attribute("name")], class: Asking.self))
    join(
      relate(owner, "parts", .many, to: part),
      relate(part, "owner", .one, to: owner, rule: .cascadeDeleteRule))
    try withStack(kind, model([owner, part])) { stack, context in
      let owner = context.new("Owner", ["name": "o"])
      let part = context.new("Part", ["owner": owner]) as! Asking
      if isSaved { try context.save() }
      context.delete(part)
      #expect(part.log == ["0 parts, owner o"] && !owner.isDeleted)
      context.processPendingChanges()
      #expect(isSaved ? owner.isDeleted && part.isDeleted : !owner.isInserted && part.managedObjectContext == nil)
      try context.save()
      try stack.elsewhere { other throws in #expect(try other.all("Owner").isEmpty && other.all("Part").isEmpty) }
    }
  }

  @Test(
    "The relationships still stand after a fetch in prepareForDeletion where a save's own methods delete",
    arguments: StoreKind.withCustom, [false, true])
  func fetchWhilePreparingInSave(_ kind: StoreKind, isSaved: Bool) throws {
    for moment in [Sweeping.Moment.willSave, .validation] {
      let owner = entity("Owner", [attribute("name")], class: Sweeping.self)
      let part = entity("Part", [attribute("name")], class: Asking.self)
      join(relate(owner, "parts", .many, to: part), relate(part, "owner", .one, to: owner))
      try withStack(kind, model([owner, part])) { stack, context in
        let owner = context.new("Owner", ["name": "o"]) as! Sweeping
        try context.save()
        let part = context.new("Part", ["owner": owner]) as! Asking
        if isSaved { try context.save() }
        owner["name"] = "p"
        owner.moment = moment
        try context.save()
        #expect(part.log == ["0 parts, owner p"] && owner.objects("parts").isEmpty)
        #expect(part.managedObjectContext == nil)
        try stack.elsewhere { other throws in
          #expect(try other.all("Part").isEmpty && other.only("Owner").objects("parts").isEmpty)
        }
      }
    }
  }

  @Test(
    "An object that is deleted again in a later event follows its rules again", arguments: StoreKind.withCustom)
  func deletedAgain(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let authors = (0..<2).map { _ in context.new("Author") }
      let books = authors.map { context.new("Book", ["author": $0]) }
      try context.save()
      for author in authors {
        context.delete(author)
        context.processPendingChanges()
      }
      #expect(books.allSatisfy { $0.isDeleted })
      context.insert(authors[0])
      context.insert(books[0])
      books[0]["author"] = authors[0]
      context.processPendingChanges()
      #expect(!books[0].isDeleted)
      context.delete(authors[0])
      context.processPendingChanges()
      #expect(books[0].isDeleted)
      try context.save()
      try stack.elsewhere { other throws in #expect(try other.all("Book").isEmpty && other.all("Author").isEmpty) }
    }
  }

  @Test("Without propagatesDeletesAtEndOfEvent the rules wait for the save", arguments: StoreKind.withCustom)
  func atSave(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book", ["author": context.new("Author")])
      try context.save()
      context.propagatesDeletesAtEndOfEvent = false
      context.delete(try context.only("Author"))
      context.processPendingChanges()
      #expect(!book.isDeleted)
      try context.save()
      #expect(try context.all("Book").isEmpty)
    }
  }

  @Test("A deleted object that is inserted again stays", arguments: StoreKind.withCustom)
  func reinsert(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let tag = context.new("Tag", ["name": "a"])
      try context.save()
      context.delete(tag)
      context.insert(tag)
      #expect(!tag.isDeleted)
      try context.save()
      #expect(try context.only("Tag") === tag)
      let new = context.new("Tag", ["name": "b"])
      context.delete(new)
      context.insert(new)
      try context.save()
      try stack.elsewhere { other throws in #expect(try other.strings("Tag", "name") == ["a", "b"]) }
    }
  }

  @Test(
    "An object that is inserted again after its delete rules were applied is related as before, to those that stay",
    arguments: StoreKind.allCases)
  func reinsertedAfterRules(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (author, tag, passport) = (context.new("Author"), context.new("Tag"), context.new("Passport"))
      author["passport"] = passport
      let book = context.new("Book", ["author": author, "tags": Set([tag])])
      let chapters = (0..<3).map { context.new("Chapter", ["title": "\($0)", "book": book]) }
      try context.save()
      context.delete(book)
      context.processPendingChanges()
      #expect(author.objects("books").isEmpty && tag.objects("books").isEmpty && chapters[0].isDeleted)
      context.insert(book)
      #expect(book.object("author") === author && author.objects("books") == [book])
      #expect(book.objects("tags") == [tag] && tag.objects("books") == [book])
      // They were deleted by a cascade, and still are.
      #expect(book.list("chapters").isEmpty && chapters[0].object("book") == nil)
      context.delete(author)
      context.processPendingChanges()
      let holder = context.new("Author", ["passport": passport])
      context.insert(author)
      #expect(author.object("passport") == nil && passport.object("holder") === holder)
      #expect(author.objects("books").isEmpty && book.isDeleted)
      context.insert(book)
      book["author"] = holder
      try context.save()
      try stack.elsewhere { other throws in
        let (found, stored) = (try other.only("Book"), try other.only("Passport").object("holder"))
        #expect(found.objects("tags").count == 1 && found.object("author") === stored)
        #expect(try other.all("Author").count == 2 && other.all("Chapter").isEmpty)
      }
    }
  }

  @Test("Deleting an object of another context is a misuse")
  func foreign() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      try stack.context.performAndWait {
        let tag = stack.context.new("Tag")
        try stack.elsewhere { other throws in other.delete(tag) }
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("An NSManagedObjectContext cannot delete objects in other contexts."))
  }
}

final class Preparing: NSManagedObject {
  var log: [String] = []
  override func prepareForDeletion() {
    log.append((value(forKeyPath: "owner.name") as? String) ?? "no owner")
  }
}

/// Deletes its owner if no other part is left.
final class LastOne: NSManagedObject {
  override func prepareForDeletion() {
    guard let owner = object("owner"), owner.objects("parts").allSatisfy(\.isDeleted) else { return }
    managedObjectContext?.delete(owner)
  }
}

final class Mutual: NSManagedObject {
  nonisolated(unsafe) var count = 0
  override func prepareForDeletion() {
    count += 1
    if let other = object("other") { managedObjectContext?.delete(other) }
  }
}

/// Fetches when it prepares.
final class Asking: NSManagedObject {
  nonisolated(unsafe) var log: [String] = []
  override func prepareForDeletion() {
    let parts = try? managedObjectContext?.all("Part").count
    log.append("\(parts ?? -1) parts, owner \((value(forKeyPath: "owner.name") as? String) ?? "gone")")
  }
}

/// Deletes its parts in a save.
final class Sweeping: NSManagedObject {
  enum Moment { case willSave, validation }
  nonisolated(unsafe) var moment: Moment?
  override func willSave() { if moment == .willSave { sweep() } }
  override func validateForUpdate() throws {
    if moment == .validation { sweep() }
    try super.validateForUpdate()
  }
  private func sweep() {
    for part in objects("parts") where !part.isDeleted { managedObjectContext?.delete(part) }
  }
}

final class SavingTarget: NSManagedObject {
  override func prepareForDeletion() {
    super.prepareForDeletion()
    try? managedObjectContext?.save()
  }
}
