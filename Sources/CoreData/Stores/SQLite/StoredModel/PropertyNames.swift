/// Guesses the names of properties from their columns, which are in capitals.
///
/// If the file spells the name somewhere, it is that name. Otherwise the capitals are split into words of the entities'
/// names and some common words, which must make up the whole name. If that fails, all letters become lowercase.
struct PropertyNames {
  /// The known names, by the name in capitals.
  private var spelled: [String: String] = [:]
  private let words: Set<String>
  private let longest: Int

  init(spelled names: [String], words: [String]) {
    for name in names where name.first?.isLowercase == true && spelled[name.uppercased()] == nil {
      spelled[name.uppercased()] = name
    }
    self.words = PropertyNames.common.union(words.map { $0.uppercased() })
    longest = self.words.map(\.count).max() ?? 0
  }

  /// The property name for a column without its `Z`; nil if no property can have such a name.
  mutating func name(of column: String) -> String? {
    if let known = spelled[column] { return known }
    let guess = camelCase(column) ?? column.lowercased()
    // The name in capitals must give the column again.
    guard let first = guess.first, first.isLetter || first == "_", guess.uppercased() == column else {
      return nil
    }
    spelled[column] = guess
    return guess
  }

  private func camelCase(_ column: String) -> String? {
    guard let parts = parts(Array(column)), !parts.isEmpty else { return nil }
    return parts.enumerated().map { index, part in
      if index == 0 { return part.lowercased() }
      return PropertyNames.capitals.contains(part) ? part : part.prefix(1) + part.dropFirst().lowercased()
    }.joined()
  }

  /// The fewest words that make up the text.
  private func parts(_ text: [Character]) -> [String]? {
    var best: [[String]?] = [[]]
    for end in text.indices.map({ $0 + 1 }) {
      var found: [String]?
      for start in max(0, end - longest)..<end {
        guard let before = best[start] else { continue }
        let word = String(text[start..<end])
        guard words.contains(word), found.map({ before.count + 1 < $0.count }) ?? true else { continue }
        found = before + [word]
      }
      best.append(found)
    }
    return best[text.count]
  }

  /// The words of a name in camel case: "TokenMetaURL" has Token, Meta, URL.
  static func words(of name: String) -> [String] {
    var words: [String] = []
    let characters = Array(name)
    for (index, character) in characters.enumerated() {
      let follows = index > 0 && character.isUppercase
      let begins =
        follows
        && (characters[index - 1].isLowercase
          || (index + 1 < characters.count && characters[index + 1].isLowercase))
      if words.isEmpty || begins { words.append("") }
      words[words.count - 1].append(character)
    }
    return words.filter { $0.count > 1 }
  }

  private static let capitals: Set<String> = [
    "ID", "URL", "URI", "UUID", "GUID", "ISO", "HTML", "JSON", "XML", "UTI",
  ]

  private static let common: Set<String> = Set(
    """
    ID URL URI UUID GUID ISO HTML JSON XML UTI IS HAS NEEDS CAN DID WAS OF FOR FROM TO BY AT ON IN NUMBER \
    COUNT NAME FIRST LAST FULL DISPLAY SHORT LONG USER TITLE SUBTITLE TEXT BODY CONTENT CONTENTS SUMMARY \
    DETAIL DETAILS NOTE NOTES COMMENT COMMENTS KEY VALUE TYPE KIND STATE STATUS STAGE LEVEL CODE INDEX \
    ORDER SORT POSITION RANK SCORE RATING PRICE AMOUNT TOTAL COST QUANTITY SIZE LENGTH WIDTH HEIGHT WEIGHT \
    DURATION DISTANCE SPEED LATITUDE LONGITUDE ALTITUDE ADDRESS STREET CITY COUNTRY REGION ZIP PHONE EMAIL \
    MAIL WEBSITE LINK PATH FILE FOLDER IMAGE PHOTO PICTURE THUMBNAIL ICON COLOR COLOUR HEX DATA DATE TIME \
    TIMESTAMP STAMP DAY MONTH YEAR START STARTED END ENDED BEGIN CREATED CREATION UPDATED UPDATE MODIFIED \
    MODIFICATION DELETED DELETION PUBLISHED PUBLICATION EXPIRES DUE REMINDER SYNC SYNCED VERSION REVISION \
    REMOTE LOCAL SERVER SOURCE TARGET DESTINATION PARENT CHILD OWNER AUTHOR CREATOR ARTIST ALBUM GROUP \
    CATEGORY TAG TAGS LIST ITEM FAVORITE FAVOURITE FLAGGED ACTIVE ENABLED HIDDEN VISIBLE READ UNREAD NEW \
    OLD DONE COMPLETED FINISHED ARCHIVED LOCKED PENDING MARKED IDENTIFIER TOKEN HASH LANGUAGE LOCALE \
    CURRENCY FORMAT MIME MEDIA PAGE PAGES LINE WORD WORDS RESULT ERROR MESSAGE SUBJECT SENDER RECIPIENT \
    LIKE LIKES VIEW VIEWS MAX MIN AVERAGE CURRENT PREVIOUS NEXT PRIMARY SECONDARY DEFAULT
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}
