import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("09 A pair of inverses", .serialized)
@MainActor struct PairOfInversesTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try AlbumModel().model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: bench.storeURL, options: nil)
    context = bench.makeContext(coordinator)
  }

  private func make(_ name: String) -> NSManagedObject {
    NSEntityDescription.insertNewObject(forEntityName: name, into: context)
  }

  private func count(_ album: NSManagedObject) -> Int? { (album.value(forKey: "tracks") as? NSSet)?.count }

  @Test("A track has one album, and an album many tracks")
  func counts() throws {
    let entities = try AlbumModel().model.entitiesByName
    let (tracks, album) = (
      entities["Album"]?.relationshipsByName["tracks"], entities["Track"]?.relationshipsByName["album"]
    )
    #expect(tracks?.isToMany == true, "tracks is to-one")
    #expect(album?.isToMany == false, "album is to-many")
  }

  @Test("A track's album is set, and the album has the track")
  func setOne() throws {
    let (album, track) = (make("Album"), make("Track"))
    track.setValue(album, forKey: "album")
    #expect(count(album) == 1, "tracks of the album")
  }

  @Test("A track is added to an album, and it has the album")
  func addToMany() throws {
    let (album, track) = (make("Album"), make("Track"))
    album.mutableSetValue(forKey: "tracks").add(track)
    let found = track.value(forKey: "album") as? NSManagedObject
    #expect(found === album, "the track has no album")
  }

  @Test("A track that moves to another album leaves the first")
  func moved() throws {
    let (first, second, track) = (make("Album"), make("Album"), make("Track"))
    first.mutableSetValue(forKey: "tracks").add(track)
    second.mutableSetValue(forKey: "tracks").add(track)
    #expect(count(first) == 0, "tracks of the first album")
    #expect(count(second) == 1, "tracks of the second album")
  }

  @Test("An album that is deleted leaves its track without one")
  func deleted() throws {
    let (album, track) = (make("Album"), make("Track"))
    track.setValue(album, forKey: "album")
    try context.save()
    context.delete(album)
    try context.save()
    let found = track.value(forKey: "album")
    #expect(found == nil, "the track leads to an album that is gone")
  }
}
