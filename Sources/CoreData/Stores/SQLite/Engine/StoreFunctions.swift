/// The functions and collations that Core Data's SQL calls.
///
/// | name | arguments | answers |
/// |---|---|---|
/// | NSCoreDataStringSearch | text, piece, options, locale | 1 if the text has the piece |
/// | NSCoreDataStringCompare | a, b, options, locale | negative, 0, positive |
/// | NSCoreDataLike | text, pattern, options | 1 if the whole text fits the pattern of `LIKE` |
/// | NSCoreDataMatches | text, pattern, options | 1 if the whole text fits the regular expression |
/// | NSCoreDataUppercase, NSCoreDataLowercase | text | the text in capitals, or in small letters |
/// | NSCoreDataCanonical | text | the text without case and diacritics |
/// | NSCoreDataText | a number or a text | its text; a floating-point number with all digits that it needs |
/// | NSCoreDataFold | text, options | a text that has the same bytes for all texts that are equal under the options |
/// | NSCoreDataValue | a value of a list as text, its kind in front | the value |
/// | NSCoreDataStoredData | the column of binary data that may be in a file | the data |
/// | …AffectedObjectValue | table, Z_ENT, Z_PK, attribute, value | null; notes that a trigger changed a row |
/// | NSCoreDataNow | none | the time, in seconds since 2001-01-01 00:00 UTC |
///
/// `options` are those of `NSString.CompareOptions`: 1 case, 128 diacritics, 256 width, 8 at the start, 4 (with
/// 8) at the end, 32 by locale. Null in, null out.
enum StoreFunctions {
  static func register(in connection: Connection) throws {
    try registerTests(in: connection)
    try registerTexts(in: connection)
    try registerTriggerFunctions(in: connection)
    for collation in [
      SortKey.Collation.caseInsensitive, .localized, .localizedCaseInsensitive, .localizedStandard,
    ] {
      try connection.register(collation: collation.sqlName ?? "") { a, b in
        if case .localizedStandard = collation, let order = StandardOrder.order(a, b) { return order }
        return collation.order(String(decoding: a, as: UTF8.self), String(decoding: b, as: UTF8.self))
      }
    }
  }

  /// A predicate's options in the form that the functions take.
  static func number(_ options: Comparison.Options, _ anchor: TextAnchor = .anywhere) -> Int64 {
    var number: Int64 = 0
    if !options.contains(.normalized) {
      if options.contains(.caseInsensitive) { number |= 1 }
      if options.contains(.diacriticInsensitive) { number |= 128 }
      if number != 0 { number |= 256 }
      if options.contains(.localeSensitive) { number |= 32 }
    }
    if options.contains(.word) { number |= wordBit }
    switch anchor {
    case .start: number |= 8
    case .end: number |= 12
    case .anywhere: break
    }
    return number
  }

  /// Stands for whole words. Foundation's options do not use this bit.
  private static let wordBit: Int64 = 1 << 20

  private static func options(_ number: Int64) -> Comparison.Options {
    var options: Comparison.Options = []
    if number & 1 != 0 { options.insert(.caseInsensitive) }
    if number & 128 != 0 { options.insert(.diacriticInsensitive) }
    if number & 32 != 0 { options.insert(.localeSensitive) }
    if number & wordBit != 0 { options.insert(.word) }
    return options
  }

  private static func registerTests(in connection: Connection) throws {
    try connection.registerTest("NSCoreDataStringSearch", argumentCount: 4) { piece, number in
      let anchor: TextAnchor = number & 8 == 0 ? .anywhere : number & 4 == 0 ? .start : .end
      return StringFinder(piece, anchor, options: options(number)).matches
    }
    try connection.registerTest("NSCoreDataLike", argumentCount: 3) { pattern, number in
      LikePattern(pattern, options: options(number)).matches
    }
    try connection.registerTest("NSCoreDataMatches", argumentCount: 3) { pattern, number in
      try RegularExpressionPattern(pattern, options: options(number)).matches
    }
    try connection.register(function: "NSCoreDataStringCompare", argumentCount: 4) { arguments in
      guard let a = arguments[0].text, let b = arguments[1].text else { return .null }
      return .int(Int64(compareStrings(a, b, options: options(arguments[2].int))))
    }
  }

  private static func registerTexts(in connection: Connection) throws {
    try connection.registerText("NSCoreDataUppercase") { text, _ in TextChange.uppercase.changed(text) }
    try connection.registerText("NSCoreDataLowercase") { text, _ in TextChange.lowercase.changed(text) }
    try connection.registerText("NSCoreDataCanonical") { text, _ in TextChange.canonical.changed(text) }
    try connection.registerText("NSCoreDataFold", argumentCount: 2) { text, arguments in
      foldForComparison(text, options: options(arguments[1].int))
    }
    // SQLite's own conversion stops at 15 digits.
    try connection.register(function: "NSCoreDataText", argumentCount: 1) { arguments in
      let text =
        arguments[0].isReal ? ValueComparison.text(of: .double(arguments[0].double)) : arguments[0].text
      return text.map { .text($0) } ?? .null
    }
    try connection.register(function: "NSCoreDataValue", argumentCount: 1) { arguments in
      arguments[0].textBytes.map(PredicateTranslator.value(ofTagged:)) ?? .null
    }
  }

  /// Registers the function that reads the files of long binary values.
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

  // Triggers.

  private static func registerTriggerFunctions(in connection: Connection) throws {
    connection.attachment = TriggerNotes()
    for name in [
      "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
      "NSCoreDataTriggerUpdateAffectedObjectValue",
    ] {
      try register(name, .note, in: connection)
    }
    try register("NSCoreDataNow", .now, in: connection)
  }

  /// Registers a function that triggers call, with any number of arguments.
  static func register(_ name: String, _ purpose: TriggerPurpose, in connection: Connection) throws {
    switch purpose {
    case .note:
      let notes = connection.attachment
      try connection.register(function: name, argumentCount: -1, isDeterministic: false) { arguments in
        if arguments.count >= 3 { notes?.rows.append((Int(arguments[1].int), arguments[2].int)) }
        return .null
      }
    case .now:
      try connection.register(function: name, argumentCount: -1, isDeterministic: false) { _ in
        .double(Date().timeIntervalSinceReferenceDate)
      }
    case .change(let change):
      try connection.register(function: name, argumentCount: -1) { arguments in
        guard arguments.count > 0, let text = arguments[0].text else { return .null }
        return .text(change.changed(text))
      }
    }
  }
}

/// What a trigger of a derived attribute calls a function for.
enum TriggerPurpose: Equatable {
  /// To tell the store that it changed a row.
  case note
  /// To derive `now()`.
  case now
  /// To derive a text from a text.
  case change(TextChange)
}

/// What a function makes of a text.
enum TextChange {
  case uppercase, lowercase, canonical

  func changed(_ text: String) -> String {
    switch self {
    case .uppercase: text.uppercased()
    case .lowercase: text.lowercased()
    case .canonical:
      foldForComparison(text, options: [.caseInsensitive, .diacriticInsensitive], foldsWidth: false)
    }
  }
}

extension Connection {
  /// Registers `name(text, pattern, options, …)`: 1 if the text passes the test that `make` makes of pattern and
  /// options. A scan has the same pattern for every row, so the last test is kept.
  fileprivate func registerTest(
    _ name: String, argumentCount: Int32, make: @escaping (String, Int64) throws -> (String) -> Bool
  ) throws {
    var last: (pattern: String, number: Int64, fits: (String) -> Bool)?
    try register(function: name, argumentCount: argumentCount) { arguments in
      guard let text = arguments[0].text, let pattern = arguments[1].text else { return .null }
      let number = arguments[2].int
      if last == nil || last!.number != number || !binaryEqual(last!.pattern, pattern) {
        do { last = (pattern, number, try make(pattern, number)) } catch {
          return .failure("malformed regular expression \"\(pattern)\"")
        }
      }
      return .int(last!.fits(text) ? 1 : 0)
    }
  }

  /// Registers `name(text, …)`, which returns the changed text.
  fileprivate func registerText(
    _ name: String, argumentCount: Int32 = 1, _ change: @escaping (String, FunctionArguments) -> String
  ) throws {
    try register(function: name, argumentCount: argumentCount) { arguments in
      arguments[0].text.map { .text(change($0, arguments)) } ?? .null
    }
  }
}

/// The failures of functions that SQL calls, by thread: SQLite passes on only their text, and a statement runs on one
/// thread.
enum FunctionFailures {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var failures: [UInt: Failure] = [:]

  static func note(_ failure: Failure) { lock.withLock { failures[UInt(pthread_self())] = failure } }

  /// Takes the failure that an error came from; nil if there is none.
  static func take(_ error: SQLiteError) -> Failure? {
    let failure = lock.withLock { failures.removeValue(forKey: UInt(pthread_self())) }
    return failure.flatMap { $0.description == error.message ? $0 : nil }
  }
}

/// The rows that triggers changed besides those that were written, by Z_ENT and Z_PK.
final class TriggerNotes {
  // Unchecked, as the count of `write1` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) var rows: [(number: Int, key: Int64)] = []
}
