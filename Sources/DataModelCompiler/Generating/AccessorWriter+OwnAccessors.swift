/// Accessors that a class itself has for transient attributes, such as a full name made of two names, or the section
/// of a date.
///
/// Key-value coding calls them by name, for example for the sections of a list. Swift can't find a property by its
/// name at run time, so this writes an enumeration of them for each class that declares some.
extension AccessorWriter {
  mutating func writeOwnAccessors(_ sources: [SwiftSource], _ transients: [String: Set<String>]) {
    var found: [String: [(property: SwiftSource.OwnProperty, path: String)]] = [:]
    for source in sources {
      for property in source.properties {
        guard let owner = types.ownType(property.owner), owner.declaration.access > .isFilePrivate else { continue }
        let name = owner.declaration.path.joined(separator: ".")
        guard transients[name]?.contains(property.name) == true else { continue }
        if property.access <= .isFilePrivate {
          problems.append(
            SourceProblem(
              isError: false, file: source.path, line: property.line, column: property.column,
              message: "\(name).\(property.name) is the accessor of a transient attribute, and private, so "
                + "value(forKey:) and section names don't find it. Make it internal"))
          continue
        }
        found[name, default: []].append((property, source.path))
      }
    }
    for (name, properties) in found.sorted(by: { $0.key < $1.key }) {
      writeEnumeration(name, properties.map(\.property))
    }
  }

  private mutating func writeEnumeration(_ owner: String, _ properties: [SwiftSource.OwnProperty]) {
    // The same property may be in several branches of an #if.
    let names = Set(properties.map(\.name)).sorted()
    let cases = properties.map { property in
      Self.guarded(
        "    if key == \"\(property.name)\" { return object.\(quoteIfKeyword(property.name)) }\n",
        by: property.conditions)
    }
    addToBody(
      """

      enum ManagedAccessorsOf\(owner.split(separator: ".").joined(separator: "_")): _ManagedAccessors {
        static var keys: [String] { [\(names.map { "\"\($0)\"" }.joined(separator: ", "))] }
        static func value(of object: NSManagedObject, forKey key: String) -> Any? {
          let object = unsafeDowncast(object, to: \(owner).self)
      \(cases.joined())    return nil
        }
      }

      """)
  }
}
