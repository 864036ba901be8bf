/// A fetch request in a model, for a template or a fetched property. It is either in the form of the model's file, or
/// an `NSFetchRequest`, a class that this room does not know.
protocol ModelRequest: AnyObject {
  /// Everything that it asks for, as one text. Equal texts mean equal requests.
  var definition: String { get }

  /// This request for the entity of the same name in another model.
  func copy(of entities: [String: NSEntityDescription]) -> any ModelRequest
}
