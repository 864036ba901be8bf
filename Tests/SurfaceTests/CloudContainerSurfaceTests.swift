import CoreData
import Foundation
import Testing

@Suite("A container for CloudKit, where there is none")
struct CloudContainerSurfaceTests {
  @Test("It opens stores that are not synchronized, and reads and writes them")
  @MainActor func local() throws {
    let container = NSPersistentCloudKitContainer(name: "Kiosk", managedObjectModel: kiosk())
    let description = try #require(container.persistentStoreDescriptions.first)
    #expect(description.cloudKitContainerOptions == nil)
    description.url = URL(fileURLWithPath: "/dev/null")
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    var failures: [any Error] = []
    container.loadPersistentStores { _, error in failures += [error].compactMap(\.self) }
    try #require(failures.isEmpty)
    let paper = NSEntityDescription.insertNewObject(forEntityName: "Paper", into: container.viewContext)
    try container.viewContext.save()
    #expect(container.canUpdateRecord(forManagedObjectWith: paper.objectID))
    #expect(container.canDeleteRecord(forManagedObjectWith: paper.objectID))
    #expect(container.persistentStoreCoordinator.persistentStores.allSatisfy(container.canModifyManagedObjects(in:)))
  }

  @Test("A store that should be synchronized is refused by name, and the others are opened")
  @MainActor func synchronized() throws {
    let container = NSPersistentCloudKitContainer(name: "Kiosk", managedObjectModel: kiosk())
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
    let descriptions = [NSPersistentStoreDescription(url: file), NSPersistentStoreDescription()]
    descriptions[0].cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.kiosk")
    let copy = try #require(descriptions[0].copy() as? NSPersistentStoreDescription)
    #expect(copy.cloudKitContainerOptions?.containerIdentifier == "iCloud.kiosk" && copy == descriptions[0])
    #expect(descriptions[0] != descriptions[1])
    container.persistentStoreDescriptions = descriptions
    var errors: [(any Error)?] = []
    container.loadPersistentStores { _, error in errors.append(error) }
    #expect(errors.count == 2 && errors[1] == nil)
    #expect(
      errors[0]?.localizedDescription
        == "Synchronizing a store with CloudKit's container iCloud.kiosk is not implemented.")
    #expect(container.persistentStoreDescriptions.count == 2)
    #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test("A store in memory opens though its description names a CloudKit container", arguments: [true, false])
  @MainActor func inMemory(_ isSQLite: Bool) throws {
    let container = NSPersistentCloudKitContainer(name: "Kiosk", managedObjectModel: kiosk())
    let description = try #require(container.persistentStoreDescriptions.first)
    description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.kiosk")
    if isSQLite {
      description.url = URL(fileURLWithPath: "/dev/null")
    } else {
      description.type = NSInMemoryStoreType
    }
    container.loadPersistentStores { _, error in #expect(error == nil) }
    NSEntityDescription.insertNewObject(forEntityName: "Paper", into: container.viewContext)
    try container.viewContext.save()
    #expect(try container.viewContext.count(for: NSFetchRequest<NSManagedObject>(entityName: "Paper")) == 1)
    #expect(container.persistentStoreCoordinator.persistentStores.map(\.type) == [description.type])
  }

  @Test("Other containers pay no heed to its options")
  @MainActor func ordinary() {
    let container = NSPersistentContainer(name: "Kiosk", managedObjectModel: kiosk())
    let description = NSPersistentStoreDescription()
    description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.kiosk")
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
  }

  @Test("A program may listen for a synchronization's events, and a request for them is refused by name")
  @MainActor func events() throws {
    let container = NSPersistentCloudKitContainer(name: "Kiosk", managedObjectModel: kiosk())
    let token = NotificationCenter.default.addObserver(
      forName: NSPersistentCloudKitContainer.eventChangedNotification, object: container, queue: nil
    ) { notification in
      let key = NSPersistentCloudKitContainer.eventNotificationUserInfoKey
      guard let event = notification.userInfo?[key] as? NSPersistentCloudKitContainer.Event else { return }
      switch event.type {
      case .setup, .import, .export: Issue.record("\(event.startDate) \(event.succeeded)")
      @unknown default: break
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let description = try #require(container.persistentStoreDescriptions.first)
    description.url = URL(fileURLWithPath: "/dev/null")
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let request = NSPersistentCloudKitContainerEventRequest.fetchEvents(after: .distantPast)
    request.resultType = .countEvents
    let error = #expect(throws: CocoaError.self) {
      _ = try container.viewContext.execute(request) as? NSPersistentCloudKitContainerEventResult
    }
    #expect(error?.localizedDescription.contains("CloudKit") == true)
    let options = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.kiosk")
    #expect(options.databaseScope == .private)
    options.databaseScope = .shared
    #expect(options.databaseScope.rawValue == 3)
  }

  @Test("A request for events is made from a fetch, and refused by name as well")
  @MainActor func eventsOfFetch() throws {
    let fetch = NSPersistentCloudKitContainerEventRequest.fetchForEvents()
    fetch.predicate = NSPredicate(format: "succeeded == NO")
    fetch.sortDescriptors = [NSSortDescriptor(key: "startDate", ascending: false)]
    let request = NSPersistentCloudKitContainerEventRequest.fetchEvents(matchingFetch: fetch)
    request.resultType = .countEvents
    let container = NSPersistentCloudKitContainer(name: "Kiosk", managedObjectModel: kiosk())
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    #expect {
      try container.viewContext.execute(request)
    } throws: { error in
      error.localizedDescription.contains("Fetching the events of a synchronization with CloudKit")
    }
  }

  @Test("A schema for CloudKit can't be made")
  func schema() {
    let container = NSPersistentCloudKitContainer(name: "Kiosk", managedObjectModel: kiosk())
    #expect(throws: CocoaError.self) { try container.initializeCloudKitSchema(options: [.dryRun, .printSchema]) }
  }
}

private func kiosk() -> NSManagedObjectModel {
  let paper = NSEntityDescription()
  paper.name = "Paper"
  let model = NSManagedObjectModel()
  model.entities = [paper]
  return model
}
