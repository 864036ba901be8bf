import BookText
import Foundation

/// The terms that the glossary explains: its headings of the third level.
///
///     ### Fault
///
///     An object that knows its identity and has not read its values yet. …
///
/// A heading may have several spellings, separated by commas; parentheses in it don't count. The first sentence of the
/// paragraph below is the definition. Without such headings there are no terms.
struct GlossaryTerms {
  private struct Term {
    var words: [String]
    /// The anchor in the glossary's page.
    var anchor: String
    /// The first sentence of the explanation.
    var definition: String
  }

  private var terms: [Term] = []
  /// The terms by their first words, longest term first.
  private var byFirstWord: [String: [Int]] = [:]
  private var file = ""

  init(book: Book) {
    guard let page = book.pages.first(where: \.isGlossary) else { return }
    file = Places.file(of: page)
    let runs = page.markdown.proseRuns
    for heading in page.markdown.headings where heading.level == 3 && !heading.text.contains("`") {
      // A heading without a paragraph isn't a term, but a part of the page such as a list of sources.
      guard let behind = runs.first(where: { $0.lines.lowerBound > heading.line }), behind.kind == .paragraph else {
        continue
      }
      let definition = behind.sentences.first ?? ""
      for spelling in heading.text.replacing(#/\([^)]*\)/#, with: "").split(separator: ",") {
        let words = Self.words(of: spelling.lowercased()).map { String($0.word) }
        if !words.isEmpty { terms.append(Term(words: words, anchor: heading.anchor, definition: definition)) }
      }
    }
    for index in terms.indices { byFirstWord[terms[index].words[0], default: []].append(index) }
    for (word, indices) in byFirstWord {
      byFirstWord[word] = indices.sorted { terms[$0].words.count > terms[$1].words.count }
    }
  }

  private static func words(of text: String) -> [(word: Substring, range: Range<String.Index>)] {
    text.matches(of: #/[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*/#).map { ($0.0, $0.range) }
  }

  /// The links for a page: one for each term, at its first use. Chapters and side pages have them.
  func links(on page: Page, prefix: String) -> Links {
    switch page.place {
    case .chapter: Links(terms: self, prefix: prefix)
    case .appendix: Links(terms: page.isGlossary ? nil : self, prefix: prefix)
    case .contents, .exercises: Links(terms: nil, prefix: prefix)
    }
  }

  /// Follows the renderer through a page, and remembers which terms are linked already.
  struct Links {
    private static let prose: Set = ["p", "li"]
    /// Elements in which no links are made: code, links, and parts that are folded or beside the text.
    private static let others: Set = ["a", "code", "pre", "details", "aside", "table", "figure", "svg"]

    private let terms: GlossaryTerms?
    private let prefix: String
    private var linked: Set<String> = []
    private var depthOfProse = 0
    private var depthOfOthers = 0

    fileprivate init(terms: GlossaryTerms?, prefix: String) {
      self.terms = terms?.terms.isEmpty == false ? terms : nil
      self.prefix = prefix
    }

    mutating func pass(_ tag: HTMLTag) {
      let step = tag.isEnd ? -1 : 1
      if Self.prose.contains(tag.name) { depthOfProse += step }
      if Self.others.contains(tag.name) { depthOfOthers += step }
    }

    /// A piece of HTML text in which terms that weren't linked before become links.
    mutating func linked(_ text: String) -> String {
      guard let terms, depthOfProse > 0, depthOfOthers == 0 else { return text }
      let words = GlossaryTerms.words(of: text)
      var (result, done, index) = ("", text.startIndex, 0)
      while index < words.count {
        guard let (term, count) = terms.term(at: index, of: words, in: text), !linked.contains(term.anchor) else {
          index += 1
          continue
        }
        let range = words[index].range.lowerBound..<words[index + count - 1].range.upperBound
        linked.insert(term.anchor)
        result += text[done..<range.lowerBound] + link(to: term, terms.file, says: text[range])
        (done, index) = (range.upperBound, index + count)
      }
      return result + text[done...]
    }

    private func link(to term: Term, _ file: String, says words: Substring) -> String {
      let title = term.definition.isEmpty ? "" : " title=\"\(term.definition.escapedForHTML)\""
      return "<a class=\"term\" href=\"\(prefix)\(file)#\(term.anchor.escapedForHTML)\"\(title)>\(words)</a>"
    }
  }

  /// The longest term that begins at this word, and its number of words. The last word may be a plural.
  private func term(
    at index: Int, of words: [(word: Substring, range: Range<String.Index>)], in text: String
  ) -> (Term, Int)? {
    let first = words[index].word.lowercased()
    let candidates =
      (byFirstWord[first] ?? []) + (first.hasSuffix("s") ? byFirstWord[String(first.dropLast())] ?? [] : [])
    for term in candidates.map({ terms[$0] }) {
      let count = term.words.count
      guard index + count <= words.count else { continue }
      let isThere = (0..<count).allSatisfy { place in
        let word = words[index + place].word.lowercased()
        return word == term.words[place] || (place == count - 1 && word == term.words[place] + "s")
      }
      let areTogether = (1..<count).allSatisfy { place in
        text[words[index + place - 1].range.upperBound..<words[index + place].range.lowerBound].allSatisfy(
          \.isWhitespace)
      }
      if isThere, areTogether { return (term, count) }
    }
    return nil
  }
}

extension Page {
  /// Whether the page is the glossary.
  var isGlossary: Bool { folder.hasSuffix("-Glossary") }
}
