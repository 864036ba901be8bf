import CoreData
import ExerciseSupport

/// A model with one entity: a Folder is in a folder, its parent, and has folders in it, its children.
struct FolderModel {
  let model = NSManagedObjectModel()

  init() throws {
    let folder = NSEntityDescription()
    (folder.name, folder.managedObjectClassName) = ("Folder", "NSManagedObject")
    let (parent, children) = (NSRelationshipDescription(), NSRelationshipDescription())
    (parent.name, children.name) = ("parent", "children")
    parent.maxCount = 1
    try Self.relate(folder, parent, children)
    folder.properties = [parent, children]
    model.entities = [folder]
  }

  /// Says where the two lead, that they are inverses, and what a delete does.
  private static func relate(
    _ folder: NSEntityDescription, _ parent: NSRelationshipDescription, _ children: NSRelationshipDescription
  ) throws {
    // TODO: Both lead to Folder and are each other's inverse. A delete takes along what is inside, never the parent.
    throw Unfinished("a folder is deleted with all that is in it, and its parent stays")
  }
}
