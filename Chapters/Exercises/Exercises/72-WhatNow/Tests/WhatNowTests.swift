import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("72 What now?", .serialized)
struct WhatNowTests {
  private func error(_ code: Int, _ state: String? = nil) -> NSError {
    NSError(domain: NSCocoaErrorDomain, code: code, userInfo: state.map { ["SQLSTATE": $0] } ?? [:])
  }

  @Test("A conflict has to be worked out again")
  func conflict() throws {
    let step = try nextStep(after: error(NSManagedObjectMergeError))
    #expect(step == .readAgain)
  }

  @Test("A save that reached no server, or no connection, may be tried again as it is", arguments: ["08006", "53300"])
  func away(_ state: String) throws {
    let step = try nextStep(after: error(NSPersistentStoreOperationError, state))
    #expect(step == .saveAgain)
  }

  @Test("A save whose answer was lost may be in the database")
  func unknown() throws {
    let step = try nextStep(after: error(NSPersistentStoreOperationError, "08007"))
    #expect(step == .lookFirst, "done twice, one more is two more")
  }

  @Test("What no second attempt makes better is for a person", arguments: [nil, "22021", "28P01"])
  func other(_ state: String?) throws {
    let code = state == nil ? NSValidationMissingMandatoryPropertyError : NSPersistentStoreOperationError
    let step = try nextStep(after: error(code, state))
    #expect(step == .tell)
  }
}
