import Colours
import CoreData

extension Book {
  @NSManaged public var added: Date?
  @NSManaged public var cover: Data?
  @NSManaged public var key: UUID?
  @NSManaged public var link: URL?
  @NSManaged public var price: NSDecimalNumber?
  @NSManaged public var stock: NSNumber?
  @NSManaged public var colour: Colour?
  @NSManaged public var author: Author?
  @NSManaged internal var drafter: Author?
  @NSManaged public var tags: Set<Tag>

  @NSManaged public func addToTags(_ value: Tag)
  @NSManaged public func removeFromTags(_ values: NSSet)
}

public var shelfBundle: Bundle { Bundle.module }
