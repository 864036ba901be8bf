import Foundation

extension MethodCall {
  /// Methods of strings. URLs and UUIDs have them too, by their text.
  static let textMethods: [String: Call] = {
    var methods: [String: Call] = [
      "length": { operand, _ in try FunctionEvaluation.of(.length)([operand]) },
      "uppercaseString": string { $0.uppercased() },
      "lowercaseString": string { $0.lowercased() },
      "capitalizedString": string { $0.capitalized },
      "lastPathComponent": string { NSString(string: $0).lastPathComponent },
      "pathExtension": string { NSString(string: $0).pathExtension },
      "stringByDeletingLastPathComponent": string { NSString(string: $0).deletingLastPathComponent },
      "stringByDeletingPathExtension": string { NSString(string: $0).deletingPathExtension },
      "absoluteString": url { $0.absoluteString },
      "path": url { $0.path },
      "host": url { $0.host },
      "scheme": url { $0.scheme },
      "query": url { $0.query },
      "UUIDString": uuid,
      "uuidString": uuid,
      "stringValue": string { $0 },
      "stringByAppendingString:": strings { .string($0 + $1) },
      "componentsSeparatedByString:": strings { text, separator in
        .collection(text.components(separatedBy: separator).map(PredicateConstant.string))
      },
      "hasPrefix:": test(.start),
      "hasSuffix:": test(.end),
      "containsString:": test(.anywhere),
      "localizedCaseInsensitiveContainsString:": test(.anywhere, [.caseInsensitive]),
      "localizedStandardContainsString:": test(.anywhere, [.caseInsensitive, .diacriticInsensitive]),
      "isEqualToString:": strings { .bool(binaryEqual($0, $1)) },
      "compare:": { operand, arguments in
        ValueComparison.order(operand.constant, arguments[0].constant).map {
          .constant(.int(Int64($0.signum())))
        }
          ?? .null
      },
      "caseInsensitiveCompare:": order([.caseInsensitive]),
      "localizedCompare:": order([.localeSensitive]),
      "localizedCaseInsensitiveCompare:": order([.caseInsensitive, .localeSensitive]),
      "substringToIndex:": slice { units, index in units[..<index] },
      "substringFromIndex:": slice { units, index in units[index...] },
    ]
    methods["stringByReplacingOccurrencesOfString:withString:"] = { operand, arguments in
      guard let whole = text(operand), let old = text(arguments[0]), let new = text(arguments[1]) else {
        return .null
      }
      return .constant(.string(whole.replacingOccurrences(of: old, with: new)))
    }
    return methods
  }()

  private static func string(_ apply: @escaping (String) -> String) -> Call {
    { operand, _ in text(operand).map { .constant(.string(apply($0))) } ?? .null }
  }

  private static func strings(_ apply: @escaping (String, String) -> PredicateConstant) -> Call {
    { operand, arguments in
      guard let a = text(operand), let b = text(arguments[0]) else { return .null }
      return .constant(apply(a, b))
    }
  }

  private static func test(_ anchor: TextAnchor, _ options: Comparison.Options = []) -> Call {
    strings { whole, piece in .bool(StringFinder(piece, anchor, options: options).matches(whole)) }
  }

  /// The order as -1, 0 or 1, like the raw values of `ComparisonResult`.
  private static func order(_ options: Comparison.Options) -> Call {
    strings { .int(Int64(compareStrings($0, $1, options: options, foldsWidth: false).signum())) }
  }

  private static func url(_ apply: @escaping (URL) -> String?) -> Call {
    { operand, _ in
      guard case .constant(.url(let url)) = operand, let part = apply(url) else { return .null }
      return .constant(.string(part))
    }
  }

  private static let uuid: Call = { operand, _ in
    guard case .constant(.uuid(let uuid)) = operand else { return .null }
    return .constant(.string(uuid.uuidString))
  }

  /// Cuts a string at an index, which counts UTF-16 units as in NSString; nil if the index is beyond the end.
  private static func slice(_ cut: @escaping (ArraySlice<UInt16>, Int) -> ArraySlice<UInt16>) -> Call {
    { operand, arguments in
      guard let units = text(operand).map({ Array($0.utf16)[...] }),
        let number = arguments[0].constant.number,
        let index = Int(exactly: number), index >= 0, index <= units.count
      else { return .null }
      return .constant(.string(String(decoding: cut(units, index), as: UTF16.self)))
    }
  }
}
