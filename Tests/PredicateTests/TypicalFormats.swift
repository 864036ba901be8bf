import Foundation

/// Formats as programs write them, with arguments that fit. Those of parsers' tests elsewhere are about one thing
/// each; these are whole.
enum TypicalFormats {
  static let all: [(format: String, arguments: [Any?])] =
    comparisons + compounds + collections + texts + literals + expressions

  private static let now = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
  private static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!

  static let comparisons: [(String, [Any?])] = [
    ("%K == %@", ["name", "x"]), ("%K IN %@", ["id", [1, 2]]), ("date >= %@", [now]),
    ("remoteID = %@", ["x"]),
    ("%K == %d", ["state", 3]), ("id IN %@", [[uuid]]), ("%K >= %@", ["date", now]), ("count > %d", [4]),
    ("startDate >= %@", [now]), ("name == %@", ["x"]), ("date < %@", [now]), ("createdAt <= %@", [now]),
    ("%K == %s", ["name", "x"]), ("%K == NULL", ["name"]), ("%K == nil", ["name"]), ("%K == true", ["flag"]),
    ("color == %@", [nil]), ("uuid IN %@", [Set([uuid])]), ("identifier = %@", [uuid]),
    ("orderID = %ld", [7]),
    ("noteID = 1", []), ("channel.cid == %@", ["c"]), ("timestamp < %@", [now as NSDate]),
    ("url == %@", [URL(string: "a:b")!]),
    ("%K in %@", ["k", ["a"]]), ("user.id == %@", ["u"]), ("%K > nil", ["k"]), ("operation != %d", [2]),
    ("level IN %@", [NSSet(array: [1, 2])]), ("glucose == 140", []), ("%K.%K == %@", ["a", "b", 1]),
    ("(%K != nil)", ["k"]), ("isHardDeleted == NO", []), ("isActive == YES", []), ("mutable != true", []),
    ("self IN %@", [["a"]]), ("SELF == %@", ["a"]), ("status == %i", [1]), ("%K > 0", ["k"]),
    ("id = 4865", []),
    ("%K == %lld", ["k", Int64(5)]), ("priority >= %u", [5]), ("price < %f", [9.5]), ("ratio <= %g", [0.5]),
    ("ratio => %e", [0.5]), ("size =< %lu", [5]), ("mask == %x", [255]), ("mode == %o", [8]),
    ("grade == %c", ["A"]),
    ("%K <> %@", ["k", "v"]), ("modificationDate != nil", []), ("objectID == %@", ["id"]),
    ("parent == %@", [nil]),
    ("parent.parent.name == %@", ["x"]), ("createdAt >= channel.oldestMessageAt", []),
    ("birthday = $DATE", []),
    ("%K == $FETCH_SOURCE.%K", ["a", "b"]), ("$OWNER.year < year", []), ("age BETWEEN {18, 65}", []),
    ("age BETWEEN %@", [[18, 65]]), ("date BETWEEN {%@, %@}", [now, now]), ("$x BETWEEN {1, $y}", []),
    ("1 == 1", []), ("'a' == 'a'", []), ("TRUEPREDICATE", []), ("FALSEPREDICATE", []), ("%@ == name", ["x"]),
    ("%@ <= date", [now]), ("entity == %@", ["e"]), ("amount == %@", [Decimal(string: "1.5")!]),
    ("amount == %@", [NSDecimalNumber(string: "1.5")]), ("data == %@", [Data([1, 2])]),
    ("flag == %@", [NSNumber(value: true)]),
    ("self isKindOfClass: %@", [NSString.self]), ("name isEqualToString: %@", ["x"]),
  ]

  static let compounds: [(String, [Any?])] = [
    ("%K = %@ AND %K = %@", ["a", 1, "b", 2]), ("length >= 3 AND length <= 50", []),
    ("NOT (self IN %@)", [["a"]]),
    ("address == %@ AND chain == %@ AND symbol == %@ AND token == %@", ["a", 1, "s", 2]),
    ("%K == %@ && type == %d && time == %f", ["a", "x", 1, 2.5]), ("date >= %@ AND date <= %@", [now, now]),
    ("%K == NO AND %K == NO AND (%K == NO OR %K == nil)", ["a", "b", "c", "d"]),
    ("ANY %K IN %@ OR %K = %@", ["a.b", [1], "c", 2]),
    ("%K == false && %K == NO AND (%K == NO OR %K == nil)", ["a", "b", "c", "d"]),
    ("user.id == %@ && poll == %@", ["u", "p"]),
    ("deletedAt != nil AND type != %@", ["t"]), ("%K != nil AND NOT (%K IN %@)", ["a", "b", [1]]),
    ("a=1 or b=2 and c=3", []),
    ("%K != %@ && %K != %@ && %K != %@", ["a", 1, "b", 2, "c", 3]), ("id == 'a' AND locale == 'es-MX'", []),
    ("!(a == 1) || !b == 2", []), ("NOT a == 1", []), ("not not a == 1", []), ("(((a == 1)))", []),
    ("((a == 1) && (b == 2)) || (c == 3)", []), ("a == 1 AND (b == 2 OR c == 3) AND NOT d == 4", []),
    ("visible = true AND isDeleted == false", []), ("a == nil OR a == ''", []),
    ("a != nil && a.@count > 0", []),
    ("%K BEGINSWITH %@ AND NOT %K CONTAINS %@", ["a", "b", "c", "d"]), ("TRUEPREDICATE AND a == 1", []),
    ("a == 1\n  AND b == 2\n  OR c == 3", []), ("\ta == 1\tAND\tb == 2", []), ("NOT(a==1)AND(b==2)", []),
    ("a==1&&b==2||c==3", []),
    ("( %K == %@ ) && ( %K == %@ )", ["a", 1, "b", 2]), ("a == 1 OR a == 2 OR a == 3 OR a == 4", []),
  ]

  static let collections: [(String, [Any?])] = [
    ("ANY %K IN %@", ["a.b", [1]]), ("NONE %K IN %@", ["a.b", [1]]), ("ANY queries.hash == %@", ["h"]),
    ("members.@count == 2", []),
    ("SUBQUERY(attachments, $a, $a.state == %@).@count == attachments.@count", ["s"]),
    ("ALL pets.species == %@", ["cat"]),
    ("SUBQUERY(%K, $car, $car.maker == \"FIAT\").@count > 2", ["cars"]), ("ANY %K != %@", ["a.b", 1]),
    ("SOME tags.name = 'x'", []),
    ("some tags.name like[cd] '*x*'", []), ("readers.id CONTAINS %@", ["r"]), ("ANY tags == %@", ["t"]),
    ("%@ IN tags", ["t"]),
    ("tags CONTAINS %@", ["t"]), ("ANY chapters.pages BETWEEN {1, 9}", []), ("chapters.@sum.pages > 100", []),
    ("chapters.@avg.pages >= %d", [5]), ("chapters.@max.pages < 5 OR chapters.@min.pages > 5", []),
    ("numbers.@sum.self > 3", []),
    ("%K.@count > %d", ["tags", 0]), ("tags.%K == 1", ["@count"]),
    ("books.@distinctUnionOfObjects.author.@count > 1", []),
    ("SUBQUERY(tags, $t, ANY $t.parents.name == 'x').@count > 0", []), ("NOT (ANY tags.name == 'x')", []),
    ("SUBQUERY(books, $b, SUBQUERY($b.pages, $p, $p.n == $b.n).@count > 0).@count > 0", []),
    ("tags[0] == 'a'", []),
    ("tags[FIRST] == 'a' AND tags[LAST] == 'z' AND tags[SIZE] == 26", []), ("info['name'] == 'x'", []),
    ("info[%@] == 'x'", ["k"]),
    ("tags[$i] == 'x'", []), ("a IN {1, 2, 3}", []), ("a IN {'x', \"y\", NULL}", []), ("a IN {}", []),
    ("a IN $LIST", []),
    ("a IN[cd] {'x'}", []), ("NONE tags.name BEGINSWITH[c] 'x'", []), ("ANY a.b.c.d == 1", []),
    ("count(tags) > 1", []),
    ("sum(books.pages) > 1000", []), ("(a UNION b).@count == 3", []), ("x IN (a INTERSECT b)", []),
    ("x IN (a MINUS b)", []),
  ]

  static let texts: [(String, [Any?])] = [
    ("title CONTAINS[cd] %@", ["x"]), ("path ENDSWITH[C] %@", ["x"]), ("%K BEGINSWITH %@", ["a", "x"]),
    ("%K contains %@", ["a", "x"]),
    ("%K CONTAINS[n] %@", ["a", "x"]), ("%K CONTAINS [c] %@", ["a", "x"]),
    ("%K CONTAINS[cd] %@ OR %K CONTAINS[cd] %@", ["a", "x", "b", "y"]),
    ("%K BEGINSWITH 'inbox/'", ["a"]), ("name LIKE '*x?'", []), ("name LIKE[cd] %@", ["*x*"]),
    ("name MATCHES %@", ["[a-z]+"]),
    ("name MATCHES[c] '.*\\\\d{2}.*'", []), ("name ==[c] %@", ["x"]), ("name =[cd] %@", ["x"]),
    ("name !=[c] %@", ["x"]),
    ("name <[c] 'm'", []), ("name BEGINSWITH[cdl] 'x'", []), ("name CONTAINS[w] 'x'", []),
    ("%@ CONTAINS name", ["abc"]),
    ("'it\\'s' == 'x'", []), ("name == \"a \\\"b\\\" c\"", []), ("name == '%@ %K'", []),
    ("name.length > 3", []), ("lowercase:(name) == 'x'", []), ("uppercase(name) CONTAINS 'X'", []),
    ("name == ''", []),
    ("type UTI-CONFORMS-TO 'public.image'", []), ("type uti-equals 'public.png'", []),
    ("name endswith 'ß' and name beginswith 'ä'", []),
    ("straße == '日本語 😀'", []), ("#size > 1 AND #in == 2", []), ("first.last == 1", []),
    ("canonical:(name) == 'x'", []),
  ]

  static let literals: [(String, [Any?])] = [
    ("a == -1", []), ("a == .5", []), ("a == 1.", []), ("a == 1e3", []), ("a == 1.5E-3", []),
    ("a == 0xFF", []), ("a == 0o17", []),
    ("a == 0b101", []), ("a == 9223372036854775807", []), ("a == -9223372036854775808", []),
    ("a == '\\x41\\u00e9\\n'", []),
    ("a == nil AND b == NIL AND c == NULL AND d == null", []), ("a == Yes AND b == fALSE", []),
    ("a == {1, {2, 3}}", []),
    ("date > CAST(700000000.5, 'NSDate')", []),
    ("id == CAST(\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\", \"NSUUID\")", []),
    ("amount == CAST('1.50', 'NSDecimalNumber')", []), ("date > now()", []),
  ]

  static let expressions: [(String, [Any?])] = [
    ("(%K & %d) != 0", ["flags", 4]), ("(%K & %d) = %d", ["flags", 4, 4]), ("flags & 1 == 1", []),
    ("flags | 1 == 3 OR flags ^ 2 == 0", []),
    ("~flags == 1", []), ("a << 2 > b >> 1", []), ("a + b * c - d / 2 > 0", []), ("(a + b) * c == 9", []),
    ("a ** 2 ** 3 > 1", []),
    ("-a < 3", []), ("a - -3 == 1", []), ("abs(a - b) < 0.5", []), ("modulus:by:(a, 2) == 0", []),
    ("add:to:(a, 1) == 2", []),
    ("from:subtract:(a, 1) == 2", []), ("multiply:by:(a, 2) == divide:by:(b, 2)", []),
    ("raise:toPower:(a, 2) == 4", []),
    ("sqrt(a) + ln(b) + log(c) + exp(d) > 0", []), ("floor(a) == ceiling(b) AND trunc(c) == 1", []),
    ("max(a, b, c) == 3", []),
    ("min({1, 2, a}) < average(b.c)", []), ("median(a) == stddev(b) OR mode(c) == 1", []),
    ("random() > 0.5", []), ("randomn(10) < 3", []),
    ("bitwiseAnd:with:(a, 1) == onesComplement:(b)", []), ("leftshift:by:(a, 1) == rightshift:by:(b, 1)", []),
    ("TERNARY(a == 1, 'x', 'y') == b", []), ("CAST(a, 'NSNumber') == 3", []),
    ("CAST(now(), 'NSNumber') - 60 > a", []),
    ("FUNCTION(date, 'timeIntervalSinceDate:', %@) < 60", [now]),
    ("FUNCTION(now(), \"dateByAddingTimeInterval:\", -86400) < date", []),
    ("FUNCTION(name, 'uppercaseString') == 'X'", []), ("FUNCTION(SELF, 'valueForKeyPath:', 'a.b') == 1", []),
    ("noindex:(a) == 1", []),
    ("distanceToLocation:fromLocation:(a, b) < 100", []), ("($x := a + 1) > 3", []), ("ANYKEY == 1", []),
    ("length(name) > 3", []),
    ("FETCH(%@, %@, NO) == a", ["r", "c"]), ("objectFrom:withIndex:(a, 1) == 2", []),
    ("bitwiseOr:with:(a, 1) == bitwiseXor:with:(a, 1)", []),
  ]
}
