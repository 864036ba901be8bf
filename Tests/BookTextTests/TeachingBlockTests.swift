import BookText
import Testing

@Suite("The blocks for teaching")
struct TeachingBlockTests {
  private let blocks = MarkdownText(TeachingBook.keeping).teachingBlocks

  @Test("All of a chapter's blocks are found, in their order")
  func order() {
    let names = blocks.map { block in
      switch block {
      case .card: "card"
      case .prediction: "prediction"
      case .questions: "questions"
      case .aside: "aside"
      case .picture: "picture"
      case .next: "next"
      }
    }
    #expect(names == ["aside", "card", "prediction", "picture", "card", "questions", "next"])
  }

  @Test("A card has its exercise, minutes, command, and what the author added")
  func card() {
    let cards = blocks.compactMap { if case .card(let card) = $0 { card } else { nil } }
    #expect(cards.map(\.title) == ["Keep one", "Keep two, or more"])
    #expect(cards.map(\.minutes) == [6, 8])
    #expect(cards.map(\.command) == ["swift run learn run KeepOne", "swift run learn run KeepTwo"])
    #expect(cards.map(\.rest) == ["", ". Twice."])
    #expect(cards[0].lines == 19...19)
  }

  @Test("An aside's words are counted without its mark, and a picture's words go on in the next line")
  func asideAndPicture() {
    for block in blocks {
      if case .aside(let aside) = block {
        #expect(aside.wordCount == 7)
        #expect(aside.text == "Most keepers are boxes.\nSome are shelves.")
      }
      if case .picture(let picture) = block {
        #expect(picture.words == "A keeper with two things in it")
        #expect(picture.target == "../Diagrams/keeper.svg")
        #expect(picture.lines == 32...33)
      }
    }
  }

  @Test("A prediction has its question and its end, a question its options and the answer's links")
  func questions() throws {
    for block in blocks {
      if case .prediction(let prediction) = block {
        #expect(prediction.question == "how many are kept?")
        #expect(prediction.details.lines == 23...30)
      }
      if case .questions(let all) = block {
        #expect(all.questions.map(\.number) == [1, 2, 3, 4, 5])
        #expect(all.questions[2].text == "What keeps 3?")
        #expect(all.questions[2].options == ["A keeper.", "Not a keeper."])
        #expect(all.questions[2].links.map(\.target) == ["#how-it-keeps"])
      }
    }
  }

  @Test("A link whose text goes on in the next line is a link, at the line where it begins")
  func longLink() {
    let links = MarkdownText("One [long\nlink](a.md) and `[no\nlink](b.md)`.").links
    #expect(links.map(\.target) == ["a.md"])
    #expect(links.map(\.line) == [1])
  }
}
