import CoreData

/// Fills a museum, the same one on every run: dates, numbers and UUIDs are fixed, and each object is saved by itself,
/// so that the keys in the file are given out in this order.
public struct Museum {
  public let context: NSManagedObjectContext

  public init(context: NSManagedObjectContext) {
    self.context = context
  }

  /// Two rooms, two artists, two paintings and a sculpture.
  public func fill() throws {
    let north = try room("North Gallery")
    let court = try room("Court")
    let ada = try artist("Ada Vale", born: 1911)
    let tom = try artist("Tom Reed", born: nil)

    //> first-painting
    let harbour = Painting(context: context)
    describe(harbour, 101, "Harbour at Dawn", "2019-05-04T10:30:00Z", "1250000.50", letter: "A")
    (harbour.width, harbour.height) = (120.5, 80)
    harbour.palette = ["ochre", "grey"]
    harbour.picture = Data([0xFF, 0xD8, 0xFF, 0xE0])
    harbour.room = north
    harbour.artists = NSSet(array: [ada])
    try context.save()
    //< first-painting

    let orchard = Painting(context: context)
    describe(orchard, 102, "Orchard", "1998-11-20T00:00:00Z", "48000", letter: "B")
    (orchard.width, orchard.height) = (60, 45.25)
    // Long enough to get a file of its own.
    orchard.picture = Data(repeating: 0x42, count: 200_000)
    orchard.room = north
    orchard.artists = NSSet(array: [ada, tom])
    try context.save()

    let heron = Sculpture(context: context)
    describe(heron, 103, "Heron", nil, nil, letter: "C")
    heron.material = "bronze"
    heron.weight = 310.75
    heron.isOnLoan = true
    heron.room = court
    heron.highlightOf = court
    heron.artists = NSSet(array: [tom])
    try context.save()
  }

  //> every-kind
  /// A line for each exhibit, in the order of their numbers.
  public func catalogue() throws -> [String] {
    let request = NSFetchRequest<Exhibit>(entityName: "Exhibit")
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    return try context.fetch(request).map { exhibit in
      let title = exhibit.title ?? ""
      if let painting = exhibit as? Painting {
        return "\(title): \(painting.width) by \(painting.height)"
      }
      if let sculpture = exhibit as? Sculpture {
        return "\(title): \(sculpture.material ?? "unknown"), \(sculpture.weight)"
      }
      return title
    }
  }
  //< every-kind

  /// The exhibit with this number.
  public func exhibit(_ number: Int) throws -> Exhibit {
    let request = NSFetchRequest<Exhibit>(entityName: "Exhibit")
    request.predicate = NSPredicate(format: "number == %d", number)
    guard let exhibit = try context.fetch(request).first else {
      throw FileFailure("The museum has no exhibit \(number).")
    }
    return exhibit
  }

  /// A third painting, hung between two others.
  @discardableResult
  public func insertPainting(between first: Int, and second: Int) throws -> Painting {
    let painting = Painting(context: context)
    describe(painting, 104, "Low Tide", "2024-02-29T00:00:00Z", nil, letter: "D")
    let room = try exhibit(first).room
    //> between
    var hung = room?.exhibits?.array ?? []
    let place = hung.firstIndex { ($0 as? Exhibit)?.number == Int32(second) } ?? hung.count
    hung.insert(painting, at: place)
    room?.exhibits = NSOrderedSet(array: hung)
    try context.save()
    //< between
    return painting
  }

  private func room(_ name: String) throws -> Room {
    let room = Room(context: context)
    room.name = name
    try context.save()
    return room
  }

  private func artist(_ name: String, born: Int?) throws -> Artist {
    let artist = Artist(context: context)
    artist.name = name
    artist.born = born.map { NSNumber(value: $0) }
    try context.save()
    return artist
  }

  private func describe(
    _ exhibit: Exhibit, _ number: Int32, _ title: String, _ acquired: String?, _ value: String?,
    letter: String
  ) {
    exhibit.number = number
    exhibit.title = title
    exhibit.acquired = acquired.flatMap { ISO8601DateFormatter().date(from: $0) }
    exhibit.insuredValue = value.map { NSDecimalNumber(string: $0) }
    exhibit.page = URL(string: "urn:museum:\(number)")
    exhibit.tag = UUID(uuidString: "\(letter)\(letter)000000-0000-4000-8000-000000000\(number)")
  }
}
