// One of several processes that count one counter, each by saves that it tries again until they are in the database.
//
//   PostgreSQLWriter URL COUNT NAME    adds COUNT to the only counter, and inserts a mark named NAME for each addition
//
// Prints how many merge conflicts and failures it has met. An addition and its mark are one save: what is lost or done
// twice shows in both.
import CoreData
import Foundation
import PostgreSQLStore

setvbuf(stdout, nil, _IOLBF, 0)
let arguments = CommandLine.arguments
guard arguments.count == 4, let url = URL(string: arguments[1]), let count = Int(arguments[2]) else {
  FileHandle.standardError.write(Data("PostgreSQLWriter URL COUNT NAME\n".utf8))
  exit(64)
}

func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
  let attribute = NSAttributeDescription()
  (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, false)
  return attribute
}

/// As the test that starts these processes has it.
let model = NSManagedObjectModel()
let counterEntity = NSEntityDescription()
counterEntity.name = "Counter"
counterEntity.properties = [attribute("count", .integer64AttributeType)]
let markEntity = NSEntityDescription()
markEntity.name = "Mark"
markEntity.properties = [attribute("writer", .stringAttributeType), attribute("number", .integer64AttributeType)]
model.entities = [counterEntity, markEntity]

let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
var (conflicts, failures) = (0, 0)

/// Whether the server is away. Then the database has nothing of the attempt, and it can be made again.
func isAway(_ error: NSError) -> Bool {
  let state = error.userInfo["SQLSTATE"] as? String ?? ""
  // With 08007 it is unknown whether the server has committed the save.
  return (state.hasPrefix("08") || state.hasPrefix("57")) && state != "08007"
}

/// Runs `body` until it answers true, and again while the server is away.
func persevering(_ body: () throws -> Bool) throws {
  let deadline = Date(timeIntervalSinceNow: 600)
  while true {
    do {
      if try body() { return }
    } catch let error as NSError where isAway(error) && Date() < deadline {
      failures += 1
      Thread.sleep(forTimeInterval: 0.2)
    }
  }
}

func counter(_ context: NSManagedObjectContext) throws -> NSManagedObject {
  guard let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Counter")).first else {
    throw CocoaError(.coreData)
  }
  return found
}

do {
  try persevering {
    try coordinator.addPersistentStore(ofType: NSPostgreSQLStoreType, configurationName: nil, at: url)
    return true
  }
  let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  context.persistentStoreCoordinator = coordinator
  try context.performAndWait {
    for number in 0..<count {
      try persevering {
        context.reset()
        let counter = try counter(context)
        counter.setValue((counter.value(forKey: "count") as? Int ?? 0) + 1, forKey: "count")
        let mark = NSEntityDescription.insertNewObject(forEntityName: "Mark", into: context)
        mark.setValuesForKeys(["writer": arguments[3], "number": number])
        do {
          try context.save()
          return true
        } catch let error as NSError where error.code == NSManagedObjectMergeError {
          conflicts += 1
          return false
        }
      }
    }
  }
  print("\(arguments[3]): \(conflicts) conflicts, \(failures) failures")
} catch {
  print("\(arguments[3]): \(error)")
  exit(1)
}
