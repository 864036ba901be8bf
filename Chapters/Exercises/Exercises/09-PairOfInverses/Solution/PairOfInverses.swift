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
    album.maxCount = 1
    tracks.inverseRelationship = album
    // What matters: both ends have to name the other. With one of them left out, a track that moves stays in the set.
    //= album.inverseRelationship = nil
    album.inverseRelationship = tracks
  }
}
