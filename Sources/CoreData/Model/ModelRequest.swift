/// A fetch request that a model holds, as a template or for a fetched property: as its file had it, or an
/// `NSFetchRequest`, which this room does not know.
protocol ModelRequest: AnyObject {
  /// All that it asks for, as one text: equal texts ask for the same.
  var definition: String { get }

  /// The same request for another model, of that model's entity of the same name.
  func copy(of entities: [String: NSEntityDescription]) -> any ModelRequest
}
