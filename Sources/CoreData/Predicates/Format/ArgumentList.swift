internal import CSwiftRuntime
import Foundation

/// Stands for an argument of a format that was given none; the parser makes nil of it.
struct NoArgument {}

/// Reads the C arguments that a format needs.
enum ArgumentList {
  /// The type that C passes for a conversion.
  private enum Kind: UInt8 {
    case int32 = 0x69  // i
    case int64 = 0x6C  // l
    case real = 0x64  // d
    case pointer = 0x70  // p
  }

  private struct Conversion {
    let letter: UInt8
    /// How many `h` and `l` it has; `q`, `j`, `z` and `t` count as an `l`.
    let shorts: Int
    let longs: Int

    init(_ text: UnsafeBufferPointer<UInt8>) {
      letter = text.last!
      shorts = text.filter { $0 == UInt8(ascii: "h") }.count
      longs = text.filter { "lqjzt".utf8.contains($0) }.count
    }

    var isKeyPath: Bool { letter == UInt8(ascii: "K") }

    var kind: Kind {
      switch letter {
      case UInt8(ascii: "@"), UInt8(ascii: "K"), UInt8(ascii: "s"), UInt8(ascii: "S"): .pointer
      case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "g"),
        UInt8(ascii: "G"), UInt8(ascii: "a"), UInt8(ascii: "A"):
        .real
      default: longs > 0 ? .int64 : .int32
      }
    }

    func value(_ word: UInt64) -> Any? {
      switch (kind, letter) {
      case (.real, _): return Double(bitPattern: word)
      case (.pointer, UInt8(ascii: "s")):
        return UnsafePointer<CChar>(bitPattern: UInt(word)).map { String(cString: $0) }
      case (.pointer, UInt8(ascii: "S")):
        return UnsafePointer<UInt16>(bitPattern: UInt(word)).map {
          String(decodingCString: $0, as: UTF16.self)
        }
      case (.pointer, _):
        guard let address = UnsafeRawPointer(bitPattern: UInt(word)) else { return nil }
        return DescribedArguments.value(of: Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue())
      case (_, UInt8(ascii: "u")), (_, UInt8(ascii: "U")), (_, UInt8(ascii: "x")), (_, UInt8(ascii: "X")),
        (_, UInt8(ascii: "o")), (_, UInt8(ascii: "O")):
        if longs > 0 { return word }
        return shorts == 0 ? UInt64(UInt32(truncatingIfNeeded: word)) : UInt64(narrow(word))
      default:
        if longs > 0 { return Int64(bitPattern: word) }
        if shorts == 0 { return Int64(Int32(truncatingIfNeeded: word)) }
        return shorts == 1 ? Int64(Int16(truncatingIfNeeded: word)) : Int64(Int8(truncatingIfNeeded: word))
      }
    }

    private func narrow(_ word: UInt64) -> UInt16 {
      shorts == 1 ? UInt16(truncatingIfNeeded: word) : UInt16(UInt8(truncatingIfNeeded: word))
    }
  }

  /// The arguments for `format`. Throws `Failure.malformedPredicate` before it reads any of them.
  static func values(for format: String, from list: CVaListPointer) throws -> [Any?] {
    let conversions = try self.conversions(in: format)
    let kinds = conversions.map { CChar(bitPattern: $0.kind.rawValue) }
    var words = [UInt64](repeating: 0, count: conversions.count)
    core_data_take_arguments(list, kinds, kinds.count, &words)
    return zip(conversions, words).map { $0.value($1) }
  }

  /// The arguments of a program's call. Where a format asks for some and none was given, each is a `NoArgument`, and a
  /// warning says so.
  ///
  /// On Apple's platforms such a format takes what lies on the stack, and the program mostly goes on. With some
  /// arguments, but too few, and with `%K`, which can't be nil, the parser refuses the format.
  static func given(_ arguments: [Any?], for format: String) -> [Any?] {
    guard arguments.isEmpty, format.utf8.contains(UInt8(ascii: "%")), let conversions = try? conversions(in: format),
      !conversions.isEmpty, !conversions.contains(where: \.isKeyPath)
    else { return arguments }
    warn(.formatWithoutArguments(format).locating(CallSite.ofClient()))
    return conversions.map { _ in NoArgument() }
  }

  private static func conversions(in format: String) throws -> [Conversion] {
    var text = format
    do {
      return try text.withUTF8 { bytes in
        var lexer = PredicateLexer(bytes)
        var found: [Conversion] = []
        while true {
          let token = try lexer.next()
          if token.kind == .end { return found }
          guard token.kind == .argument else { continue }
          let spelling = UnsafeBufferPointer(rebasing: bytes[token.start..<token.end])
          if spelling.contains(UInt8(ascii: "L")) {
            throw PredicateSyntaxError(
              at: token.start, "a long double can't be taken from a list of arguments")
          }
          found.append(Conversion(spelling))
        }
      }
    } catch let error as PredicateSyntaxError {
      throw error.failure(in: format)
    }
  }
}
