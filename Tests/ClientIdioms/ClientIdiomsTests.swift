import CoreData
import Foundation
import Testing

/// Code in the shapes that applications and their libraries have, with `import CoreData` alone.
@Suite("Client idioms")
struct ClientIdiomsTests {
  @Test("A convenience initializer of an extension sets the coordinator, the policy and the name")
  func convenienceInitializer() throws {
    let pantry = try Pantry()
    let context = NSManagedObjectContext(coordinator: pantry.coordinator, type: .privateQueueConcurrencyType)
    #expect(context.persistentStoreCoordinator === pantry.coordinator)
    #expect(context.name == "made in one line")
    #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .mergeByPropertyObjectTrumpMergePolicyType)
    try context.performAndWait {
      context.recipe("Soup")
      try context.save()
      #expect(try Recipe.count(in: context) == 1)
    }
  }

  @Test("A child made by an extension saves through to the file, and hears of its parent's saves")
  func children() throws {
    let pantry = try Pantry()
    let parent = pantry.context()
    let child = parent.makeChild()
    #expect(child.parent === parent)
    #expect(child.automaticallyMergesChangesFromParent)
    child.performAndWait { _ = child.recipe("Bread") }
    try child.saveToDisk()
    #expect(try pantry.names() == ["Bread"])
  }

  @Test("A subclass of a context sets its properties in its initializer, and its overrides are called")
  func subclassedContext() throws {
    let pantry = try Pantry()
    let context = CountingContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = pantry.coordinator
    #expect(context.name == "counting" && context.retainsRegisteredObjects && !context.shouldDeleteInaccessibleFaults)
    #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .rollbackMergePolicyType)
    try context.performAndWait {
      context.delete(context.recipe("Tea"))
      context.recipe("Cake")
      try context.save()
    }
    #expect(context.saves == 1 && context.deletions == 1)
    #expect(try pantry.names() == ["Cake"])
  }

  @Test(
    "A subclass of a container loads its own description, and makes its own background contexts",
    arguments: [true, false])
  func subclassedContainer(inMemory: Bool) throws {
    let pantry = try Pantry(inMemory: inMemory)
    let background = pantry.container.newBackgroundContext()
    #expect(background.transactionAuthor == "background")
    try background.performAndSave { $0.recipe("Stew") }
    #expect(try pantry.names() == ["Stew"])
  }

  @Test("Private primitive accessors hold a transient value, a stamp of the insertion, and a value past its accessor")
  func primitives() throws {
    let pantry = try Pantry()
    let context = pantry.context()
    try context.performAndSave { context in
      let recipe = Recipe(context: context)
      #expect(recipe.cookedAt == Date(timeIntervalSinceReferenceDate: 0))
      #expect(recipe.slug == "untitled")
      recipe.name = "apple pie"
      #expect(recipe.sectionTitle == "A")
      recipe.rename(to: "pear pie")
      #expect(recipe.name == "pear pie")
      #expect(recipe.sectionTitle == "P")
      #expect(recipe.value(forKey: "sectionTitle") as? String == "P")
      let ingredient = Ingredient(context: context)
      recipe.addIngredientsObject(ingredient)
      #expect(recipe.ingredients == [ingredient] && ingredient.recipe === recipe)
      recipe.removeIngredientsObject(ingredient)
      #expect(recipe.ingredients.isEmpty && ingredient.recipe == nil)
    }
    #expect(try pantry.names() == ["pear pie"])
  }

  @Test("A rule in validateForInsert stops the save with the program's own error, and a corrected object is saved")
  func ownRule() throws {
    let pantry = try Pantry()
    let context = pantry.context()
    try context.performAndWait {
      let recipe = context.recipe("", slug: "x")
      #expect(throws: RecipeError.nameless) { try context.save() }
      recipe.name = "Rice"
      try context.save()
    }
    #expect(try pantry.names() == ["Rice"])
  }

  @Test("A dictionary from a server becomes objects by what the model says of each key")
  func importing() throws {
    let pantry = try Pantry()
    let context = pantry.context()
    try context.performAndSave { context in
      let importer = DictionaryImporter(context: context)
      importer.insert(
        [
          "name": "Curry", "slug": "curry", "rating": 4, "servings": "3", "cookedAt": 86_400.0, "unknown": 1,
          "ingredients": [["name": "Rice", "amount": 250], ["name": "Ginger", "amount": "1.5"]],
        ], into: "Recipe")
      let plain = importer.insert(["name": 7, "slug": "7", "servings": NSNull()], into: "Recipe")
      #expect(plain.value(forKey: "name") as? String == "7")
      #expect(plain.value(forKey: "servings") == nil)
    }
    let reader = pantry.context()
    try reader.performAndWait {
      let curry = try #require(try Recipe.first(in: reader, where: "slug == %@", "curry"))
      #expect(curry.rating == 4 && curry.servings == 3 && curry.cookedAt == Date(timeIntervalSince1970: 86_400))
      #expect(
        Dictionary(uniqueKeysWithValues: curry.ingredients.map { ($0.name, $0.amount) }) == [
          "Rice": 250, "Ginger": 1.5,
        ])
    }
  }

  @Test("Generic helpers find, create, count, list values and delete, by the class alone")
  func genericHelpers() throws {
    let pantry = try Pantry()
    let context = pantry.context()
    try context.performAndWait {
      let first = try Recipe.findOrCreate("slug", "pie", in: context) { $0.name = "Pie" }
      #expect(try Recipe.findOrCreate("slug", "pie", in: context) === first)
      try context.save()
      #expect(try Recipe.findOrCreate("slug", "pie", in: context) === first)
      context.recipe("Cake")
      try context.save()
      #expect(try Recipe.all(in: context, sortedBy: "name").map(\.name) == ["Cake", "Pie"])
      #expect(try Recipe.values(of: "name", as: String.self, in: context) == ["Cake", "Pie"])
      #expect(try Recipe.count(in: context, where: NSPredicate(format: "name BEGINSWITH 'P'")) == 1)
      #expect(try Recipe.deleteAll(in: context, where: NSPredicate(format: "name == 'Pie'")) == 1)
      try context.save()
    }
    #expect(try pantry.names() == ["Cake"])
  }

  @Test("Key paths of managed properties make predicates and orders, over relationships too")
  func keyPaths() throws {
    let pantry = try Pantry()
    let context = pantry.context()
    try context.performAndWait {
      for name in ["Soup 10", "soup 2", "Bread"] {
        let ingredient = Ingredient(context: context)
        ingredient.name = "Salt"
        ingredient.recipe = context.recipe(name)
      }
      try context.save()
      let isBread: NSPredicate = \Recipe.name == "Bread"
      #expect(isBread.predicateFormat == "name == \"Bread\"")
      #expect(try Recipe.count(in: context, where: isBread) == 1)
      let slug: KeyPath<Ingredient, String?> = \.recipe?.slug
      #expect(slug.name == "recipe.slug")
      let request = NSFetchRequest<Ingredient>(entityName: "Ingredient")
      request.predicate = slug == "bread"
      #expect(try context.fetch(request).count == 1)
      request.predicate = nil
      request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Ingredient.recipe?.name))]
      #expect(try context.fetch(request).map { $0.recipe?.name } == ["Bread", "soup 2", "Soup 10"])
    }
  }

  @Test("Wrappers that add their own forms of perform, and perform itself as a value")
  func performing() async throws {
    let pantry = try Pantry()
    let context = pantry.context()
    let made = try context.performAndSave { $0.recipe("Jam") }
    #expect(context.performAndWait { !made.objectID.isTemporaryID })
    let failure: (any Error)? = await withCheckedContinuation { continuation in
      context.perform({ $0.recipe("Honey") }, completion: { continuation.resume(returning: $0) })
    }
    #expect(failure == nil)
    let result = context.performAndWaitForResult { try Recipe.count(in: context) }
    #expect(try result.get() == 2)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      run({ continuation.resume() }, by: { context.perform($0) })
    }
    var counted = 0
    run({ counted = (try? Recipe.count(in: context)) ?? -1 }, by: context.performAndWait)
    #expect(counted == 2)
  }

  @Test("A merge policy of a program's own is asked about a constraint, decides, and lets super finish")
  func ownPolicy() throws {
    let pantry = try Pantry()
    try pantry.context().performAndSave { context in
      let old = context.recipe("Old goulash", slug: "goulash")
      old.cookedAt = Date(timeIntervalSinceReferenceDate: 1)
      let paprika = Ingredient(context: context)
      paprika.name = "Paprika"
      paprika.recipe = old
    }
    let context = pantry.context()
    let policy = LatestRecipePolicy()
    context.mergePolicy = policy
    try context.performAndSave { context in
      let new = context.recipe("New goulash", slug: "goulash")
      new.cookedAt = Date(timeIntervalSinceReferenceDate: 2)
      let beef = Ingredient(context: context)
      beef.name = "Beef"
      beef.recipe = new
    }
    #expect(policy.seen == [["slug"]])
    let reader = pantry.context()
    try reader.performAndWait {
      let recipes = try Recipe.all(in: reader)
      #expect(recipes.map(\.name) == ["New goulash"])
      #expect(Set(recipes[0].ingredients.map(\.name)) == ["Beef", "Paprika"])
      #expect(try Ingredient.count(in: reader) == 2)
    }
  }

  @Test("Notifications carry saves into another context, and say how many objects of each kind")
  func relaying() throws {
    let pantry = try Pantry()
    let writer = pantry.context()
    let reader = pantry.context()
    let relay = ChangeRelay(from: writer, to: [reader])
    try writer.performAndSave { $0.recipe("Salad") }
    let salad = try reader.performAndWait { try #require(try Recipe.first(in: reader, where: "name == %@", "Salad")) }
    try writer.performAndSave { try Recipe.first(in: $0, where: "name == %@", "Salad")?.rating = 5 }
    reader.performAndWait {
      #expect(salad.rating == 5)
      #expect(!reader.hasChanges)
    }
    try writer.performAndSave { try Recipe.deleteAll(in: $0) }
    reader.performAndWait { #expect(salad.managedObjectContext == nil || salad.isDeleted) }
    #expect(relay.log.filter { $0.hasPrefix("saved") } == ["saved +1 ~0 -0", "saved +0 ~1 -0", "saved +0 ~0 -1"])
    #expect(relay.log.contains("changed +1"))
    #expect(relay.log.contains { $0.contains("=1") })
  }

  @Test("A migration policy that looks for what earlier mappings made finds it, and makes nothing twice")
  func lookingPolicy() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("idioms-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (old, new) = (CodeModels.recipesWithText(), CodeModels.recipesWithSources())
    let (from, to) = (folder.appendingPathComponent("old.sqlite"), folder.appendingPathComponent("new.sqlite"))
    try CodeModels.open(old, from) { context in
      for (title, source) in [("Soup", "Ada"), ("Stew", "Ada"), ("Cake", "Grace")] {
        for entity in ["Dish", "Dessert"] {
          let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
          object.setValuesForKeys(["title": title, "source": source])
        }
      }
    }
    let mapping = NSMappingModel()
    mapping.entityMappings = ["Dish", "Dessert"].map { CodeModels.mapping(of: $0, old, new) }
    try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
      from: from, type: .sqlite, mapping: mapping, to: to, type: .sqlite)
    try CodeModels.open(new, to) { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Source")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let sources = try context.fetch(request)
      #expect(sources.map { $0.value(forKey: "name") as? String } == ["Ada", "Grace"])
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Dish")) == 3)
      let dishes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Dessert"))
      #expect(dishes.allSatisfy { $0.value(forKey: "from") != nil })
    }
  }
}
