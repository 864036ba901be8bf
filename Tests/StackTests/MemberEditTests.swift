import TestDice
import Testing

@testable import CoreData

@Suite("Edits of a relationship's members")
struct MemberEditTests {
  @Test("What leaves, comes and stays is what a look at all members finds, for any two lists")
  func anyLists() throws {
    let stack = try Stack(.inMemory)
    var dice = Dice(state: 7)
    stack.context.performAndWait {
      let pool = (0..<7).map { stack.context.new("Book", ["title": "\($0)"]) }
      func text(_ list: some Sequence<NSManagedObject>) -> String { list.map { $0.string("title") ?? "-" }.joined() }
      func onceEach(_ list: [NSManagedObject]) -> [NSManagedObject] {
        list.indices.filter { index in !list[..<index].contains(list[index]) }.map { list[$0] }
      }
      for _ in 0..<2_000 {
        let old = onceEach((0..<dice.roll(8)).map { _ in pool[dice.roll(7)] })
        var new = old
        // Mostly small edits, as they are meant for.
        for _ in 0..<dice.roll(3) {
          switch dice.roll(3) {
          case 0: new.insert(pool[dice.roll(7)], at: dice.roll(new.count + 1))
          case 1: if !new.isEmpty { new.remove(at: dice.roll(new.count)) }
          default: if !new.isEmpty { new.swapAt(dice.roll(new.count), dice.roll(new.count)) }
          }
        }
        let edit = MemberEdit(from: ContiguousArray(old), to: ContiguousArray(new)) { old.contains($0) }
        let wanted = onceEach(new)
        let coming = wanted.filter { !old.contains($0) }
        let all = "\(text(old)) to \(text(new))"
        #expect(text(edit.leaving) == text(old.filter { !wanted.contains($0) }), "\(all)")
        #expect(text(edit.entering) == text(coming), "\(all)")
        #expect(text(edit.result) == text(wanted), "\(all)")
        #expect(edit.keepsOrder == (old.filter(wanted.contains) + coming == wanted), "\(all)")
      }
    }
  }
}
