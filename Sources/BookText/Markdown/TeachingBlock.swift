import Foundation

/// A part of a text for teaching: it lets readers try, guess, check what they remember, look, or go on.
///
/// All of them are plain Markdown, so code hosts show them well too:
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

  /// A quote that leads to an exercise.
  public struct Card: Sendable {
    public let lines: ClosedRange<Int>
    /// What identifies the exercise: the link's text, or a name before weaving. Empty if the card has another form.
    public let title: String
    public let link: String?
    public let minutes: Int?
    public let command: String?
    /// The author's additions after the command, perhaps on further lines.
    public let rest: String

    /// The exercise's name in the command, such as `FetchOne` in `swift run learn run FetchOne`.
    var commandName: String? { command?.split(separator: " ").last.map(String.init) }
  }

  /// A `<details>` whose summary asks what comes next. The answer is in a checked block.
  public struct Prediction: Sendable {
    public let details: Details
    /// The question after `Predict:`.
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
      /// The targets of the links in the answer.
      public let links: [MarkdownText.Link]
    }

    /// The lines from the heading to the end of the section.
    public let lines: ClosedRange<Int>
    public let questions: [Question]
  }

  /// A quote of one paragraph about something that isn't needed.
  public struct Aside: Sendable {
    public let lines: ClosedRange<Int>
    /// The text without the quote's signs and without `**Aside.**`.
    public let text: String
    public let wordCount: Int

    /// The first sentence, which is shown while the aside is folded, and the rest, both in Markdown.
    public var parts: (lead: String, rest: String) {
      // End marks in code and links don't end a sentence, so their characters count as letters.
      let masked = text.replacing(#/`[^`]*`|\[[^\]]*\]\([^)]*\)/#) { String(repeating: "x", count: $0.0.count) }
      guard let first = Sentences.sentences(of: masked).first else { return (text, "") }
      let end = text.index(text.startIndex, offsetBy: masked.distance(from: masked.startIndex, to: first.endIndex))
      return (String(text[..<end]), text[end...].trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }

  /// An image.
  public struct Picture: Sendable {
    public let lines: ClosedRange<Int>
    /// A description of the picture.
    public let words: String
    public let target: String
  }

  /// A paragraph that says what comes next.
  public struct Next: Sendable {
    public let lines: ClosedRange<Int>
    public let links: [MarkdownText.Link]
  }

  /// The lines, counted from 1.
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
