import CoreData
import Foundation

extension Note {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Note> {
    return NSFetchRequest<Note>(entityName: "Note")
  }

  @NSManaged public var body: String?
  @NSManaged public var createdAt: Date?
  @NSManaged public var id: UUID?
  @NSManaged public var isPinned: Bool
  @NSManaged public var keywords: [String]?
  @NSManaged public var link: URL?
  @NSManaged public var moodValue: Int16
  @NSManaged public var price: NSDecimalNumber?
  @NSManaged public var priority: NSNumber?
  @NSManaged public var rating: Double
  @NSManaged public var thumbnail: Data?
  @NSManaged public var title: String?
  @NSManaged public var updatedAt: Date?
  @NSManaged public var wordCount: Int64
  @NSManaged public var attachments: NSSet?
  @NSManaged public var notebook: Notebook?
  @NSManaged public var tags: Set<Tag>
}

// Generated accessors for attachments

extension Note {
  @NSManaged public func addToAttachments(_ value: Attachment)
  @NSManaged public func removeFromAttachments(_ value: Attachment)
  @NSManaged public func addToAttachments(_ values: NSSet)
  @NSManaged public func removeFromAttachments(_ values: NSSet)
}

extension Note: Identifiable {}
