import Testing

@testable import CoreData

/// The book-keeping alone: what a file with one `Z_MAX` and two processes can bring about.
@Suite("Keys that saves have named")
struct KeyNumbersTests {
  private let numbers = KeyNumbers()

  private func named(_ first: Int64, _ count: Int64 = 1) -> ProposedKeys {
    ProposedKeys(root: 0, first: first, last: first + count - 1)
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
    numbers.didRaise(from: 4, to: 9, in: 1)
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
    numbers.didRaise(from: 4, to: 6, in: 1)
    numbers.giveBack(named(6), in: 1)
    #expect(numbers.propose(1, in: 1) == 7)
  }

  @Test("There is no key behind the largest number")
  func end() {
    numbers.raiseMaximum(.max - 1, in: 1)
    #expect(numbers.propose(2, in: 1) == nil)
    #expect(numbers.propose(1, in: 1) == .max)
    #expect(numbers.propose(1, in: 1) == nil)
    #expect(numbers.take(1, after: .max - 1, in: 1) == nil)
  }
}
