import Foundation

/// Makes up a catalogue of any size: the same for the same seed, on every machine.
///
/// The books do not exist. Their ISBNs check, are all different, and lie in a range (979-9) that is given
/// to nobody.
public struct CatalogGenerator {
  private var random: SplitMix64

  public init(seed: UInt64) {
    random = SplitMix64(state: seed)
  }

  /// The most books there are numbers for.
  public static let largestCount = 100_000_000

  /// Hands the text of a catalogue of `count` books to `write`, record by record.
  public mutating func generate(count: Int, to write: (Data) throws -> Void) throws {
    try write(Data("[".utf8))
    for number in 0..<count {
      try write(Data((number == 0 ? "\n  " : ",\n  ").utf8))
      try write(CatalogExporter.line(record(number: number)))
    }
    try write(Data("\n]\n".utf8))
  }

  private mutating func record(number: Int) throws -> CatalogRecord {
    let twelve = "9799" + String(repeating: "0", count: 8 - String(number).count) + String(number)
    var authors = [author()]
    if random.next(below: 5) == 0 { authors.append(author()) }
    var subjects = [Self.subjects[random.next(below: Self.subjects.count)]]
    if random.next(below: 2) == 0 { subjects.append(Self.subjects[random.next(below: Self.subjects.count)]) }
    return CatalogRecord(
      title: title(),
      authors: authors[0] == authors.last ? [authors[0]] : authors,
      firstPublished: 1500 + random.next(below: 521),
      language: Self.languages[random.next(below: Self.languages.count)],
      subjects: Set(subjects).sorted(),
      isbn: try ISBN(twelve + ISBN.checkDigit(of: twelve[...])),
      uri: nil)
  }

  private mutating func title() -> String {
    let adjective = Self.adjectives[random.next(below: Self.adjectives.count)]
    let noun = Self.nouns[random.next(below: Self.nouns.count)]
    let place = Self.nouns[random.next(below: Self.nouns.count)]
    switch random.next(below: 4) {
    case 0: return "The \(adjective) \(noun)"
    case 1: return "A \(noun) of the \(place)"
    case 2: return "\(noun) and \(place)"
    default: return "The \(noun) in the \(adjective) \(place)"
    }
  }

  private mutating func author() -> String {
    let given = Self.givenNames[random.next(below: Self.givenNames.count)]
    return "\(given) \(Self.familyNames[random.next(below: Self.familyNames.count)])"
  }

  private static let adjectives = words(
    """
    Silent Hidden Golden Broken Distant Last Northern Quiet Burning Pale Winter Hollow Scarlet Patient
    Restless
    """)
  private static let nouns = words(
    """
    Harbour Garden Mirror River Clock Orchard Lantern Tower Bridge Letter Island Shadow Voyage Winter
    Music Wall Street Forest Captain Weaver Painter Stranger Market Archive Compass Feather Glacier
    Kitchen Ladder Map
    """)
  private static let givenNames = words(
    """
    Ada Agnes Amir Anton Beatriz Carla Chidi Daniel Edith Elif Farid Greta Hanna Henrik Ines Ivan Jonas
    Kenji Lena Lucía Mara Mehmet Nadia Noah Olga Otto Pavel Priya Rosa Samuel Sofía Tariq Ursula Viktor
    Wanda Yuki
    """)
  private static let familyNames = words(
    """
    Abel Baranov Brandt Calloway Castillo Dahl Eriksen Falk Ferrari Goldberg Haddad Hartmann Ito Jansen
    Kaya Keller Kowalski Laurent Lindqvist Marsh Mendes Moreau Nagy Nakamura Novak Okafor Ortega
    Papadakis Quist Rao Reyes Romero Sato Schreiber Silva Sørensen Tanaka Thorne Ueda Vargas Virtanen
    Weiss Winter Yilmaz Zeman
    """)
  private static let subjects = words(
    """
    Adventure Biography Crime Drama Essays Fantasy History Horror Memoir Mythology Philosophy Poetry
    Politics Religion Romance Satire Science Travel War
    """)
  private static let languages = words(
    """
    en en en en fr de es it ru ja tr pt
    """)

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }
}

/// A generator of random numbers whose whole state is one word (Steele, Lea and Flood, 2014).
private struct SplitMix64 {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// 0 up to `bound`, which is small: the slight preference for low numbers does not matter here.
  mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
