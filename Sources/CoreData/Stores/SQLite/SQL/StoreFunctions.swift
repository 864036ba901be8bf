/// The functions and collations that Core Data's SQL calls.
///
/// | name | arguments | answers |
/// |---|---|---|
/// | NSCoreDataStringSearch | text, piece, options, locale | 1 if the text has the piece |
/// | NSCoreDataStringCompare | a, b, options, locale | negative, 0, positive |
/// | NSCoreDataLike | text, pattern, options | 1 if the whole text fits the pattern of `LIKE` |
/// | NSCoreDataMatches | text, pattern, options | 1 if the whole text fits the regular expression |
/// | NSCoreDataText | a number or a text | it as a text, a floating number with all digits that tell it from others |
/// | NSCoreDataFold | text, options | the text under which all that are equal to it have the same bytes |
/// | NSCoreDataValue | a value of a list as text, its kind in front | the value |
/// | NSCoreDataStoredData | the column of binary data that may be in a file | the data |
/// | NSCoreDataDATrigger… | table, Z_ENT, Z_PK, attribute, value | null; notes that a trigger changed a row |
///
/// `options` are those of `NSString.CompareOptions`: 1 case, 128 diacritics, 256 width, 8 at the start, 4 (with
/// 8) at the end, 32 by locale. Null in, null out.
enum StoreFunctions {
  static func register(in connection: Connection) throws {
    try registerSearch(in: connection)
    try registerPatterns(in: connection)
    try registerTriggerNotes(in: connection)
    for collation in [
      SortKey.Collation.caseInsensitive, .localized, .localizedCaseInsensitive, .localizedStandard,
    ] {
      try connection.register(collation: collation.sqlName ?? "") { a, b in
        collation.order(String(decoding: a, as: UTF8.self), String(decoding: b, as: UTF8.self))
      }
    }
  }

  /// A predicate's options as the functions take them.
  static func number(_ options: Comparison.Options, _ place: StringPlace = .anywhere) -> Int64 {
    var number: Int64 = 0
    if !options.contains(.normalized) {
      if options.contains(.caseInsensitive) { number |= 1 }
      if options.contains(.diacriticInsensitive) { number |= 128 }
      if number != 0 { number |= 256 }
      if options.contains(.localeSensitive) { number |= 32 }
    }
    if options.contains(.word) { number |= wordBit }
    switch place {
    case .start: number |= 8
    case .end: number |= 12
    case .anywhere: break
    }
    return number
  }

  /// Not one of Foundation's.
  private static let wordBit: Int64 = 1 << 20

  private static func options(_ number: Int64) -> Comparison.Options {
    var options: Comparison.Options = []
    if number & 1 != 0 { options.insert(.caseInsensitive) }
    if number & 128 != 0 { options.insert(.diacriticInsensitive) }
    if number & 32 != 0 { options.insert(.localeSensitive) }
    if number & wordBit != 0 { options.insert(.word) }
    return options
  }

  private static func registerSearch(in connection: Connection) throws {
    // A scan asks with the same piece for every row: it is folded once.
    var last: (piece: String, number: Int64, finder: StringFinder)?
    try connection.register(function: "NSCoreDataStringSearch", argumentCount: 4) { arguments in
      guard let text = arguments[0].text, let piece = arguments[1].text else { return .null }
      let number = arguments[2].int
      if last == nil || last!.number != number || !binaryEqual(last!.piece, piece) {
        let place: StringPlace = number & 8 == 0 ? .anywhere : number & 4 == 0 ? .start : .end
        last = (piece, number, StringFinder(piece, place, options: options(number)))
      }
      return .int(last!.finder.matches(text) ? 1 : 0)
    }
    try connection.register(function: "NSCoreDataStringCompare", argumentCount: 4) { arguments in
      guard let a = arguments[0].text, let b = arguments[1].text else { return .null }
      return .int(Int64(compareStrings(a, b, options: options(arguments[2].int))))
    }
  }

  private static func registerPatterns(in connection: Connection) throws {
    var lastLike: (text: String, number: Int64, pattern: LikePattern)?
    try connection.register(function: "NSCoreDataLike", argumentCount: 3) { arguments in
      guard let text = arguments[0].text, let pattern = arguments[1].text else { return .null }
      let number = arguments[2].int
      if lastLike == nil || lastLike!.number != number || !binaryEqual(lastLike!.text, pattern) {
        lastLike = (pattern, number, LikePattern(pattern, options: options(number)))
      }
      return .int(lastLike!.pattern.matches(text) ? 1 : 0)
    }
    var lastExpression: (text: String, number: Int64, pattern: RegularExpressionPattern)?
    try connection.register(function: "NSCoreDataMatches", argumentCount: 3) { arguments in
      guard let text = arguments[0].text, let pattern = arguments[1].text else { return .null }
      let number = arguments[2].int
      if lastExpression == nil || lastExpression!.number != number || !binaryEqual(lastExpression!.text, pattern) {
        do {
          lastExpression = (pattern, number, try RegularExpressionPattern(pattern, options: options(number)))
        } catch {
          return .failure("malformed regular expression \"\(pattern)\"")
        }
      }
      return .int(lastExpression!.pattern.matches(text) ? 1 : 0)
    }
    try registerText(in: connection)
  }

  private static func registerText(in connection: Connection) throws {
    // SQLite's own conversion stops at 15 digits.
    try connection.register(function: "NSCoreDataText", argumentCount: 1) { arguments in
      if arguments[0].isReal {
        return ValueComparison.text(of: .double(arguments[0].double)).map { .text($0) } ?? .null
      }
      return arguments[0].text.map { .text($0) } ?? .null
    }
    try connection.register(function: "NSCoreDataUppercase", argumentCount: 1) { arguments in
      arguments[0].text.map { .text($0.uppercased()) } ?? .null
    }
    try connection.register(function: "NSCoreDataLowercase", argumentCount: 1) { arguments in
      arguments[0].text.map { .text($0.lowercased()) } ?? .null
    }
    try connection.register(function: "NSCoreDataCanonical", argumentCount: 1) { arguments in
      arguments[0].text.map {
        .text(foldForComparison($0, options: [.caseInsensitive, .diacriticInsensitive]))
      } ?? .null
    }
    try connection.register(function: "NSCoreDataFold", argumentCount: 2) { arguments in
      arguments[0].text.map { .text(foldForComparison($0, options: options(arguments[1].int))) } ?? .null
    }
    try connection.register(function: "NSCoreDataValue", argumentCount: 1) { arguments in
      arguments[0].textBytes.map(PredicateTranslator.value(ofTagged:)) ?? .null
    }
  }

  /// The function that looks into the files of long binary values.
  static func registerFiles(_ files: ExternalFiles, in connection: Connection) throws {
    // Not deterministic: the file may change.
    try connection.register(
      function: "NSCoreDataStoredData", argumentCount: 1, isDeterministic: false, isInnocuous: false
    ) { arguments in
      guard let bytes = arguments[0].blobBytes else { return .null }
      do { return .blob(Array(try files.value(ofTagged: bytes))) } catch {
        let failure = error as? Failure ?? .unsupportedFeature("\(error)")
        FunctionFailures.note(failure)
        return .failure(failure.description)
      }
    }
  }

  private static func registerTriggerNotes(in connection: Connection) throws {
    let notes = TriggerNotes()
    connection.attachment = notes
    for name in [
      "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    ] {
      try connection.register(function: name, argumentCount: -1, isDeterministic: false) { arguments in
        if arguments.count >= 3 { notes.rows.append((Int(arguments[1].int), arguments[2].int)) }
        return .null
      }
    }
  }
}

/// What functions that SQL calls have thrown: SQLite hands on the words only. By thread, since a statement runs on one.
enum FunctionFailures {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var failures: [UInt: Failure] = [:]

  static func note(_ failure: Failure) { lock.withLock { failures[UInt(pthread_self())] = failure } }

  /// The failure that an error came from.
  static func take(_ error: SQLiteError) -> Failure? {
    let failure = lock.withLock { failures.removeValue(forKey: UInt(pthread_self())) }
    return failure.flatMap { $0.description == error.message ? $0 : nil }
  }
}

/// The rows that triggers changed beside those that were written: Z_ENT and Z_PK.
final class TriggerNotes {
  var rows: [(number: Int, key: Int64)] = []
}
