import CoreData
import SwiftData

/// A model with three properties.
@Model final class Note {
  var title: String
  var pages: Int64
  var price: Double

  init(title: String, pages: Int64, price: Double) {
    self.title = title
    self.pages = pages
    self.price = price
  }
}

/// The same as a managed object.
final class NoteObject: NSManagedObject {
  @NSManaged var title: String
  @NSManaged var pages: Int64
  @NSManaged var price: Double
}

/// The same with nothing but observation. Accessors by hand, since the toolchain's own macro needs a plugin that not
/// every installation has.
final class ObservedNote: Observable {
  private let registrar = ObservationRegistrar()
  private var storedTitle: String
  private var storedPages: Int64
  private var storedPrice: Double

  init(title: String, pages: Int64, price: Double) {
    storedTitle = title
    storedPages = pages
    storedPrice = price
  }

  var title: String {
    registrar.access(self, keyPath: \.title)
    return storedTitle
  }
  var pages: Int64 {
    registrar.access(self, keyPath: \.pages)
    return storedPages
  }
  var price: Double {
    registrar.access(self, keyPath: \.price)
    return storedPrice
  }
}
