import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import MakingAModelChapter
import StoreFileReader

@main
struct MakingAModelProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "MakingAModel", abstract: "A tea shop, whose model has one of everything.")

  @OptionGroup var store: StoreOptions

  static func main() { ChapterProgram.run(Self.self) }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "MakingAModel", stores: [TeaShopStack.storeName])
    let stack = try TeaShopStack(folder: folder)
    guard try stack.context.count(for: NSFetchRequest<Item>(entityName: "Item")) == 0 else {
      throw ChapterFailure("An earlier run has filled this store. Start over with --fresh.")
    }
    showDefaults(stack)
    try fill(stack)
    try showValues(stack)
    try showLimits(stack)
    try showRequests(stack)
    let file = folder.appendingPathComponent(TeaShopStack.storeName)
    try stack.close()
    try showColumns(file)
    try showModelInCode()
  }

  @MainActor private func showDefaults(_ stack: TeaShopStack) {
    Output.heading("A new tea")
    let tea = Tea(context: stack.context)
    Output.line("grams \(tea.grams), celsius \(tea.celsius), strength \(tea.strength)")
    Output.line("price \(tea.price ?? 0), organic \(tea.isOrganic), name \(tea.name ?? "nil")")
    stack.context.delete(tea)
  }

  @MainActor private func fill(_ stack: TeaShopStack) throws {
    let supplier = Supplier(context: stack.context)
    supplier.name = "Ilam Hills"
    let tea = stack.tea("GR-001", "Crème verte")
    tea.barcode = 4_006_381_333_931
    tea.isOrganic = true
    tea.isSelected = true
    tea.label = UUID(uuidString: "AA000000-0000-4000-8000-000000000001")
    tea.notes = ["grass", "almond"]
    tea.origin = ["country": "Nepal", "height": 1600]
    tea.page = URL(string: "urn:tea:1")
    tea.photo = Data([0xFF, 0xD8])
    tea.picked = Date(timeIntervalSinceReferenceDate: 0)
    tea.price = NSDecimalNumber(string: "12.40")
    tea.supplier = supplier
    let black = stack.tea("BL-002", "Breakfast")
    black.supplier = supplier
    try stack.context.save()
    stack.context.reset()
  }

  @MainActor private func showValues(_ stack: TeaShopStack) throws {
    Output.heading("Read back")
    let request = NSFetchRequest<Tea>(entityName: "Tea")
    request.predicate = NSPredicate(format: "code == 'GR-001'")
    guard let tea = try stack.context.fetch(request).first else { return }
    let attributes = tea.entity.attributesByName.sorted { $0.key < $1.key }
    Output.table(
      attributes.map { name, attribute in
        [name, typeName(attribute), words(tea.value(forKey: name))]
      })
    Output.line(tea.supplier?.greeting ?? "no supplier")
  }

  private func typeName(_ attribute: NSAttributeDescription) -> String {
    let type = "\(attribute.attributeType)".replacingOccurrences(of: "AttributeType", with: "")
    return (attribute.isTransient ? "transient " : "")
      + (attribute is NSDerivedAttributeDescription ? "derived " : "")
      + type
  }

  private func words(_ value: Any?) -> String {
    switch value {
    case nil: "nil"
    case let date as Date: ISO8601DateFormatter().string(from: date)
    case let data as Data: "\(data.count) bytes"
    case let list as [String]: "\(list)"
    case let values as [String: Any]:
      values.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    case let value?: "\(value)"
    }
  }

  //> limits
  /// What a save says of each mistake, alone in its context.
  @MainActor private func showLimits(_ stack: TeaShopStack) throws {
    Output.heading("What a save refuses")
    try refused("no name", stack) { $0.tea("XX-003", "").name = nil }
    try refused("a name of one letter", stack) { _ = $0.tea("XX-003", "T") }
    try refused("celsius 120", stack) { $0.tea("XX-003", "Boiling").celsius = 120 }
    try refused("the code tea-3", stack) { _ = $0.tea("tea-3", "Odd") }
    try refused("the code GR-001 again", stack) { _ = $0.tea("GR-001", "Twin") }
    try refused("a menu without teas", stack) { Menu(context: $0.context).title = "Empty" }
    try refused("a menu of four", stack) { stack in
      let menu = Menu(context: stack.context)
      menu.title = "Long"
      menu.teas = NSOrderedSet(array: (0..<4).map { stack.tea("ME-00\($0)", "Tea \($0)") })
    }
    try refused("a supplier with teas, deleted", stack) { stack in
      let suppliers = NSFetchRequest<Supplier>(entityName: "Supplier")
      for supplier in try stack.context.fetch(suppliers) { stack.context.delete(supplier) }
    }
  }
  //< limits

  @MainActor private func refused(
    _ what: String, _ stack: TeaShopStack, _ mistake: (TeaShopStack) throws -> Void
  ) throws {
    try mistake(stack)
    do {
      try stack.context.save()
      Output.line("\(what): saved")
    } catch {
      let error = error as NSError
      Output.line("\(what): \(error.code)")
      // A conflict goes on with the ids of both objects, which differ from run to run.
      Output.line("  \(error.localizedDescription.components(separatedBy: " for <")[0])")
    }
    stack.context.rollback()
  }

  @MainActor private func showRequests(_ stack: TeaShopStack) throws {
    Output.heading("Templates and configurations")
    let model = stack.container.managedObjectModel
    //> template
    let request = model.fetchRequestFromTemplate(
      withName: "organicFrom", substitutionVariables: ["SUPPLIER": "Ilam Hills"])
    let found = try request.map { try stack.context.fetch($0) } ?? []
    Output.line("organicFrom: \(found.compactMap { ($0 as? Tea)?.name })")
    //< template
    for name in model.configurations.sorted() where !name.hasPrefix("PF_") {
      let entities = model.entities(forConfigurationName: name) ?? []
      Output.line("configuration \(name): \(entities.compactMap(\.name).sorted())")
    }
  }

  private func showColumns(_ file: URL) throws {
    Output.heading("In the file")
    let reader = try StoreFileReader(contentsOf: file)
    let columns = try reader.rows("SELECT name FROM pragma_table_info('ZITEM')").map(\.[0].description)
    Output.line("columns of ZITEM: \(columns.count)")
    for words in ["ORIGIN", "SELECTED", "SEARCH", "COUNTRY"] {
      let found = columns.filter { $0.contains(words) }
      Output.line("  with \(words): \(found.isEmpty ? "none" : found.joined(separator: ", "))")
    }
  }

  @MainActor private func showModelInCode() throws {
    Output.heading("A model in code")
    //> use-in-code
    let model = ModelInCode.make()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
    shelf.setValue("Top", forKey: "name")
    let pot = NSEntityDescription.insertNewObject(forEntityName: "Pot", into: context)
    pot.setValue(shelf, forKey: "shelf")
    try context.save()
    let pots = shelf.value(forKey: "pots") as? Set<NSManagedObject> ?? []
    Output.line("\(pots.count) pot of \(pot.value(forKey: "litres") ?? "nil") litres on the shelf")
    pot.setValue(4.5, forKey: "litres")
    do {
      try context.save()
    } catch {
      Output.line("4.5 litres: \((error as NSError).code), \(error.localizedDescription)")
    }
    //< use-in-code
  }
}
