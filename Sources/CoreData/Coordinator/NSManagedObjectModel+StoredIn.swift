extension NSManagedObjectModel {
  /// The model of a store's file, SQLite or XML, for a program that has none: the one that the file keeps, where it
  /// keeps one that fits, else one that is put together from its tables. ``storeOrigin`` tells which.
  ///
  ///     let model = try NSManagedObjectModel(storedIn: url)
  ///     let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  ///     try coordinator.addPersistentStore(type: .sqlite, at: url)
  ///
  /// The model states the version hashes that the file has. So the file opens with it, without any option,
  /// and keeps its own hashes and all of its other metadata in every save. A change to the model drops them.
  ///
  /// A model that the file keeps is read without its fetch request templates, and without validation rules
  /// other than limits and patterns. In one that is put together from the tables,
  /// - entities, their names and their inheritance are the file's;
  /// - properties are in lower camel case as far as their words can be guessed: indexes spell some, and
  ///   columns are in capitals. All columns of a hierarchy belong to its root;
  /// - every attribute is optional and of the widest type that its column has: Integer 64, Double, Date,
  ///   Decimal, String, Binary;
  /// - a key leads to the entity that the file says, or that its name and its values say; where neither does,
  ///   it is an integer attribute. What leads back is named by us;
  /// - join tables and the hidden keys of relationships without inverse are to-many relationships.
  ///
  /// An XML store's model is put together from its objects: properties have small letters, attributes the types
  /// that stand in the file, relationships no inverse. A binary store does not name its attributes.
  ///
  /// Nothing is written, neither to the file nor beside it. Any thread.
  ///
  /// - Throws: an error of the Cocoa domain when there is no file, when it is of another type, or when it is not a
  ///   whole store.
  public convenience init(storedIn url: URL) throws {
    self.init()
    do {
      switch try StoredModelForm(url) {
      case .sqlite: try StoredModel.read(at: url).fill(self)
      case .xml: try XMLStoreDocument.fill(self, from: url)
      case .binary: throw Failure.unsupportedFeature("A model out of a binary store, which does not name attributes,")
      }
    } catch let failure as Failure {
      throw failure.nsError
    } catch let error as SQLiteError {
      throw error.openingFailure(at: url).nsError
    }
  }
}

/// What a store's file looks like from its first bytes; SQLite for what is none of the others.
private enum StoredModelForm {
  case sqlite, xml, binary

  init(_ url: URL) throws {
    let start = DatabaseFiles.beginning(of: url.path, count: 64) ?? []
    if start.starts(with: BinaryStoreHeader.magic) {
      self = .binary
    } else if start.drop(while: { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }).first == UInt8(ascii: "<")
    {
      self = .xml
    } else {
      self = .sqlite
    }
  }
}
