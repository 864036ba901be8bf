import Foundation
import SwiftData
import TestFiles
import Testing

/// The last one that an initial value has made.
nonisolated(unsafe) private weak var latest: Setting?

@Model final class Setting {
  var number = 0
  init() {}
  static func made() -> Setting {
    let setting = Setting()
    latest = setting
    return setting
  }
}

@Model final class Talk {
  var setting: Setting? = Setting.made()
  init() {}
}

@Model class Meeting {
  var place = "hall"
  init() {}
}

@Model final class Council: Meeting {
  var setting: Setting? = Setting.made()
  override init() { super.init() }
}

@Suite("Initial values of models", .serialized)
struct InitialValueTests {
  private let folder = TemporaryFolder()

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Talk.self, Meeting.self, Council.self, configurations: ModelConfiguration(url: folder.file()))
  }

  @Test("A model that was fetched keeps nothing of what a new one begins with")
  func fetched() throws {
    let container = try container()
    do {
      let context = ModelContext(container)
      let talk = Talk()
      talk.setting = nil
      context.insert(talk)
      try context.save()
    }
    let context = ModelContext(container)
    let talk = try #require(try context.fetch(FetchDescriptor<Talk>()).first)
    let isKept = latest != nil
    withExtendedLifetime(context) { #expect(!isKept && talk.setting == nil) }
  }

  @Test("Nor does one of a class that inherits")
  func fetchedOfSubclass() throws {
    let container = try container()
    do {
      let context = ModelContext(container)
      let council = Council()
      council.setting = nil
      council.place = "tower"
      context.insert(council)
      try context.save()
    }
    let context = ModelContext(container)
    let council = try #require(try context.fetch(FetchDescriptor<Meeting>()).first as? Council)
    let isKept = latest != nil
    withExtendedLifetime(context) { #expect(!isKept && council.setting == nil && council.place == "tower") }
  }
}
