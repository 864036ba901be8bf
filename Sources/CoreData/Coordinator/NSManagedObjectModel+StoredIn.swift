extension NSManagedObjectModel {
  /// The model of a store's file, SQLite or XML, for a program that has none. It is the model that the file keeps, if
  /// that fits, or else one reconstructed from its tables; ``storeOrigin`` says which.
  ///
  ///     let model = try NSManagedObjectModel(storedIn: url)
  ///     let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  ///     try coordinator.addPersistentStore(type: .sqlite, at: url)
  ///
  /// The model states the file's version hashes. So the file opens with it, without any option, and every save keeps
  /// the hashes and all other metadata. Changing the model drops the hashes.
  ///
  /// A model that the file keeps is read without its fetch request templates, and without validation rules
  /// other than limits and patterns. In a model that is reconstructed from the tables,
  /// - entities, their names and their inheritance are the file's;
  /// - properties are in lower camel case as far as their words can be guessed: indexes spell some, and
  ///   columns are in capitals. All columns of a hierarchy belong to its root;
  /// - every attribute is optional and of the widest type that its column has: Integer 64, Double, Date,
  ///   Decimal, String, Binary;
  /// - a key is a relationship to the entity that the file names, or that its name and values suggest; otherwise it is
  ///   an integer attribute. Names of inverses are made up;
  /// - join tables and the hidden keys of relationships without inverse are to-many relationships.
  ///
  /// An XML store's model is reconstructed from its objects: properties are in lower case, attributes have the types in
  /// the file, relationships have no inverse. A binary store does not name its attributes.
  ///
  /// Writes nothing to the file or beside it. Any thread.
  ///
  /// - Throws: an error of the Cocoa domain if there is no file, if it has another type, or if it is not a complete
  ///   store.
  public convenience init(storedIn url: URL) throws {
    self.init()
    try publicErrors {
      switch try StoredModelForm(url) {
      case .sqlite: try SQLiteStore.translatingErrors(at: url) { try StoredModel.read(at: url).fill(self) }
      case .xml: try XMLStoreDocument.fill(self, from: url)
      case .binary: throw Failure.unsupportedFeature("A model out of a binary store, which does not name attributes,")
      }
    }
  }
}

/// The type of a store's file, judged from its first bytes; SQLite if it is none of the others.
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
