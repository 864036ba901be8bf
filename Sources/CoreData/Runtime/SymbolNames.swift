internal import CSwiftRuntime
import Foundation

/// Finds names of functions by their addresses, in the symbol tables of the program and its libraries.
///
/// A file's table is read once, and only the getters of key paths are kept. A program that was stripped has
/// none; then nothing is found.
package enum SymbolNames {
  /// The names of getters, by their offset in the file.
  private typealias Table = [UInt: String]

  // Under `lock`.
  nonisolated(unsafe) private static var tables: [UInt: Table] = [:]
  private static let lock = NSLock()

  /// The name of the property whose key path getter is at `address`.
  static func property(getterAt address: UInt) -> String? {
    var base: UnsafeRawPointer?
    guard let code = UnsafeRawPointer(bitPattern: address), let name = core_data_file_of_code(code, &base),
      let base
    else { return nil }
    let start = UInt(bitPattern: base)
    let symbol = lock.withLock { () -> String? in
      if tables[start] == nil { tables[start] = read(String(cString: name), start: base) }
      // Programs that are not position-independent have absolute addresses in their tables.
      return tables[start]?[address - start] ?? tables[start]?[address]
    }
    return symbol.flatMap(propertyName)
  }

  /// The property with a getter, by the getter's address as a key path's description has it.
  package static func property(getterOfStep step: String) -> String? {
    step.hasPrefix("0x") ? UInt(step.dropFirst(2), radix: 16).flatMap(property(getterAt:)) : nil
  }

  /// For the main program `name` is only what it was started as, so its file is found in another way.
  private static func read(_ name: String, start: UnsafeRawPointer) -> Table {
    var ownStart: UnsafeRawPointer?
    let isProgram = core_data_file_of_code(#dsohandle, &ownStart) != nil && ownStart == start
    let path = isProgram ? "/proc/self/exe" : name
    guard let file = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped) else {
      return [:]
    }
    return file.withUnsafeBytes { getters(in: $0) }
  }

  /// Reads the symbols of a 64-bit ELF file whose mangled names end as those of key path getters do.
  ///
  ///     file header: section table's offset at 40 (8 bytes), an entry's size at 58 (2), their number at 60 (2)
  ///     section:     type at 4 (4), offset at 24 (8), size at 32 (8), linked section at 40 (4)
  ///     symbol:      name's offset at 0 (4), address at 8 (8); 24 bytes
  private static func getters(in file: UnsafeRawBufferPointer) -> Table {
    func load<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Int {
      guard offset >= 0, offset + MemoryLayout<Number>.size <= file.count else { return 0 }
      return Int(truncatingIfNeeded: file.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
    let isELF64 = file.count > 64 && file.prefix(5).elementsEqual([0x7F, 0x45, 0x4C, 0x46, 2])
    guard isELF64 else { return [:] }
    let sections = load(40, UInt64.self)
    let sectionSize = load(58, UInt16.self)
    var result: Table = [:]
    for number in 0..<load(60, UInt16.self) {
      let section = sections + number * sectionSize
      // SHT_SYMTAB
      guard load(section + 4, UInt32.self) == 2 else { continue }
      let strings = sections + load(section + 40, UInt32.self) * sectionSize
      let names = load(strings + 24, UInt64.self)
      let start = load(section + 24, UInt64.self)
      for symbol in stride(from: start, to: start + load(section + 32, UInt64.self), by: 24) {
        let name = names + load(symbol, UInt32.self)
        guard name < file.count, file[name] == UInt8(ascii: "$") else { continue }
        var end = name
        while end < file.count, file[end] != 0 { end += 1 }
        // "vp…TK": key path getter of a property.
        guard end - name > 4, file[end - 1] == UInt8(ascii: "K"), file[end - 2] == UInt8(ascii: "T") else {
          continue
        }
        result[UInt(load(symbol + 8, UInt64.self))] = String(decoding: file[name..<end], as: UTF8.self)
      }
    }
    return result
  }

  /// `key path getter for App.Book.title : Swift.Optional<Swift.String> : App.Book` -> `title`. Of a private class or
  /// property the name is `App.(Book in _0123…).title`, of an extension elsewhere `(extension in App):Lib.Book.title`.
  private static func propertyName(_ symbol: String) -> String? {
    guard let text = swift_demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
    defer { free(text) }
    let words = String(cString: text)
    let prefix = "key path getter for "
    guard words.hasPrefix(prefix), let colon = words.range(of: " : ") else { return nil }
    var property = words[words.index(words.startIndex, offsetBy: prefix.count)..<colon.lowerBound]
    if property.hasPrefix("(extension in "), let end = property.firstIndex(of: ":") {
      property = property[property.index(after: end)...]
    }
    property = property.split(separator: "(").map(withoutFile).joined()[...]
    // A subscript is not a property.
    guard property.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }) else { return nil }
    return property.split(separator: ".").last.map(String.init)
  }

  /// `Book in _0123…).title` -> `Book.title`; another text stays.
  private static func withoutFile(_ part: Substring) -> Substring {
    guard let file = part.range(of: " in _"), let end = part[file.upperBound...].firstIndex(of: ")") else {
      return part
    }
    return part[..<file.lowerBound] + part[part.index(after: end)...]
  }
}
