/// Makes the symbols of managed properties and functions, after the published description of Swift's
/// mangling (docs/ABI/Mangling.rst of the Swift project).
///
/// A symbol is written in postfix order: context (module, types), name, type, kind. Two tables shorten it:
/// *words*, parts of identifiers that occurred before (`04bookC4Name`: word c again), and *substitutions*,
/// identifiers and types that occurred before (`AC`: the third of them). Standard types (`SS`, `Si`) enter
/// neither table.
struct Mangler {
  private let types: TypeIndex
  private var buffer: [UInt8] = Array("$s".utf8)
  /// Where in the buffer each known word stands.
  private var words: [(start: Int, length: Int)] = []
  /// What each substitution stands for, in the order they came up.
  private var substitutions: [Entity] = []
  private var lastSubstitution: (end: Int, letter: UInt8, count: Int, isStandard: Bool)?
  /// The least visible of the module's own types that the symbol names.
  private(set) var leastAccess = SwiftSource.Access.isOpen

  struct Failure: Error { var reason: String }

  private indirect enum Entity: Hashable {
    case identifier(String)
    case nominal(module: String, path: [String])
    case bound(TypeSyntax)
    case optional(Entity)
    case type(String)
  }

  init(types: TypeIndex) { self.types = types }

  /// The symbols of a managed property's accessors.
  static func property(
    _ name: String, type: TypeSyntax, of owner: [String], discriminator: String?, types: TypeIndex
  ) throws -> (getter: String, setter: String, leastAccess: SwiftSource.Access) {
    var mangler = Mangler(types: types)
    try mangler.memberContext(owner)
    try mangler.identifier(name)
    try mangler.privateName(discriminator)
    try mangler.type(type, in: owner)
    return (mangler.text + "vg", mangler.text + "vs", mangler.leastAccess)
  }

  /// The symbol of a managed function that returns nothing.
  static func function(
    _ name: String, parameters: [(label: String, type: TypeSyntax)], of owner: [String],
    discriminator: String?, types: TypeIndex
  ) throws -> (symbol: String, leastAccess: SwiftSource.Access) {
    var mangler = Mangler(types: types)
    try mangler.memberContext(owner)
    try mangler.identifier(name)
    try mangler.privateName(discriminator)
    if parameters.allSatisfy({ $0.label == "_" }) {
      mangler.append("y")
    } else {
      for parameter in parameters {
        if parameter.label == "_" { mangler.append("_") } else { try mangler.identifier(parameter.label) }
      }
    }
    // The result, ().
    mangler.append("y")
    if parameters.count == 1, parameters[0].label == "_" {
      // A single tuple parameter would have to be distinguished from several parameters.
      if case .tuple = parameters[0].type { throw Failure(reason: "a tuple parameter is not supported") }
      try mangler.type(parameters[0].type, in: owner)
    } else {
      try mangler.tuple(parameters.map(\.type), in: owner)
    }
    mangler.append("F")
    return (mangler.text, mangler.leastAccess)
  }

  /// The name that private declarations of a file carry: MD5 of module and file name.
  static func discriminator(module: String, fileName: String) -> String {
    let digest = md5((module + fileName).utf8)
    let hex = digest.map { byte in
      let text = String(byte, radix: 16, uppercase: true)
      return text.count == 1 ? "0" + text : text
    }
    return "_" + hex.joined()
  }

  private var text: String { String(decoding: buffer, as: UTF8.self) }
  private mutating func append(_ text: String) { buffer += Array(text.utf8) }

  private mutating func privateName(_ discriminator: String?) throws {
    guard let discriminator else { return }
    if !substitute(.identifier(discriminator)) { try identifier(discriminator) }
    append("LL")
  }

  /// The class that a member stands in; members in an extension of another module's class also name ours.
  private mutating func memberContext(_ owner: [String]) throws {
    guard let entry = types.lookUp(owner, in: []) else {
      guard let known = KnownTypes.nominal(owner) else {
        throw Failure(reason: "its class \(owner.joined(separator: ".")) is not declared in these sources")
      }
      try nominal(module: known.module, path: owner, kinds: known.kinds)
      try module(types.module)
      append("E")
      return
    }
    try declared(entry)
    if entry.module != types.module {
      try module(types.module)
      append("E")
    }
  }

  private mutating func type(_ type: TypeSyntax, in scope: [String]) throws {
    switch type {
    case .optional(let wrapped):
      let key = Entity.optional(.type(try key(type, in: scope)))
      if substitute(key) { return }
      try self.type(wrapped, in: scope)
      append("Sg")
      substitutions.append(key)
    case .array(let element): try bound("Array", [element], in: scope)
    case .dictionary(let key, let value): try bound("Dictionary", [key, value], in: scope)
    case .tuple(let elements): try tuple(elements, in: scope)
    case .other(let text): throw Failure(reason: "the type \(text) is not supported")
    case .name(let path, let arguments): try named(path, arguments, in: scope)
    }
  }

  private mutating func named(_ path: [String], _ arguments: [TypeSyntax], in scope: [String]) throws {
    if let entry = types.lookUp(path, in: scope) {
      if case .alias(let aliased) = entry.declaration.kind {
        guard arguments.isEmpty, !entry.declaration.isGeneric else {
          throw Failure(reason: "the generic alias \(path.joined(separator: ".")) is not supported")
        }
        return try type(aliased, in: Array(entry.declaration.path.dropLast()))
      }
      guard arguments.isEmpty, !entry.declaration.isGeneric else {
        throw Failure(reason: "the generic type \(path.joined(separator: ".")) is not supported")
      }
      if entry.module == types.module, !types.isHidden(entry.declaration.path) {
        leastAccess = min(leastAccess, entry.declaration.access)
      }
      try declared(entry)
      if case .protocolType = entry.declaration.kind { append("_p") }
      return
    }
    // `Swift.Int`, `Foundation.Date`
    let known = KnownTypes.withoutModule(path)
    let name = known.joined(separator: ".")
    if let aliased = KnownTypes.aliases[name] { return try type(aliased, in: scope) }
    if !arguments.isEmpty { return try bound(name, arguments, in: scope) }
    if name == "Any" { return append("yp") }
    if name == "AnyObject" { return append("yXl") }
    if let code = KnownTypes.standard[name] { return standard(code) }
    guard let found = KnownTypes.nominal(known) else {
      throw Failure(reason: "the type \(path.joined(separator: ".")) is not declared in these sources")
    }
    try nominal(module: found.module, path: known, kinds: found.kinds)
    if found.kinds.last == "P" { append("_p") }
  }

  /// `Sa`, `y`, arguments, `G`.
  private mutating func bound(_ name: String, _ arguments: [TypeSyntax], in scope: [String]) throws {
    if name == "Optional", arguments.count == 1 { return try type(.optional(arguments[0]), in: scope) }
    let syntax = TypeSyntax.name([name], arguments: arguments)
    let key = Entity.type(try key(syntax, in: scope))
    if substitute(key) { return }
    if let code = KnownTypes.generic[name] {
      standard(code)
    } else if let known = KnownTypes.foundationGeneric[name] {
      try nominal(module: known.module, path: [name], kinds: [known.kind])
    } else {
      throw Failure(reason: "the generic type \(name) is not supported")
    }
    append("y")
    for argument in arguments { try type(argument, in: scope) }
    append("G")
    substitutions.append(key)
  }

  private mutating func tuple(_ elements: [TypeSyntax], in scope: [String]) throws {
    if elements.isEmpty { return append("y") }
    for (index, element) in elements.enumerated() {
      try type(element, in: scope)
      if index == 0 { append("_") }
    }
    append("t")
  }

  private mutating func declared(_ entry: TypeIndex.Entry) throws {
    let path = entry.declaration.path
    guard !entry.declaration.isGeneric else {
      throw Failure(reason: "the generic type \(path.joined(separator: ".")) is not supported")
    }
    let isHidden = entry.module == types.module && types.isHidden(path)
    if isHidden, entry.fileName != types.file || !types.isManaged(path) {
      throw Failure(
        reason: "\(path.joined(separator: ".")) is private, and generated code is in another file; "
          + "make it internal")
    }
    var kinds: [Character] = []
    for depth in 1...path.count {
      let outer = types.lookUp(Array(path.prefix(depth)), in: [])
      switch outer?.declaration.kind ?? .structType {
      case .classType: kinds.append("C")
      case .structType: kinds.append("V")
      case .enumType: kinds.append("O")
      case .protocolType: kinds.append("P")
      case .alias: throw Failure(reason: "a type nested in an alias is not supported")
      }
      if outer == nil { throw Failure(reason: "\(path[depth - 1]) is not declared in these sources") }
    }
    try nominal(module: entry.module, path: path, kinds: kinds, isHidden ? entry.fileName : nil)
  }

  /// - Parameter file: the file of a type that is private, or nested in one that is.
  private mutating func nominal(
    module name: String, path: [String], kinds: [Character], _ file: String? = nil
  ) throws {
    let key = Entity.nominal(module: name, path: path)
    if substitute(key) { return }
    let outer = Array(path.dropLast())
    if path.count == 1 {
      try module(name)
    } else {
      try nominal(module: name, path: outer, kinds: Array(kinds.dropLast()), file)
    }
    try identifier(path[path.count - 1])
    // Only the outermost private name carries its file's.
    if let file, types.isHidden(path), !types.isHidden(outer) {
      try privateName(Mangler.discriminator(module: name, fileName: file))
    }
    // A protocol as a type is written without its kind.
    if kinds[kinds.count - 1] != "P" { append(String(kinds[kinds.count - 1])) }
    substitutions.append(key)
  }

  private mutating func module(_ name: String) throws {
    // The standard library has a code of its own.
    if name == "s" { return append("s") }
    if substitute(.identifier(name)) { return }
    try identifier(name)
  }

  /// What a type is, whatever way it is written: its own full mangling without substitutions.
  private func key(_ type: TypeSyntax, in scope: [String]) throws -> String {
    var fresh = Mangler(types: types)
    switch type {
    case .optional(let wrapped): try fresh.type(wrapped, in: scope)
    case .name(_, let arguments):
      fresh.append(type.text)
      for argument in arguments { try fresh.type(argument, in: scope) }
    default: try fresh.type(type, in: scope)
    }
    return fresh.text
  }

  /// Writes a reference to something that came up before: `AC`, and run together `AcE`, `A2C`.
  private mutating func substitute(_ entity: Entity) -> Bool {
    guard let index = substitutions.firstIndex(of: entity) else { return false }
    guard index < 26 else {
      // `A` and a number in base 10, counted from the 27th.
      append("A" + (index == 26 ? "_" : "\(index - 27)_"))
      return true
    }
    let letter = UInt8(ascii: "A") + UInt8(index)
    if let last = lastSubstitution, last.end == buffer.count, !last.isStandard {
      if last.letter == letter {
        repeatLast(letter, last.count, isStandard: false)
      } else {
        buffer[buffer.count - 1] += 32
        buffer.append(letter)
        lastSubstitution = (buffer.count, letter, 1, false)
      }
      return true
    }
    append("A")
    buffer.append(letter)
    lastSubstitution = (buffer.count, letter, 1, false)
    return true
  }

  /// A standard type, `SS`; equal ones in a row are counted, `S2S`.
  private mutating func standard(_ code: String) {
    let letter = Array(code.utf8)[1]
    if let last = lastSubstitution, last.end == buffer.count, last.isStandard, last.letter == letter {
      repeatLast(letter, last.count, isStandard: true)
      return
    }
    append(code)
    lastSubstitution = (buffer.count, letter, 1, true)
  }

  private mutating func repeatLast(_ letter: UInt8, _ count: Int, isStandard: Bool) {
    buffer.removeLast(count == 1 ? 1 : 1 + "\(count)".utf8.count)
    append("\(count + 1)")
    buffer.append(letter)
    lastSubstitution = (buffer.count, letter, count + 1, isStandard)
  }

  /// Length and text; words that came up before are replaced by letters, the last one capital, and the whole
  /// then begins with 0.
  private mutating func identifier(_ name: String) throws {
    let bytes = Array(name.utf8)
    guard !bytes.isEmpty else { throw Failure(reason: "an empty name is not supported") }
    substitutions.append(.identifier(name))
    guard bytes.allSatisfy({ $0 < 0x80 }) else {
      let code = punycode(name)
      // A length must not run into a digit, nor into an underscore.
      return append("00\(code.utf8.count)" + (code.first.map { $0 == "_" || $0.isNumber } == true ? "_" : "") + code)
    }
    var replacements: [(position: Int, word: Int)] = []
    let wordsBefore = words.count
    var wordStart: Int?
    for position in 0...bytes.count {
      let byte = position < bytes.count ? bytes[position] : 0
      if let start = wordStart, Self.isWordEnd(byte, after: bytes[position - 1]) {
        let word = bytes[start..<position]
        let known = words.indices.first { index in
          let place = words[index]
          return place.length == word.count
            && (index < wordsBefore ? buffer : bytes)[place.start..<place.start + place.length] == word
        }
        if let known {
          replacements.append((start, known))
        } else if word.count >= 2, words.count < 26 {
          // Until the name is written, this is the word's place in the name, not in the buffer.
          words.append((start, word.count))
        }
        wordStart = nil
      }
      if wordStart == nil, Self.isWordStart(byte) { wordStart = position }
    }
    if !replacements.isEmpty { append("0") }
    var position = 0
    var pending = wordsBefore
    for (index, replacement) in (replacements + [(bytes.count, -1)]).enumerated() {
      if position < replacement.position {
        append("\(replacement.position - position)")
        while position < replacement.position {
          if pending < words.count, words[pending].start == position {
            words[pending].start = buffer.count
            pending += 1
          }
          buffer.append(bytes[position])
          position += 1
        }
      }
      guard replacement.word >= 0 else { break }
      position += words[replacement.word].length
      let isLast = index == replacements.count - 1
      buffer.append((isLast ? UInt8(ascii: "A") : UInt8(ascii: "a")) + UInt8(replacement.word))
      if isLast, position == bytes.count { append("0") }
    }
  }

  private static func isWordStart(_ byte: UInt8) -> Bool {
    byte != 0 && byte != UInt8(ascii: "_") && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isWordEnd(_ byte: UInt8, after previous: UInt8) -> Bool {
    let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return byte == 0 || byte == UInt8(ascii: "_") || !upper.contains(previous) && upper.contains(byte)
  }
}
