import CoreData
import ExerciseSupport

/// A model in which an Album has many tracks, and a Track has one album.
struct AlbumModel {
  let model = NSManagedObjectModel()

  init() throws {
    let (album, track) = (NSEntityDescription(), NSEntityDescription())
    (album.name, album.managedObjectClassName) = ("Album", "NSManagedObject")
    (track.name, track.managedObjectClassName) = ("Track", "NSManagedObject")
    let (tracks, albumOfTrack) = (NSRelationshipDescription(), NSRelationshipDescription())
    (tracks.name, tracks.destinationEntity) = ("tracks", track)
    (albumOfTrack.name, albumOfTrack.destinationEntity) = ("album", album)
    try Self.pair(tracks, albumOfTrack)
    (album.properties, track.properties) = ([tracks], [albumOfTrack])
    model.entities = [album, track]
  }

  /// Makes them inverses of each other, and `album` to-one.
  private static func pair(_ tracks: NSRelationshipDescription, _ album: NSRelationshipDescription) throws {
    // TODO: `album` is to-one, and the two relationships are the inverse of each other.
    throw Unfinished("a track has one album, and setting it fills the album's tracks")
  }
}
