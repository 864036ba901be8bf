import BookText
import Foundation

/// The small book with a chapter, and another behind it, that have all that a chapter has.
enum TeachingBook {
  static let page = "Chapters/01-Keeping/README.md"
  static let next = "Chapters/02-Finding/README.md"
  static let guide = "Chapters/Exercises/Exercises/01-KeepOne/Guide.md"
  static let drawing = "Chapters/Diagrams/keeper.svg"

  static func make() throws -> SmallBook {
    let book = try SmallBook()
    try book.write("README.md", "# A book\n\nYou read it.\n")
    try book.write("Chapters/README.md", "# Contents\n\nYou find all here.\n")
    try book.write(page, keeping)
    try book.write(next, finding)
    try book.write("Chapters/Exercises/README.md", "# Exercises\n\nYou try.\n\n## Goals\n")
    try book.write(guide, guide(title: "Keep one", section: "01-Keeping#how-it-keeps", minutes: 6))
    try book.write(
      "Chapters/Exercises/Exercises/02-KeepTwo/Guide.md",
      guide(title: "Keep two, or more", section: "01-Keeping#keeping-twice", minutes: 8))
    try book.write(drawing, "<svg><title id=\"t\">A keeper</title><desc>Two things in a box.</desc></svg>\n")
    return book
  }

  static func guide(title: String, section: String, minutes: Int) -> String {
    """
    # \(title)

    Goal: a thing is kept,
    and you see it.
    Chapter: \(section)
    Minutes: \(minutes)

    ## Hint 1

    Which method keeps?

    ## Hint 2

    It takes a thing.

    ## Hint 3

    `keep("a")`

    """
  }

  static let finding = """
    # 2. Finding

    You kept a thing. Where is it?

    By the end you will have found it.

    ```console transcript=01-Keeping/run
    kept: 2
    ```

    ## Five questions

    \(questions(link: "../01-Keeping/README.md#how-it-keeps"))

    ## Exercises

    **Next:** [the exercises](../Exercises/README.md).

    """

  static func questions(link: String) -> String {
    (1...5).map { number in
      """
      **\(number). What keeps \(number)?**

      - A keeper.
      - Not a keeper.

      <details>
      <summary>Answer</summary>

      A keeper. The other one is wrong: see [how](\(link)).

      </details>
      """
    }.joined(separator: "\n\n")
  }

  static let keeping = """
    # 1. Keeping

    You have a thing.

    It is lost when you look away. By
    the end of this chapter it is kept.

    ```console transcript=run
    kept: 2
    ```

    ## How it keeps

    A keeper keeps.

    > **Aside.** Most keepers are boxes.
    > Some are shelves.

    > **Now you:** [Keep one](../Exercises/README.md#goals), 6 minutes: `swift run learn run KeepOne`

    ## Keeping twice

    <details>
    <summary>Predict: how many are kept?</summary>

    ```console transcript=run
    kept: 2
    ```

    </details>

    ![A keeper with two
    things in it](../Diagrams/keeper.svg)

    > **Now you:** [Keep two, or more](../Exercises/README.md#goals), 8 minutes: `swift run learn run KeepTwo`. Twice.

    ## Five questions

    \(questions(link: "#how-it-keeps"))

    ## Exercises

    More of them.

    **Next:** [Finding](../02-Finding/README.md), where the thing
    turns up.

    """
}
