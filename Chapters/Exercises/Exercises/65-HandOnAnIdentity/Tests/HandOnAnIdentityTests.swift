import ExerciseSupport
import Foundation
import SwiftData
import Testing

@testable import Exercises

@Suite("65 Hand on an identity", .serialized)
@MainActor struct HandOnAnIdentityTests {
  let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Pupil.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test("The pupil is in the store")
  func stored() throws {
    _ = try enrolPupil("Ada", in: container)
    let other = ModelContext(container)
    let names = try other.fetch(FetchDescriptor<Pupil>()).map(\.name)
    #expect(names == ["Ada"])
  }

  @Test("The identity names a store")
  func namesStore() throws {
    let identity = try enrolPupil("Ada", in: container)
    #expect(identity.storeIdentifier != nil)
  }

  @Test("Another context finds the one pupil that is meant")
  func found() throws {
    _ = try enrolPupil("Grace", in: container)
    let identity = try enrolPupil("Ada", in: container)
    let other = ModelContext(container)
    let found = try other.fetch(
      FetchDescriptor<Pupil>(predicate: #Predicate { $0.persistentModelID == identity }))
    #expect(found.map(\.name) == ["Ada"])
  }
}
