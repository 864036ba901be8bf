import Foundation

/// A phrase that the book avoids, and what to write instead.
struct VoiceHabit {
  let pattern: NSRegularExpression
  let instead: String

  private init(_ pattern: String, _ instead: String) {
    // A test compiles each pattern of the table below.
    self.pattern = try! NSRegularExpression(pattern: pattern, options: [.caseInsensitive])
    self.instead = instead
  }

  /// In patterns, a blank matches any white space.
  private static let table: [(pattern: String, instead: String)] = [
    (#"\banew\b"#, "again, or start over"),
    (#"\bmend(s|ed|ing)?\b"#, "fix"),
    (#"\bwho(m)?ever\b"#, "you, or anyone who"),
    (#"\bsomebody(’s|'s)?\b"#, "you, someone, or a name"),
    (#"\bnobody(’s|'s)?\b"#, "no one, or nothing"),
    (#"\bwhom\b"#, "you, or who with a verb early"),
    (#"\bwho (does|do|has|have|is|are) not\b"#, "if you don't"),
    (#"\bno sooner\b(?! ?[.,;:!?)])"#, "as soon as"),
    (#"\bbe (it|they) (a|an|the|in|from|by)\b"#, "whether it is"),
    (#"\ba word to (the|a|an|its|our|your)\b"#, "tell"),
    (#"\bno word\b"#, "need not name it, or says nothing"),
    (#"\b(a|an) (?!(?:little|bit|lot|few|moment|minute|second) )(\w+|\x{FFFC}) more(?= ?[.,;:!?)]| ?$)"#, "one more …"),
    (#"\bno \w+ any more\b"#, "no longer a …"),
    (#"\balike to\b"#, "the same as"),
    (#"\blet us\b"#, "let's, or an imperative"),
    (#"\bshall\b"#, "will"),
    (#"\bsimply\b"#, "leave it out"),
    (
      #"\b(behaviour|colour|favourite|neighbour|grey|licence|learnt|spoilt|centre|cancelled)\w*\b"#,
      "the American spelling"
    ),
    (
      #"\b(recogni|optimi|initiali|seriali|normali|organi|reali|summari)s(e[srd]?|ing)\b"#,
      "the American spelling"
    ),
    (#"\btake along\b"#, "takeaways"),
    (#"\b[0-9.]+ in a hundred\b"#, "%"),
    (#"\bwhat says\b"#, "the … that says"),
    (#"\bwhat is none\b"#, "what is not one"),
    (#"\bis none of the\b"#, "is not one of the"),
    (#"\b(so|not) minded\b"#, "wants it"),
    (#"\ball the same to\b"#, "makes no difference to"),
    (#"\b(one|an?) \w+ it (is|was),"#, "it is one …"),
    (#"\bbegins? with a point\b"#, "with a dot"),
    (#"\bthe like of\b"#, "such as"),
    (
      #"\b(whereof|wherein|whereupon|thereof|therein|thereupon|hereby|lest|whilst|amongst|nought|ere)\b"#,
      "a word of today"
    ),
  ]

  static var all: [VoiceHabit] {
    table.map {
      VoiceHabit(
        $0.pattern.replacingOccurrences(of: " ", with: #"\s+"#).replacingOccurrences(of: #"\s+?"#, with: #"\s*"#),
        $0.instead)
    }
  }
}
