import Testing

@testable import CoreData

/// The book-keeping alone: what a file with one `Z_MAX` and two processes can bring about.
@Suite("Keys that saves have named")
struct KeyNumbersTests {
  private let numbers = KeyNumbers()

  private func named(_ first: Int64, _ count: Int64 = 1) -> ProposedKeys {
    ProposedKeys(root: 0, first: first, last: first + (count - 1))
  }

  /// What a transaction would have to do, in a word.
  private func claim(_ keys: ProposedKeys) -> String {
    switch numbers.claim(keys, in: 1) {
    case .isTaken: "taken"
    case .isStale: "stale"
    case .raise(let from, let to): "\(from) to \(to)"
    }
  }

  @Test("Nothing is named before the file has been asked")
  func unknown() {
    #expect(numbers.propose(1, in: 1) == nil)
    numbers.raiseMaximum(7, in: 1)
    #expect(numbers.propose(1, in: 1) == 8)
    #expect(numbers.propose(1, in: 2) == nil)
  }

  @Test("Saves that run at once name different keys, and may be written in either order")
  func twoSaves() {
    numbers.raiseMaximum(4, in: 1)
    let (one, other) = (numbers.propose(2, in: 1)!, numbers.propose(3, in: 1)!)
    #expect((one, other) == (5, 7))
    #expect(claim(named(other, 3)) == "4 to 9")
    numbers.didTake(named(other, 3), in: 1)
    #expect(claim(named(one, 2)) == "taken")
  }

  @Test("What another process has taken is named by nobody again, and what is behind it still counts")
  func taken() {
    numbers.raiseMaximum(4, in: 1)
    let (one, other) = (numbers.propose(1, in: 1)!, numbers.propose(1, in: 1)!)
    numbers.forgetTable(1)
    #expect(claim(named(one)) == "stale")
    numbers.raiseMaximum(5, in: 1)
    #expect(claim(named(one)) == "stale")
    #expect(numbers.propose(1, in: 1) == 7)
    #expect(claim(named(other)) == "5 to 6")
  }

  @Test("Keys below the file's maximum are one's own only as long as nobody else has raised it")
  func ownRows() {
    numbers.raiseMaximum(4, in: 1)
    let one = numbers.propose(1, in: 1)!
    numbers.raiseMaximum(9, in: 1)
    #expect(claim(named(one)) == "stale")
    #expect(numbers.propose(1, in: 1) == 10)
  }

  @Test("Only the last keys that were named can be given back")
  func givenBack() {
    numbers.raiseMaximum(4, in: 1)
    let (one, other) = (numbers.propose(1, in: 1)!, numbers.propose(1, in: 1)!)
    numbers.giveBack(named(one), in: 1)
    #expect(numbers.propose(1, in: 1) == 7)
    numbers.giveBack(named(7), in: 1)
    numbers.giveBack(named(other), in: 1)
    #expect(numbers.propose(1, in: 1) == 6)
    numbers.didTake(named(6), in: 1)
    numbers.giveBack(named(6), in: 1)
    #expect(numbers.propose(1, in: 1) == 7)
  }

  /// Saves one row, as a transaction does, and returns what it had to do.
  private func save() -> String {
    let keys = named(numbers.propose(1, in: 1)!)
    defer { numbers.didTake(keys, in: 1) }
    return claim(keys)
  }

  private var stocks: [[Int64]] { numbers.endStocks().map { [Int64($0.table), $0.used, $0.maximum] } }

  @Test("After sixteen saves of few rows a save takes 63 keys more, and the next 63 saves have nothing to raise")
  func stock() {
    numbers.raiseMaximum(0, in: 1)
    for key in 1...16 { #expect(save() == "\(key - 1) to \(key)") }
    #expect(save() == "16 to 80")
    for _ in 18...80 { #expect(save() == "taken") }
    #expect(save() == "80 to 144")
    // A save that needs more than is left raises for all that it needs, and wastes nothing.
    let many = named(numbers.propose(70, in: 1)!, 70)
    #expect(many.first == 82 && claim(many) == "144 to 151")
    numbers.didTake(many, in: 1)
    // After such a save the count begins anew.
    #expect(save() == "151 to 152")
    #expect(stocks.isEmpty)
  }

  @Test("Keys of a stock can be given back while no row has them, and the rest is given back at the end")
  func endOfStock() {
    numbers.raiseMaximum(0, in: 1)
    for _ in 1...17 { _ = save() }
    let failed = named(numbers.propose(2, in: 1)!, 2)
    numbers.giveBack(failed, in: 1)
    #expect(numbers.propose(1, in: 1) == failed.first)
    numbers.didTake(named(failed.first), in: 1)
    #expect(stocks == [[1, 18, 80]] && stocks.isEmpty)
    #expect(numbers.propose(1, in: 1) == nil)
  }

  @Test("What another process takes behind a stock does not touch it, but a new look at the file ends it")
  func stockOfMany() {
    numbers.raiseMaximum(0, in: 1)
    for _ in 1...17 { _ = save() }
    // The other one has raised the file's maximum from 80 to 81. What is in the stock is this process's own.
    #expect(save() == "taken")
    let named = named(numbers.propose(1, in: 1)!)
    numbers.raiseMaximum(81, in: 1)
    #expect(claim(named) == "stale")
    #expect(numbers.propose(1, in: 1) == 82)
  }

  @Test("There is no key behind the largest number")
  func end() {
    numbers.raiseMaximum(.max - 1, in: 1)
    #expect(numbers.propose(2, in: 1) == nil)
    #expect(numbers.propose(1, in: 1) == .max)
    #expect(numbers.propose(1, in: 1) == nil)
    #expect(numbers.take(1, after: .max - 1, in: 1) == nil)
    // No stock reaches beyond it.
    numbers.raiseMaximum(.max - 40, in: 2)
    for _ in 1...40 {
      let keys = named(numbers.propose(1, in: 2)!)
      guard case .raise(from: _, to: keys.last) = numbers.claim(keys, in: 2) else {
        Issue.record("\(keys)")
        return
      }
      numbers.didTake(keys, in: 2)
    }
    #expect(numbers.propose(1, in: 2) == nil)
  }
}
