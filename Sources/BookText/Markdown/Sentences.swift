/// The sentences of a text, each from its first word to its end mark.
enum Sentences {
  /// - Parameter text: plain text, such as `ProseRun.plain`.
  static func sentences(of text: String) -> [Substring] {
    var sentences: [Substring] = []
    var start = text.startIndex
    var index = text.startIndex
    while index < text.endIndex {
      let end = text.index(after: index)
      guard ".!?".contains(text[index]), let next = beginning(behind: end, in: text),
        text[index] != "." || !isAbbreviation(text[start..<index])
      else {
        index = end
        continue
      }
      sentences.append(text[start..<next])
      (start, index) = (next, next)
    }
    sentences.append(text[start...])
    return sentences.map(trimmed).filter { !$0.isEmpty }
  }

  /// The beginning of the next sentence, if one can begin after this end mark.
  private static func beginning(behind stop: String.Index, in text: String) -> String.Index? {
    var index = stop
    while index < text.endIndex, ")]\"'”’".contains(text[index]) { index = text.index(after: index) }
    guard index < text.endIndex, text[index].isWhitespace else { return index == text.endIndex ? index : nil }
    while index < text.endIndex, text[index].isWhitespace { index = text.index(after: index) }
    guard index < text.endIndex else { return index }
    let first = text[index]
    return first.isUppercase || first.isNumber || first == ProseRun.code || "([\"'“‘".contains(first) ? index : nil
  }

  private static func isAbbreviation(_ sentence: Substring) -> Bool {
    let word = sentence.split { $0.isWhitespace || $0 == "(" }.last ?? ""
    return ["e.g", "i.e", "vs", "cf", "Dr", "Mr", "Mrs", "St"].contains(word)
      || (word.count == 1 && word.first?.isUppercase == true && word != "I")
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
