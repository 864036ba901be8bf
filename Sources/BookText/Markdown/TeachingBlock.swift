import Foundation

/// A part of a text that is there for teaching: it lets the reader try, guess, check what stayed, look, or go on.
///
/// All of them are plain Markdown, so that a code host shows them well too:
///
///     > **Now you:** [Fetch one](../Exercises/README.md#goals), 6 minutes: `swift run learn run FetchOne`
///
///     > **Aside.** One paragraph about what is interesting and not needed.
///
///     **Next:** [Asking](../03-Asking/README.md), where the store answers questions.
public enum TeachingBlock: Sendable {
  case card(Card)
  case prediction(Prediction)
  case questions(Questions)
  case aside(Aside)
  case picture(Picture)
  case next(Next)

  /// A quote that sends the reader to an exercise.
  public struct Card: Sendable {
    public let lines: ClosedRange<Int>
    /// What names the exercise: the link's text, or, before it is woven, a name. Empty if the card has another form.
    public let title: String
    public let link: String?
    public let minutes: Int?
    public let command: String?
    /// What the author has written behind the command; it may go on in further lines.
    public let rest: String

    /// `FetchOne` of `swift run learn run FetchOne`.
    var commandName: String? { command?.split(separator: " ").last.map(String.init) }
  }

  /// A `<details>` whose summary asks what comes now; the answer is in a block that is checked.
  public struct Prediction: Sendable {
    public let details: Details
    /// Behind `Predict:`.
    public let question: String
  }

  /// The section `## Five questions`.
  public struct Questions: Sendable {
    public struct Question: Sendable {
      public let lines: ClosedRange<Int>
      public let number: Int
      public let text: String
      public let options: [String]
      public let answer: Details?
      /// Where the answer's links lead.
      public let links: [MarkdownText.Link]
    }

    /// From the heading to the last line before the next section.
    public let lines: ClosedRange<Int>
    public let questions: [Question]
  }

  /// A quote of one paragraph about what is not needed.
  public struct Aside: Sendable {
    public let lines: ClosedRange<Int>
    /// Without the signs of the quote, and without `**Aside.**`.
    public let text: String
    public let wordCount: Int

    /// The first sentence, which stands for the whole where it is folded, and the rest; in Markdown.
    public var parts: (lead: String, rest: String) {
      // Stops in code and in links end nothing, so each of their characters counts as a letter here.
      let masked = text.replacing(#/`[^`]*`|\[[^\]]*\]\([^)]*\)/#) { String(repeating: "x", count: $0.0.count) }
      guard let first = Sentences.sentences(of: masked).first else { return (text, "") }
      let end = text.index(text.startIndex, offsetBy: masked.distance(from: masked.startIndex, to: first.endIndex))
      return (String(text[..<end]), text[end...].trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }

  /// An image.
  public struct Picture: Sendable {
    public let lines: ClosedRange<Int>
    /// What it shows, in words.
    public let words: String
    public let target: String
  }

  /// A paragraph that says what comes next.
  public struct Next: Sendable {
    public let lines: ClosedRange<Int>
    public let links: [MarkdownText.Link]
  }

  /// Numbered from 1.
  public var lines: ClosedRange<Int> {
    switch self {
    case .card(let card): card.lines
    case .prediction(let prediction): prediction.details.lines
    case .questions(let questions): questions.lines
    case .aside(let aside): aside.lines
    case .picture(let picture): picture.lines
    case .next(let next): next.lines
    }
  }
}
