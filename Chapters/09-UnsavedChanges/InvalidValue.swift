import CoreData

/// One value that kept a context from saving: where it is, and which rule it breaks.
public struct InvalidValue {
  public let object: NSManagedObject?
  public let property: String
  /// The value, nil if it is missing.
  public let value: Any?
  /// One of the validation codes in Cocoa's domain.
  public let code: Int

  //> read-validation
  /// What the error of a save says: one value or several; none if it is another kind of error.
  public static func all(in error: any Error) -> [InvalidValue] {
    let error = error as NSError
    guard error.domain == NSCocoaErrorDomain else { return [] }
    if error.code == NSValidationMultipleErrorsError {
      let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
      return details.flatMap { all(in: $0) }
    }
    let info = error.userInfo
    guard let property = info[NSValidationKeyErrorKey] as? String else { return [] }
    return [
      InvalidValue(
        object: info[NSValidationObjectErrorKey] as? NSManagedObject, property: property,
        value: info[NSValidationValueErrorKey], code: error.code)
    ]
  }
  //< read-validation

  //> validation-words
  /// What to tell the person who has to fix it.
  public var advice: String {
    switch code {
    case NSValidationMissingMandatoryPropertyError: "\(place) is missing"
    case NSValidationNumberTooSmallError: "\(place) is too small: \(valueWords)"
    case NSValidationNumberTooLargeError: "\(place) is too large: \(valueWords)"
    case NSValidationStringTooShortError: "\(place) is too short: \(valueWords)"
    case NSValidationStringTooLongError: "\(place) is too long: \(valueWords)"
    default: "\(place) is not valid: \(valueWords)"
    }
  }
  //< validation-words

  //> take-back
  /// Sets the value that was last saved. What else was changed, in the object or elsewhere,
  /// stays as it is.
  public func takeBack() {
    let saved = object?.committedValues(forKeys: [property])[property]
    object?.setValue(saved is NSNull ? nil : saved, forKey: property)
  }
  //< take-back

  /// `Recipe.servings`.
  public var place: String { "\(object?.entity.name ?? "object").\(property)" }

  private var valueWords: String {
    switch value {
    case let text as String: "\"\(text)\""
    case let value?: "\(value)"
    case nil: "no value"
    }
  }
}
