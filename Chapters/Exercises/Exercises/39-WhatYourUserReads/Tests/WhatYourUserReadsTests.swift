import CoreData
import ExerciseSupport
import Foundation
import Testing

@testable import Exercises

@Suite("39 What your user reads", .serialized)
struct WhatYourUserReadsTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  /// The error of opening the bench's file with a model.
  private func failure(opening model: NSManagedObjectModel) -> (any Error)? {
    do {
      _ = try NSPersistentStoreCoordinator(managedObjectModel: model)
        .addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: bench.storeURL, options: nil)
      return nil
    } catch { return error }
  }

  @Test("A store of another model was written by another version")
  func otherVersion() throws {
    _ = try bench.makeCoordinator()
    let model = NSManagedObjectModel()
    let note = NSEntityDescription()
    note.name = "Note"
    model.entities = [note]
    let error = try #require(failure(opening: model))
    let sentence = try sentence(for: error, opening: "Shop.sqlite")
    #expect(sentence == "Shop.sqlite was written by another version of this program.")
  }

  @Test("A letter that bears the store's name is damaged or foreign, and the sentence claims no more")
  func letter() throws {
    try Data("Dear reader, this is a letter, and it is longer than a page of a database's head.".utf8).write(
      to: bench.storeURL)
    let error = try #require(failure(opening: Bench.model))
    let sentence = try sentence(for: error, opening: "Shop.sqlite")
    #expect(sentence == "Shop.sqlite is damaged, or not a file of this program. Keep it, and ask for help.")
  }

  @Test("A store that lost its end has the same error as a letter, and so the same sentence")
  func damaged() throws {
    let coordinator = try bench.makeCoordinator()
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    let file = try FileHandle(forUpdating: bench.storeURL)
    try file.truncate(atOffset: 5000)
    try file.close()
    let error = try #require(failure(opening: Bench.model))
    let sentence = try sentence(for: error, opening: "Shop.sqlite")
    #expect(sentence == "Shop.sqlite is damaged, or not a file of this program. Keep it, and ask for help.")
  }

  @Test("A lock is told by Core Data's code for a store that kept it waiting")
  func timeout() throws {
    let error = NSError(domain: NSCocoaErrorDomain, code: NSPersistentStoreTimeoutError)
    let sentence = try sentence(for: error, opening: "Shop.sqlite")
    #expect(sentence == "Shop.sqlite is in use by another program. Close it, and try again.")
  }

  @Test("A lock is told by SQLite's code too, whatever Core Data's code is")
  func busy() throws {
    let error = NSError(
      domain: NSCocoaErrorDomain, code: NSPersistentStoreOpenError, userInfo: [NSSQLiteErrorDomain: 5 as NSNumber])
    let sentence = try sentence(for: error, opening: "Shop.sqlite")
    #expect(sentence == "Shop.sqlite is in use by another program. Close it, and try again.")
  }

  @Test("What no one has thought of keeps its domain and code")
  func unknown() throws {
    let error = NSError(domain: NSPOSIXErrorDomain, code: 71)
    let sentence = try sentence(for: error, opening: "Shop.sqlite")
    #expect(sentence == "Shop.sqlite can't be opened now (NSPOSIXErrorDomain 71).")
  }
}
