import ExerciseSupport
import Foundation
import SwiftData
import Testing

@testable import Exercises

@Suite("64 Without the macro", .serialized)
@MainActor struct WithoutTheMacroTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  private func container() throws -> ModelContainer {
    try ModelContainer(for: HandmadeNote.self, configurations: ModelConfiguration(url: bench.storeURL))
  }

  @Test("A note that no context has keeps its text")
  func detached() {
    let note = HandmadeNote(text: "Milk")
    #expect(note.text == "Milk")
    note.text = "Bread"
    #expect(note.text == "Bread")
  }

  @Test("The text reaches the file, and another context reads it")
  func saved() throws {
    let container = try container()
    let context = ModelContext(container)
    context.insert(HandmadeNote(text: "Milk"))
    try context.save()
    let other = ModelContext(container)
    let texts = try other.fetch(FetchDescriptor<HandmadeNote>()).map(\.text)
    #expect(texts == ["Milk"])
  }

  @Test("One who has looked at the text hears of its change")
  func observed() {
    let note = HandmadeNote(text: "Milk")
    nonisolated(unsafe) var heard = 0
    withObservationTracking {
      _ = note.text
    } onChange: {
      heard += 1
    }
    note.text = "Bread"
    #expect(heard == 1, "changes that were heard of")
  }
}
