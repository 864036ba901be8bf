import CoreData
import Foundation
import Testing

/// One claim of the evaluation in memory each, over dictionaries, Foundation's collections and Swift objects.
@Suite("What evaluation in memory does")
struct EvaluationRuleTests {
  private static let cast: [String: Any] = [
    "name": "Zoë", "age": 30, "nothing": NSNull(), "tags": ["a", "b"], "empty": [] as [Any], "score": 2.5,
    "born": Date(timeIntervalSinceReferenceDate: 100),
    "page": URL(string: "https://example.org/a/b.txt?q=1")!,
    "id": UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!, "flag": true, "text": "12.7 apples",
    "pets": [["name": "Rex", "age": 4], ["name": "Mia", "age": 9], ["name": "Tom"]] as [[String: Any]],
    "best": ["name": "Ada", "pets": [["name": "Bo"]]] as [String: Any], "numbers": [3, 1, 2, 2],
    "pairs": [[1, 2], [2, 3]],
  ]

  private func isTrue(_ formats: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
    for format in formats {
      let predicate = try NSPredicate.parsing(format)
      #expect(try predicate.checkedEvaluate(with: Self.cast), "\(format)", sourceLocation: sourceLocation)
      let bridged = NSDictionary(dictionary: Self.cast)
      #expect(
        try predicate.checkedEvaluate(with: bridged), "bridged: \(format)", sourceLocation: sourceLocation)
    }
  }

  private func isFalse(_ formats: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
    for format in formats {
      let predicate = try NSPredicate.parsing(format)
      #expect(try !predicate.checkedEvaluate(with: Self.cast), "\(format)", sourceLocation: sourceLocation)
    }
  }

  @Test("nil equals nil alone, NSNull counts as nil")
  func nilEquality() throws {
    try isTrue(
      "missing == nil", "nothing == nil", "missing == nothing", "nil == nil", "name != nil", "missing != 'x'",
      "nothing != 0", "best.missing.deeper == nil")
    try isFalse("missing != nil", "missing == 0", "missing == ''", "missing == NO", "name == nil")
  }

  @Test("nil is neither less nor greater than anything")
  func nilOrder() throws {
    try isFalse(
      "missing < 1", "missing > 1", "missing <= 1", "missing >= 1", "1 < missing", "missing <= nil",
      "missing < nil", "missing BETWEEN {nil, nil}", "missing BETWEEN {0, 9}", "age BETWEEN {missing, 99}")
    try isTrue("NOT missing < 1", "NOT missing BETWEEN {0, 9}")
  }

  @Test("String operators on nil are false")
  func nilStrings() throws {
    for word in ["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES"] {
      try isFalse(
        "missing \(word) ''", "missing \(word)[c] 'x'", "name \(word) missing", "missing \(word) missing")
      try isTrue("NOT missing \(word) 'x'")
    }
    try isFalse(
      "missing IN 'abc'", "missing IN {nil}", "missing IN tags", "missing IN missing", "'a' IN missing")
  }

  @Test("Over nothing ANY is false, ALL and NONE are true")
  func emptyQuantifiers() throws {
    try isTrue("ALL empty.x == 1", "NONE empty.x == 1", "ALL empty.x != 1", "NOT ANY empty.x == 1")
    try isFalse("ANY empty.x == 1", "SOME empty.x != 1", "ANY empty.x == nil", "empty.x == 1")
    // A path through nil leads to a value, nil, not to a collection.
    try isTrue("ALL missing.x == nil", "ANY missing.x == nil", "NONE missing.x == 1")
  }

  @Test("ANY with != asks for one that differs, NONE with == for none that is equal")
  func quantifiedInequality() throws {
    try isTrue(
      "ANY tags != 'a'", "NONE tags == 'x'", "ALL tags != 'x'", "ANY pets.age > 5", "NONE pets.age > 9")
    try isFalse("NONE tags == 'a'", "ALL tags != 'a'", "ALL pets.age > 3", "ANY pets.age > 9")
    try isTrue("ANY pets.age == nil", "NOT ALL pets.age != nil")
  }

  @Test("Members of a to-many path's elements are one collection")
  func flattening() throws {
    try isTrue(
      "pets.name == {'Tom', 'Mia', 'Rex'}", "'Mia' IN pets.name", "pets.@count == 3",
      "best.pets.name CONTAINS 'Bo'",
      "ANY pets.name LIKE 'R*'", "ANY pets.name IN {'Mia'}", "ANY pets.age BETWEEN {8, 10}")
  }

  @Test("Collection operators work on what follows them, or on the members themselves")
  func collectionOperators() throws {
    try isTrue(
      "numbers.@sum.self == 8", "numbers.@sum == 8", "numbers.@max.self == 3", "numbers.@min == 1",
      "numbers.@avg.self == 2", "numbers.@count == 4", "pets.@sum.age == 13", "pets.@avg.age == 6.5",
      "pets.@max.name == 'Tom'",
      "(numbers.@distinctUnionOfObjects.self)[SIZE] == 3", "(pets.@unionOfObjects.name)[SIZE] == 3",
      "(pairs.@unionOfArrays.self)[SIZE] == 4", "(pairs.@distinctUnionOfArrays.self)[SIZE] == 3",
      "empty.@count == 0",
      "missing.@count == 0", "empty.@sum.x == 0", "empty.@max.x == nil", "empty.@avg.x == nil",
      "SELF.pets.@count == 3")
    #expect(throws: (any Error).self) {
      try NSPredicate.parsing("pets.@nope.age == 1").checkedEvaluate(with: Self.cast)
    }
    #expect(throws: (any Error).self) {
      try NSPredicate.parsing("age.@sum.x == 1").checkedEvaluate(with: Self.cast)
    }
  }

  @Test("Decimals are added exactly, beside other numbers too")
  func decimals() throws {
    func sum(_ numbers: Any...) -> Any? {
      NSExpression(format: "numbers.@sum.self").expressionValue(with: ["numbers": numbers], context: nil)
    }
    let (a, b) = (Decimal(string: "0.1")!, Decimal(string: "0.2")!)
    #expect((sum(a, b) as? NSDecimalNumber)?.stringValue == "0.3")
    #expect((sum(a, b, 1) as? NSDecimalNumber)?.stringValue == "1.3")
    #expect(NSPredicate(format: "numbers.@sum.self == 0.3").evaluate(with: ["numbers": [a, b]]))
    #expect(sum(1, 2) as? Int == 3 && sum(1, 0.5) as? Double == 1.5)
  }

  @Test("A decimal beside an integer keeps all its digits, beside a floating number those of one")
  func decimalsBesideNumbers() {
    let large: [String: Any] = [
      "n": Decimal(9_007_199_254_740_993), "fraction": Decimal(string: "9007199254740992.9")!,
    ]
    func isTrue(_ format: String) -> Bool { NSPredicate(format: format).evaluate(with: large) }
    #expect(isTrue("n == 9007199254740993") && !isTrue("n == 9007199254740992") && isTrue("n > 9007199254740992"))
    #expect(isTrue("9007199254740993 == n") && isTrue("9007199254740992 < n") && !isTrue("n != 9007199254740993"))
    #expect(isTrue("n IN {1, 2, 3, 4, 9007199254740993}") && !isTrue("n IN {1, 2, 3, 4, 9007199254740992}"))
    #expect(isTrue("n BETWEEN {9007199254740993, 9007199254740993}") && !isTrue("n == 9007199254740992.0"))
    // SQLite keeps the double that is nearest.
    #expect(isTrue("fraction == 9007199254740992") && isTrue("fraction < n"))
  }

  @Test("In a list decimals are as different as beside ==, however long the list is")
  func listedDecimals() {
    let (short, long) = (Decimal(string: "0.1")!, Decimal(string: "0.1000000000000000001")!)
    let lists: [[Any]] = [[Decimal(2)], (2..<20).map { Decimal($0) as Any }]
    for others in lists {
      func isIn(_ value: Any, _ members: Any...) -> Bool {
        NSPredicate(format: "n IN %@", argumentArray: [others + members]).evaluate(with: ["n": value])
      }
      #expect(isIn(short, short) && isIn(long, long) && !isIn(short, long) && !isIn(long, short))
      #expect(isIn(long, short, long) && isIn(long, 0.1) && isIn(short, 0.1) && isIn(0.1, short))
      #expect(isIn(2, short) && isIn(2.0, short) && !isIn(2.5, short) && isIn(Decimal(2), long))
    }
    let many: [Decimal] = (0..<20).map { Decimal($0) } + [short, long]
    #expect(NSPredicate(format: "(many UNION many)[SIZE] == 22").evaluate(with: ["many": many]))
  }

  @Test("Indexes: numbers, FIRST, LAST, SIZE, keys, and nil beyond the end")
  func indexes() throws {
    try isTrue(
      "tags[0] == 'a'", "tags[FIRST] == 'a'", "tags[LAST] == 'b'", "tags[SIZE] == 2", "tags[7] == nil",
      "tags[-1] == nil",
      "best['name'] == 'Ada'", "best['pets'][0].name == 'Bo'", "pairs[1][0] == 2", "numbers[numbers[1]] == 1",
      "objectFrom:withIndex:(tags, 1) == 'b'", "empty[FIRST] == nil", "empty[SIZE] == 0",
      "pets[1].name == 'Mia'")
  }

  @Test("Booleans are numbers, and truth has its words")
  func booleans() throws {
    try isTrue(
      "flag == YES", "flag == true", "flag == 1", "flag != NO", "flag == TRUE", "flag > NO", "flag IN {1}",
      "TERNARY(age > 5, YES, NO) == 1")
    try isFalse("flag == NO", "flag == false", "flag == 0")
  }

  @Test("Both sides may be constants, or both paths")
  func bothSides() throws {
    try isTrue(
      "1 == 1", "'a' < 'b'", "2 > 1 AND 1 < 2", "'abc' CONTAINS 'b'", "3 IN {1, 2, 3}", "2 BETWEEN {1, 3}",
      "age == age",
      "age > score", "'%@' == '%@'", "TRUEPREDICATE")
    try isFalse("1 == 2", "'a' == 'A'", "name == age", "FALSEPREDICATE")
  }

  @Test("MATCHES takes the whole text, in ICU's language")
  func matches() throws {
    try isTrue(
      "name MATCHES 'Z.*'", "name MATCHES '[A-Z]o\\\\u00eb'", "name MATCHES[c] 'z.+'",
      "text MATCHES '\\\\d+\\\\.\\\\d .*'",
      "name MATCHES 'Zo\\\\p{L}'", "name MATCHES[d] 'Zoe'", "'a\\nb' MATCHES '(?s)a.b'",
      "name MATCHES 'x|Zoë'")
    try isFalse("name MATCHES 'Zo'", "name MATCHES 'oë'", "name MATCHES 'z.*'", "name MATCHES ''")
  }

  @Test("MATCHES refuses a pattern that is one in parentheses only, and takes one that ends within a comment")
  func patterns() throws {
    func matches(_ text: String, _ pattern: String, _ comparison: String = "SELF MATCHES %@") throws -> Bool {
      try NSPredicate.parsing(comparison, arguments: [pattern]).checkedEvaluate(with: text)
    }
    for pattern in ["a)|(?:b", "a)", "(a", "a)(", "(?x)a # b)\n)", "[a"] {
      let error = #expect(throws: NSError.self, "\(pattern)") { try matches("a!", pattern) }
      #expect(error?.localizedDescription.contains("the regular expression can't be read") == true, "\(pattern)")
    }
    let sound = [
      ("(?x)abc # three letters", "abc", "abcd"), ("(?x) a b | c #", "c", "cc"), ("(?x)a#)", "a", "a#)"),
      ("(?x)a # one\n b # two", "ab", "a"), ("\\Qa.b", "a.b", "axb"), ("\\Qa#", "a#", "a"), ("a#b", "a#b", "a"),
      ("a|ab", "ab", "abc"),
    ]
    for (pattern, text, other) in sound {
      #expect(try matches(text, pattern) && !matches(other, pattern), "\(pattern)")
    }
    #expect(try matches("ABC", "(?x)abc # three letters", "SELF MATCHES[c] %@"))
  }

  @Test("LIKE: * and ?, escaped by a backslash")
  func like() throws {
    try isTrue(
      "name LIKE '*'", "name LIKE 'Z*'", "name LIKE 'Z??'", "name LIKE '*o*'", "name LIKE[c] 'z?ë'",
      "name LIKE[cd] 'ZOE'",
      "'a*c' LIKE 'a\\\\*c'", "'a?c' LIKE 'a\\\\?c'", "'' LIKE '*'", "'' LIKE ''")
    try isFalse("name LIKE 'Z?'", "name LIKE '?'", "'abc' LIKE 'a\\\\*c'", "name LIKE 'z*'", "'' LIKE '?'")
  }

  @Test("FUNCTION calls the methods of strings, numbers, dates and collections, and the language's functions")
  func methods() throws {
    try isTrue(
      "FUNCTION(name, 'uppercaseString') == 'ZOË'", "FUNCTION(name, 'lowercase') == 'zoë'",
      "FUNCTION(name, 'length') == 3",
      "FUNCTION(text, 'intValue') == 12", "FUNCTION(text, 'doubleValue') == 12.7",
      "FUNCTION(age, 'stringValue') == '30'",
      "FUNCTION(born, 'timeIntervalSinceDate:', CAST(40, 'NSDate')) == 60",
      "FUNCTION(age, 'description') BEGINSWITH '3'",
      "FUNCTION(born, 'dateByAddingTimeInterval:', -100) == CAST(0, 'NSDate')",
      "FUNCTION(tags, 'count') == 2",
      "FUNCTION(name, 'hasPrefix:', 'Z') == YES", "FUNCTION(name, 'containsString:', 'x') == NO",
      "FUNCTION(tags, 'componentsJoinedByString:', '-') == 'a-b'",
      "FUNCTION(SELF, 'valueForKey:', 'age') == 30",
      "FUNCTION(SELF, 'valueForKeyPath:', 'best.name') == 'Ada'",
      "FUNCTION(tags, 'containsObject:', 'a') == 1",
      "FUNCTION(page, 'lastPathComponent') BEGINSWITH 'b.txt'", "FUNCTION(page, 'host') == 'example.org'",
      "FUNCTION(id, 'UUIDString') BEGINSWITH 'E621'", "FUNCTION(name, 'compare:', 'Zz') != 0",
      "FUNCTION(missing, 'length') == nil",
      "FUNCTION(name, 'stringByAppendingString:', '!') == 'Zoë!'",
      "FUNCTION(name, 'substringToIndex:', 2) == 'Zo'",
      "FUNCTION(age, 'add:to:', 3) == 33", "FUNCTION(age, 'isEqual:', 30) == YES",
      "FUNCTION(text, 'boolValue') == YES",
      "FUNCTION('a b', 'componentsSeparatedByString:', ' ')[1] == 'b'", "FUNCTION(tags, 'lastObject') == 'b'",
      "name.length == 3", "name.uppercaseString == 'ZOË'", "page.absoluteString ENDSWITH 'q=1'",
      "tags.uppercaseString CONTAINS 'A'")
  }

  @Test("A method that nothing can call, or with the wrong number of arguments, is refused by its name")
  func unknownMethods() {
    for (format, words) in [
      ("FUNCTION(a, 'explode') == 1", "\"explode\""), ("FUNCTION(a, 'length', 2) == 1", "with 1 arguments"),
      ("FUNCTION(a, 'hasPrefix:') == 1", "with 0 arguments"),
      ("a explodeWith: 3", "The operator explodeWith:"),
      ("CAST(a, 'NSThing') == 1", "CAST to \"NSThing\""), ("a UTI-CONFORMS-TO 'b'", "UTI-CONFORMS-TO"),
    ] {
      let error = #expect(throws: NSError.self) {
        try NSPredicate.parsing(format).checkedEvaluate(with: Self.cast)
      }
      #expect(error?.localizedDescription.contains(words) == true, "\(format)")
      #expect(error?.localizedDescription.contains("is not implemented") == true, "\(format)")
    }
  }

  @Test("A method with one argument may stand as an operator")
  func methodOperators() throws {
    try isTrue(
      "name hasPrefix: 'Z'", "NOT name hasSuffix: 'x'", "age isEqualToNumber: 30", "tags containsObject: 'a'",
      "name isEqualToString: 'Zoë' AND age == 30")
    let things: [Any] = ["1", 2, [3], Date()]
    func filtered(_ type: AnyClass) -> Int {
      NSArray(array: things).filtered(using: NSPredicate(format: "self isKindOfClass: %@", type)).count
    }
    #expect(filtered(NSNumber.self) == 1)
    #expect(filtered(NSString.self) == 1)
    #expect(filtered(NSArray.self) == 1)
    #expect(filtered(NSObject.self) == 4)
  }

  @Test("CAST makes values of the classes that it names, nil of what does not fit")
  func casts() throws {
    try isTrue(
      "CAST(age, 'NSString') == '30'", "CAST('12', 'NSNumber') == 12", "CAST(born, 'NSNumber') == 100",
      "CAST(100, 'NSDate') == born", "CAST('1.5', 'NSDecimalNumber') == 1.5", "CAST('a:b', 'NSURL') == 'a:b'",
      "CAST('E621E1F8-C36C-495A-93FC-0C247A3E6E5F', 'NSUUID') == id",
      "CAST(page, 'NSString') BEGINSWITH 'https'",
      "CAST(text, 'NSUUID') == nil", "CAST('AQID', 'NSData') == CAST('AQID', 'NSData')",
      "CAST(missing, 'NSString') == nil",
      "CAST(score, 'NSDecimalNumber') == 2.5", "CAST(age, 'NSDate') < born")
  }

  @Test("Sets: UNION, INTERSECT and MINUS, each member once")
  func sets() throws {
    try isTrue(
      "(numbers UNION {3, 4}) == {1, 2, 3, 4}", "(numbers INTERSECT {2, 9}) == {2}",
      "(numbers MINUS {2}) == {1, 3}",
      "3 IN (numbers UNION tags)", "(numbers UNION missing).@count == 3", "('a' INTERSECT tags).@count == 1")
  }

  @Test("Sets of many members take time by their number, not by its square", .timeLimit(.minutes(1)))
  func largeSets() throws {
    let names = (0..<30_000).map { "name \($0)" }
    let object: [String: Any] = ["twice": names + names, "names": names, "third": Array(names.prefix(10_000))]
    for format in [
      "(twice.@distinctUnionOfObjects.self)[SIZE] == 30000", "twice == names", "twice != third",
      "(twice MINUS third)[SIZE] == 20000", "(third INTERSECT twice)[SIZE] == 10000",
      "(third UNION names)[SIZE] == 30000", "mode(names)[SIZE] == 30000",
    ] {
      #expect(NSPredicate(format: format).evaluate(with: object), "\(format)")
    }
  }

  @Test("Many members are told apart as few are")
  func mixedSets() throws {
    let more: [Any] = [2.0, true, Date(timeIntervalSinceReferenceDate: 5), NSNull(), NSNull()]
    let numbers = Array(0..<20) as [Any] + more
    let object: [String: Any] = [
      "numbers": numbers, "mixed": numbers + ["5", "x", "x"], "prices": (0..<20).map { Decimal($0) } + [Decimal(3)],
    ]
    for format in [
      "(numbers UNION {1, 5})[SIZE] == 21", "(mixed UNION {'x'})[SIZE] == 22", "(prices UNION {})[SIZE] == 20",
      "numbers == (numbers UNION {})", "numbers != (numbers UNION {20})", "(numbers MINUS prices)[SIZE] == 1",
    ] {
      #expect(NSPredicate(format: format).evaluate(with: object), "\(format)")
    }
  }

  @Test("IN looks among the values of a dictionary, not among its keys")
  func valuesOfDictionaries() throws {
    try isTrue("'Ada' IN best", "best.name IN best", "NOT 'name' IN best", "'ADA' IN[c] best")
    try isFalse("'name' IN best", "'Bo' IN best", "missing IN best")
    let predicate = NSPredicate(format: "SELF IN $known")
    #expect(predicate.evaluate(with: 2, substitutionVariables: ["known": ["a": 1, "b": 2]]))
    #expect(!predicate.evaluate(with: "a", substitutionVariables: ["known": ["a": 1, "b": 2]]))
  }

  @Test("Arrays, sets and ordered sets of Foundation's filter by our predicates")
  func filtering() {
    let predicate = NSPredicate(format: "SELF BEGINSWITH[c] 'a' AND length > 1")
    let words = ["apple", "Ant", "a", "bee"]
    #expect(NSArray(array: words).filtered(using: predicate) as? [String] == ["apple", "Ant"])
    #expect(NSSet(array: words).filtered(using: predicate) as? Set<String> == ["apple", "Ant"])
    #expect(NSOrderedSet(array: words).filtered(using: predicate).array as? [String] == ["apple", "Ant"])
    let array = NSMutableArray(array: words)
    array.filter(using: predicate)
    #expect(array.count == 2)
    let set = NSMutableSet(array: words)
    set.filter(using: predicate)
    #expect(set.count == 2)
    let ordered = NSMutableOrderedSet(array: words)
    ordered.filter(using: predicate)
    #expect(ordered.count == 2)
    #expect(NSArray(array: words).filtered(using: NSPredicate(value: false)).isEmpty)
  }

  @Test("Stored properties of structures and classes are keys, superclasses' too; others are errors")
  func swiftObjects() throws {
    struct Address { var city = "Ulm" }
    class Being {
      var age = 3
      var home: Address? = Address()
    }
    final class Cat: Being {
      var kittens = [Being(), Being()]
      var mother: Cat?
    }
    let cat = Cat()
    for format in [
      "age == 3", "home.city == 'Ulm'", "kittens.@count == 2", "ANY kittens.age == 3", "mother == nil",
      "mother.home.city == nil",
      "SUBQUERY(kittens, $k, $k.home.city BEGINSWITH 'U').@count == 2", "self.age == 3",
    ] {
      #expect(try NSPredicate.parsing(format).checkedEvaluate(with: cat), "\(format)")
    }
    let error = #expect(throws: NSError.self) {
      try NSPredicate.parsing("tail == 1").checkedEvaluate(with: cat)
    }
    #expect(error?.localizedDescription == "keypath tail not found in entity Cat: there is no \"tail\".")
    #expect(throws: (any Error).self) {
      try NSPredicate.parsing("name.nope == 1").checkedEvaluate(with: Self.cast)
    }
  }

  @Test("$variables hold values, paths start at them, and an assignment has its value")
  func variables() throws {
    let predicate = NSPredicate(format: "age > $limit AND $other.name == best.name AND name IN $names")
    let values: [String: Any] = ["limit": 20, "other": ["name": "Ada"], "names": ["Zoë"]]
    #expect(predicate.evaluate(with: Self.cast, substitutionVariables: values))
    #expect(
      predicate.withSubstitutionVariables(["limit": 20, "names": ["Zoë"]]).evaluate(
        with: Self.cast, substitutionVariables: values))
    #expect(
      predicate.withSubstitutionVariables(["limit": 20]).predicateFormat
        == "age > 20 AND $other.name == best.name AND name IN $names")
    #expect(
      predicate.withSubstitutionVariables(["limit": NSExpression(forKeyPath: "score")]).predicateFormat
        .hasPrefix("age > score"))
    let error = #expect(throws: NSError.self) { try predicate.checkedEvaluate(with: Self.cast) }
    #expect(error?.localizedDescription.contains("the variable $limit has no value") == true)
    try isTrue("($x := age + 1) == 31")
  }
}
