/// `Z_MODELCACHE`: the model that wrote the file, so that a later program can migrate it.
enum ModelCache {
  static func write(_ model: NSManagedObjectModel, to connection: Connection) throws {}
}
