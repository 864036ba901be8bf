import CoreData
import Testing

/// Every merge policy in every kind of conflict. A book is described as "title pages isbn author tags".
@Suite("Merge policies, case by case")
struct MergePolicyTests {
  private static let policies: [NSMergePolicy] = [
    .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  ]

  typealias Change = (NSManagedObjectContext, Objects) -> Void

  struct Objects {
    var book: NSManagedObject
    var authors: [NSManagedObject]
    var tags: [NSManagedObject]
  }

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let mine: Change
    let theirs: Change
    /// What the store has afterwards under each policy, in the order above.
    let stored: [[String]]
    var code = NSManagedObjectMergeError
  }

  /// The book is "A 1 1 X [base]"; there are authors X, Y, Z and tags base, mine, theirs.
  nonisolated(unsafe) static let cases: [Case] = [
    Case(
      testDescription: "the same property",
      mine: { $1.book["title"] = "mine" }, theirs: { $1.book["title"] = "theirs" },
      stored: [
        ["theirs 1 1 X [base]"], ["theirs 1 1 X [base]"], ["mine 1 1 X [base]"], ["mine 1 1 X [base]"],
        ["theirs 1 1 X [base]"],
      ]),
    Case(
      testDescription: "different properties",
      mine: { $1.book["title"] = "mine" }, theirs: { $1.book["pages"] = 2 },
      stored: [
        ["A 2 1 X [base]"], ["mine 2 1 X [base]"], ["mine 2 1 X [base]"], ["mine 1 1 X [base]"],
        ["A 2 1 X [base]"],
      ]),
    Case(
      testDescription: "changed here, deleted there",
      mine: { $1.book["title"] = "mine" }, theirs: { $0.delete($1.book) },
      stored: [[], [], ["mine 1 1 X []"], ["mine 1 1 X []"], []]),
    Case(
      testDescription: "deleted here, changed there",
      mine: { $0.delete($1.book) }, theirs: { $1.book["title"] = "theirs" },
      stored: [["theirs 1 1 X [base]"], ["theirs 1 1 X [base]"], [], [], ["theirs 1 1 X [base]"]]),
    Case(
      testDescription: "deleted on both sides",
      mine: { $0.delete($1.book) }, theirs: { $0.delete($1.book) }, stored: [[], [], [], [], []]),
    Case(
      testDescription: "a to-one relationship on both sides",
      mine: { $1.book["author"] = $1.authors[1] }, theirs: { $1.book["author"] = $1.authors[2] },
      stored: [
        ["A 1 1 Z [base]"], ["A 1 1 Z [base]"], ["A 1 1 Y [base]"], ["A 1 1 Y [base]"], ["A 1 1 Z [base]"],
      ]),
    // No snapshot has to-many relationships: what came and went on either side comes and goes.
    Case(
      testDescription: "a to-many relationship on both sides",
      mine: { $1.book.mutableSetValue(forKey: "tags").add($1.tags[1]) },
      theirs: { $1.book.mutableSetValue(forKey: "tags").add($1.tags[2]) },
      stored: [
        ["A 1 1 X [base,theirs]"], ["A 1 1 X [base,mine,theirs]"], ["A 1 1 X [base,mine,theirs]"],
        ["A 1 1 X [base,mine,theirs]"], ["A 1 1 X [base,theirs]"],
      ]),
    Case(
      testDescription: "a to-many relationship: removed here, something else there",
      mine: { $1.book.mutableSetValue(forKey: "tags").remove($1.tags[0]) }, theirs: { $1.book["title"] = "theirs" },
      stored: [
        ["theirs 1 1 X [base]"], ["theirs 1 1 X []"], ["theirs 1 1 X []"], ["A 1 1 X []"], ["theirs 1 1 X [base]"],
      ]),
    // All values of the new object win, those it never set included.
    Case(
      testDescription: "a new object with a stored one's value",
      mine: { context, _ in context.new("Book", ["isbn": "1", "title": "new"]) }, theirs: { _, _ in },
      stored: [
        ["A 1 1 X [base]"], ["A 1 1 X [base]"], ["new 0 1 - [base]"], ["new 0 1 - [base]"], ["A 1 1 X [base]"],
      ], code: NSManagedObjectConstraintMergeError),
    Case(
      testDescription: "new objects with one value on both sides",
      mine: { context, objects in
        context.new(
          "Book", ["isbn": "2", "title": "mine", "tags": Set([objects.tags[1]]), "author": objects.authors[1]])
      },
      theirs: { context, objects in context.new("Book", ["isbn": "2", "title": "theirs", "author": objects.authors[2]])
      },
      stored: [
        ["A 1 1 X [base]", "theirs 0 2 Z []"], ["A 1 1 X [base]", "theirs 0 2 Z []"],
        ["A 1 1 X [base]", "mine 0 2 Y [mine]"], ["A 1 1 X [base]", "mine 0 2 Y [mine]"],
        ["A 1 1 X [base]", "theirs 0 2 Z []"],
      ], code: NSManagedObjectConstraintMergeError),
    // If neither object has a row yet, the first one stays.
    Case(
      testDescription: "two new objects with one value here",
      mine: { context, _ in for title in ["first", "second"] { context.new("Book", ["isbn": "2", "title": title]) } },
      theirs: { _, _ in },
      stored: [
        ["A 1 1 X [base]"], ["A 1 1 X [base]", "first 0 2 - []"], ["A 1 1 X [base]", "first 0 2 - []"],
        ["A 1 1 X [base]", "first 0 2 - []"], ["A 1 1 X [base]", "first 0 2 - []"],
      ], code: NSManagedObjectConstraintMergeError),
    Case(
      testDescription: "a version and a constraint at once",
      mine: { context, objects in
        objects.book["title"] = "mine"
        context.new("Book", ["isbn": "1", "title": "new"])
      }, theirs: { $1.book["title"] = "theirs" },
      stored: [
        ["theirs 1 1 X [base]"], ["theirs 1 1 X [base]"], ["new 0 1 - [base]"], ["new 0 1 - [base]"],
        ["theirs 1 1 X [base]"],
      ]),
  ]

  private func describe(_ context: NSManagedObjectContext) throws -> [String] {
    try context.all("Book").map { book in
      let tags = book.objects("tags").map { $0.string("name")! }.sorted().joined(separator: ",")
      return "\(book.string("title")!) \(book.int("pages")!) \(book.string("isbn")!) "
        + "\(book.object("author")?.string("name") ?? "-") [\(tags)]"
    }.sorted()
  }

  @Test("Each policy settles each kind of conflict", arguments: StoreKind.allCases, cases)
  func settle(_ kind: StoreKind, _ conflict: Case) throws {
    for (index, policy) in MergePolicyTests.policies.enumerated() {
      let model = library()
      model.entitiesByName["Book"]!.uniquenessConstraints = [["isbn"]]
      try withStack(kind, model) { stack, context in
        let objects = Objects(
          book: context.new("Book", ["title": "A", "pages": 1, "isbn": "1"]),
          authors: ["X", "Y", "Z"].map { context.new("Author", ["name": $0]) },
          tags: ["base", "mine", "theirs"].map { context.new("Tag", ["name": $0]) })
        objects.book["author"] = objects.authors[0]
        objects.book["tags"] = Set([objects.tags[0]])
        try context.save()
        for object in [objects.book] + objects.authors + objects.tags { object.read() }
        #expect(objects.book.objects("tags").count == 1 && objects.authors[0].objects("books").count == 1)
        try stack.elsewhere { other in
          let same = Objects(
            book: other.same(objects.book), authors: objects.authors.map(other.same), tags: objects.tags.map(other.same)
          )
          conflict.theirs(other, same)
          try other.save()
        }
        conflict.mine(context, objects)
        context.processPendingChanges()
        context.mergePolicy = policy
        let name = "\(policy.mergeType)"
        if policy === NSMergePolicy.error {
          for _ in 0..<2 {
            let before = (context.insertedObjects, context.updatedObjects, context.deletedObjects)
            let error = failure { try context.save() }
            #expect(error?.code == conflict.code, "\(name)")
            #expect((error?.userInfo["conflictList"] as? [Any])?.isEmpty == false)
            #expect(before == (context.insertedObjects, context.updatedObjects, context.deletedObjects))
            #expect(context.insertedObjects.allSatisfy { $0.objectID.isTemporaryID })
          }
        } else {
          try context.save()
          #expect(!context.hasChanges, "\(name)")
          #expect(try describe(context) == conflict.stored[index], "\(name), in the context")
        }
        let stored = try stack.elsewhere { try describe($0) }
        #expect(stored == conflict.stored[index], "\(name)")
      }
    }
  }
}
