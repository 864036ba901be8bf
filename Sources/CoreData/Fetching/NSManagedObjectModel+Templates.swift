import Foundation

/// Fetch request templates: requests that the model holds by name, with variables in their predicates.
///
///     let request = model.fetchRequestFromTemplate(
///       withName: "BooksOfAuthor", substitutionVariables: ["AUTHOR": author])
///
/// They are not part of an entity's version hash. Once the model is in use, they can't be changed or replaced, and any
/// thread may read them.
extension NSManagedObjectModel {
  /// Requests of model files become `NSFetchRequest`s when they are first used, which may be on any thread.
  fileprivate static let requestLock = NSLock()

  /// All templates by name.
  public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
    NSManagedObjectModel.requestLock.lock()
    defer { NSManagedObjectModel.requestLock.unlock() }
    return Dictionary(uniqueKeysWithValues: storedTemplates.keys.map { ($0, template(named: $0)!) })
  }

  /// The template with a name; nil if there is none. To change it or to fill in variables, copy it, or use
  /// ``fetchRequestFromTemplate(withName:substitutionVariables:)``.
  public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
    NSManagedObjectModel.requestLock.lock()
    defer { NSManagedObjectModel.requestLock.unlock() }
    return template(named: name)
  }

  /// Sets the template for a name; nil removes it. The model must not be in use.
  public func setFetchRequestTemplate(
    _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
  ) {
    willMutate("setFetchRequestTemplate(_:forName:)")
    NSManagedObjectModel.requestLock.lock()
    defer { NSManagedObjectModel.requestLock.unlock() }
    fetchRequestTemplate?.holder = RequestHolder(template: name, of: self)
    storedTemplates[name] = fetchRequestTemplate
  }

  /// Sets the template for a name, for a request with a result type.
  public func setFetchRequestTemplate<Result>(_ fetchRequestTemplate: NSFetchRequest<Result>, forName name: String) {
    let untyped: NSFetchRequest<any NSFetchRequestResult>? = fetchRequestTemplate.forAnyResults
    setFetchRequestTemplate(untyped, forName: name)
  }

  /// A copy of a template with values for its predicate's variables: constants, objects, ids,
  /// collections, expressions; `NSNull` for nil. Returns nil if no template has that name.
  ///
  /// Each variable of the template needs a value: a missing one ends the program. Values for variables that the
  /// template does not have are ignored.
  public func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: Any]
  ) -> NSFetchRequest<any NSFetchRequestResult>? {
    guard let request = fetchRequestTemplate(forName: name)?.twin else { return nil }
    request.predicate = request.predicate.map { substituted($0, variables, template: name) }
    request.havingPredicate = request.havingPredicate.map { substituted($0, variables, template: name) }
    return request
  }

  private func substituted(_ predicate: NSPredicate, _ variables: [String: Any], template: String) -> NSPredicate {
    do {
      let missing = try predicate.node.freeVariables.subtracting(variables.keys)
      if !missing.isEmpty {
        misuse(.variablesWithoutValue(missing.sorted(), template: template, predicate: predicate, given: variables))
      }
    } catch {
      misuse(.predicateWithoutTree(predicate, error: error))
    }
    return predicate.withSubstitutionVariables(variables)
  }

  /// Under the lock.
  private func template(named name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
    guard let stored = storedTemplates[name] else { return nil }
    let request = stored.request(of: entitiesByName)
    if request.holder == nil { request.holder = RequestHolder(template: name, of: self) }
    storedTemplates[name] = request
    return request
  }
}

extension NSFetchedPropertyDescription {
  /// The request that fetches the property's value. In its predicate `$FETCH_SOURCE` stands for the object whose
  /// property it is, and `$FETCHED_PROPERTY` for this description.
  ///
  /// ```text
  /// owner == $FETCH_SOURCE
  /// kind == $FETCHED_PROPERTY.userInfo.kind
  /// ```
  ///
  /// Once the model is in use, you can't set it or change the request.
  public var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    get {
      NSManagedObjectModel.requestLock.lock()
      defer { NSManagedObjectModel.requestLock.unlock() }
      guard let stored = storedFetchRequest else { return nil }
      let request = stored.request(of: owningEntity?.owningModel?.entitiesByName ?? [:])
      if request.holder == nil { request.holder = RequestHolder(self) }
      storedFetchRequest = request
      return request
    }
    set {
      willMutate("fetchRequest")
      NSManagedObjectModel.requestLock.lock()
      defer { NSManagedObjectModel.requestLock.unlock() }
      newValue?.holder = RequestHolder(self)
      storedFetchRequest = newValue
    }
  }
}

extension MisuseReport {
  fileprivate static func variablesWithoutValue(
    _ missing: [String], template: String, predicate: NSPredicate, given: [String: Any]
  ) -> MisuseReport {
    let names = missing.map { "$\($0)" }.joined(separator: ", ")
    return MisuseReport(
      "The fetch request template \"\(template)\" needs a value for \(names).",
      facts: [
        ("Call", "fetchRequestFromTemplate(withName:substitutionVariables:)"),
        ("Predicate", "\(predicate)"), ("Given", given.keys.sorted().joined(separator: ", ")),
      ],
      how: "", remedy: "Give every variable a value; NSNull() stands for nil.")
  }
}
