import BenchmarkDriver
import BenchmarkWorkload
import CoreData

/// Operations on relationships: volumes stand on shelves in an order, and have tags that have volumes.
///
/// Making objects, connecting and saving are on the clock, and so is reading the members that a change needs.
/// The data, and fetching the objects that are changed, are not.
struct Relating {
  let run: Run
  let context: NSManagedObjectContext

  /// Runs the operation if it is one of these.
  static func run(_ run: Run) throws -> Bool {
    let operations: [String: (Relating) throws -> Void] = [
      "relate": { try $0.insert(tagging: true, shelving: true) },
      "tag": { try $0.insert(tagging: true, shelving: false) },
      "shelve": { try $0.insert(tagging: false, shelving: true) },
      "retag": { try $0.retag() },
      "retagback": { try $0.retagFromTags() },
      "move": { try $0.move() },
      "reorder": { try $0.reorder() },
    ]
    guard let operation = operations[run.operation] else { return false }
    try operation(Relating(run: run, context: try openStack(run, model: "BenchmarkShelves")))
    return true
  }

  private func insert(tagging: Bool, shelving: Bool) throws {
    let library = Library(bookCount: run.size)
    let tagCount = benchmark_tag_count(run.size)
    let shelfCount = benchmark_shelf_count(run.size)
    run.measure {
      let tags = (0..<(tagging ? tagCount : 0)).map { number in
        let tag = Tag(context: context)
        tag.number = Int32(number)
        return tag
      }
      let shelves = (0..<(shelving ? shelfCount : 0)).map { number in
        let shelf = Shelf(context: context)
        shelf.number = Int32(number)
        return shelf
      }
      for (number, data) in library.books.enumerated() {
        let volume = Volume(context: context)
        volume.number = Int32(number)
        volume.isbn = data.isbn
        volume.title = data.title
        if tagging {
          for place in 0..<Int(BENCHMARK_TAGS_PER_VOLUME) {
            volume.addToTags(tags[benchmark_tag(number, place, tagCount)])
          }
        }
        if shelving { shelves[benchmark_shelf(number, shelfCount)].addToVolumes(volume) }
      }
      try context.save()
    }
  }

  /// A tenth of the volumes give one of their tags back and take another, asked of the volume.
  private func retag() throws {
    try changeTags { volume, old, new in
      volume.removeFromTags(old)
      volume.addToTags(new)
    }
  }

  /// The same, asked of the tags, which have many volumes.
  private func retagFromTags() throws {
    try changeTags { volume, old, new in
      old.removeFromVolumes(volume)
      new.addToVolumes(volume)
    }
  }

  private func changeTags(_ change: (Volume, _ old: Tag, _ new: Tag) -> Void) throws {
    let volumes = try all(Volume.self)
    let tags = try all(Tag.self)
    run.measure {
      for number in changedVolumes {
        let old = tags[benchmark_tag(number, number % Int(BENCHMARK_TAGS_PER_VOLUME), tags.count)]
        let new = tags[benchmark_tag(number, Int(BENCHMARK_TAGS_PER_VOLUME), tags.count)]
        change(volumes[number], old, new)
      }
      try context.save()
    }
  }

  /// A tenth of the volumes go to the end of another shelf.
  private func move() throws {
    let volumes = try all(Volume.self)
    let shelves = try all(Shelf.self)
    run.measure {
      for number in changedVolumes {
        volumes[number].shelf = shelves[benchmark_next_shelf(number, shelves.count)]
      }
      try context.save()
    }
  }

  /// Every other shelf gets a new order: its last volume first, or all of them the other way round.
  private func reorder() throws {
    let shelves = try all(Shelf.self)
    _ = try all(Volume.self)
    run.measure {
      for number in stride(from: 0, to: shelves.count, by: 2) {
        let volumes = shelves[number].mutableOrderedSetValue(forKey: "volumes")
        if number % 4 == 0 {
          volumes.moveObjects(at: IndexSet(integer: volumes.count - 1), to: 0)
        } else {
          shelves[number].volumes = NSOrderedSet(array: (shelves[number].volumes?.array ?? []).reversed())
        }
      }
      try context.save()
    }
  }

  private var changedVolumes: some Sequence<Int> {
    (0..<benchmark_changed_count(run.size)).lazy.map { benchmark_changed_volume($0, run.size) }
  }

  /// All objects of a class, by number, with their values.
  private func all<Object: NSManagedObject>(_ type: Object.Type) throws -> [Object] {
    let request = NSFetchRequest<Object>(entityName: "\(type)")
    request.returnsObjectsAsFaults = false
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    return try context.fetch(request)
  }
}
