internal import CoreData
import Foundation

/// The functions and collations that the SQL of a predicate calls. They have the same names as in a SQLite store, where
/// the program implements them. Here they are created with the tables.
///
/// | function | result |
/// |---|---|
/// | NSCoreDataFold(text, options) | a text with the same bytes for all texts that are equal under the options |
/// | NSCoreDataStringCompare(a, b, options, locale) | -1, 0, 1 |
/// | NSCoreDataStringSearch(text, piece, options, locale) | whether the text contains the piece |
/// | NSCoreDataLike(text, pattern, options) | whether the whole text matches the pattern of `LIKE` |
/// | NSCoreDataMatches(text, pattern, options) | whether the whole text matches the regular expression |
/// | NSCoreDataText(number or text) | the value as text, the same text as in memory |
/// | NSCoreDataDivide(number, number) | the quotient of a number that was text; it is whole if both numbers are |
/// | NSCoreDataNumber(number or text), NSCoreDataReal(…) | the number at the beginning of the text, or 0 |
/// | NSCoreDataPower(number, number), NSCoreDataExponential(number) | infinite or 0 if out of bounds; null for NaN |
/// | NSCoreDataShift(number, width, direction) | the number shifted to the left (1) or right (-1), by any width |
/// | NSCoreDataVersion() | the `version` that made the functions; version 1 had no such function |
///
/// A function names its schema wherever it calls another one, or uses a collation. So it does the same whatever the
/// search path: that of a program which writes with SQL, or of the server when it makes statistics. `SET search_path`
/// would do so too, but then the server could not put the function's body in the place of a call.
///
/// The bits of `options`: 1 ignores case, 128 ignores diacritics, 256 ignores the width of letters, 32 uses the locale,
/// 2²⁰ finds whole words, 8 searches at the start, 12 at the end. Case and marks are those of ICU. Two results differ
/// from those in memory: regular expressions are PostgreSQL's, and the order by locale is that of ICU's root locale.
enum StoreFunctions {
  /// Raise it with every change of a statement, and leave a function's parameters and its result's type as they are: a
  /// function with others can't be replaced.
  static let version: Int64 = 4

  /// - Parameter schema: the schema that they are made in, which is the connection's current one, in quotes.
  static func statements(in schema: String) -> [String] {
    func make(_ signature: String, _ result: String, _ body: String) -> String {
      let body = body.replacingOccurrences(of: "NSCo", with: "\(schema).NSCo")
      return "CREATE OR REPLACE FUNCTION NSCoreData\(signature) RETURNS \(result) "
        + "LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $f$ SELECT \(body) $f$"
    }
    return collations + [
      // A class of base letters whose marks are diacritics, and the marks behind them.
      make(
        "FoldMarks(text, bigint)", "text",
        """
        CASE WHEN $2 & 128 = 0 THEN $1 ELSE regexp_replace($1,
          '([\\u0001-\\u02ff\\u0370-\\u0482\\u0488-\\u052f\\u1e00-\\u1fff\\u2c60-\\u2c7f])[\(marks)]+', '\\1', 'g') END
        """),
      // ı is kept, because its capital is that of another letter. ς is a σ at the end of a word.
      make(
        "FoldCase(text, bigint)", "text",
        """
        CASE WHEN $2 & 1 = 0 THEN $1 ELSE replace(replace(lower(upper(replace($1, 'ı', U&'\\E000')
          COLLATE "und-x-icu") COLLATE "und-x-icu"), U&'\\E000', 'ı'), 'ς', 'σ') END
        """),
      // ￣ would become a blank with a mark.
      make(
        "FoldWidth(text, bigint)", "text",
        """
        CASE WHEN $2 & 256 = 0 OR $1 !~ '[\\u3000\\uff01-\\uffee]' THEN $1 ELSE (
            SELECT string_agg(CASE WHEN letter = '￣' THEN '¯' WHEN letter ~ '[\\u3000\\uff01-\\uffee]'
              THEN normalize(letter, NFKC) ELSE letter END, '' ORDER BY number)
            FROM regexp_split_to_table($1, '') WITH ORDINALITY AS letters(letter, number)) END
        """),
      make(
        "Fold(text, bigint)", "text",
        """
        CASE WHEN $2 & 129 = 0 THEN $1
          WHEN $1 ~ '^[\\x01-\\x7f]*$' THEN CASE WHEN $2 & 1 = 0 THEN $1 ELSE lower($1 COLLATE "und-x-icu") END
          ELSE normalize(NSCoreDataFoldCase(NSCoreDataFoldMarks(normalize(NSCoreDataFoldWidth($1, $2), NFD), $2), $2),
            NFC) END
        """),
      make("Order(text, text)", "bigint", "CASE WHEN $1 < $2 THEN -1 WHEN $1 > $2 THEN 1 ELSE 0 END::bigint"),
      make(
        "StringCompare(text, text, bigint, bigint)", "bigint",
        """
        CASE WHEN $3 & 32 <> 0 THEN NSCoreDataOrder(NSCoreDataFold($1, $3) COLLATE NSCollateLocale,
            NSCoreDataFold($2, $3) COLLATE NSCollateLocale)
          ELSE NSCoreDataOrder(NSCoreDataFold($1, $3) COLLATE "C", NSCoreDataFold($2, $3) COLLATE "C") END
        """),
      // For whole words, a letter or digit at an end of the piece must not have another beside it.
      make(
        "WordPlace(text, text, bigint)", "boolean",
        """
        $1 ~ (
          CASE WHEN $3 & 12 = 8 THEN '^' WHEN $2 ~ '^\(wordLetter)' THEN '(?<!\(wordLetter))' ELSE '' END
          || regexp_replace($2, '([\\x01-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f])', '\\\\\\1', 'g')
          || CASE WHEN $3 & 12 = 12 THEN '$' WHEN $2 ~ '\(wordLetter)$' THEN '(?!\(wordLetter))' ELSE '' END)
        """),
      // An empty piece is in no text.
      make(
        "Place(text, text, bigint)", "boolean",
        """
        $2 <> '' AND CASE WHEN $3 & 1048576 <> 0 THEN NSCoreDataWordPlace($1, $2, $3)
          WHEN $3 & 12 = 8 THEN starts_with($1, $2) WHEN $3 & 12 = 12 THEN right($1, length($2)) = $2
          ELSE strpos($1, $2) > 0 END
        """),
      make(
        "StringSearch(text, text, bigint, bigint)", "boolean",
        "NSCoreDataPlace(NSCoreDataFold($1, $3) COLLATE \"C\", NSCoreDataFold($2, $3) COLLATE \"C\", $3)"),
      """
      CREATE OR REPLACE FUNCTION NSCoreDataLikePattern(pattern text) RETURNS text
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      DECLARE
        result text := '';
        letter text;
        escaped boolean := false;
      BEGIN
        FOREACH letter IN ARRAY string_to_array(pattern, NULL) LOOP
          IF escaped OR letter NOT IN ('*', '?', '\\') THEN
            result := result || CASE WHEN letter IN ('%', '_', '\\') THEN '\\' ELSE '' END || letter;
            escaped := false;
          ELSIF letter = '\\' THEN escaped := true;
          ELSE result := result || CASE letter WHEN '*' THEN '%' ELSE '_' END;
          END IF;
        END LOOP;
        RETURN result || CASE WHEN escaped THEN '\\\\' ELSE '' END;
      END $$
      """,
      make(
        "Like(text, text, bigint)", "boolean",
        "NSCoreDataFold($1, $3 & ~256) COLLATE \"C\" LIKE NSCoreDataLikePattern(NSCoreDataFold($2, $3 & ~256))"),
      make(
        "Matches(text, text, bigint)", "boolean",
        """
        NSCoreDataFold($1, $3 & 128) COLLATE "und-x-icu"
          ~ ('(?p' || CASE WHEN $3 & 1 = 0 THEN '' ELSE 'i' END || ')^(?:' || NSCoreDataFold($2, $3 & 128) || ')$')
        """),
      make("Text(text)", "text", "$1"),
      make("Text(bigint)", "text", "$1::text COLLATE \"C\""),
      make("Text(numeric)", "text", "trim_scale($1)::text COLLATE \"C\""),
      // A whole number has one decimal place, and zero has no sign.
      make(
        "Text(double precision)", "text",
        """
        CASE WHEN $1 = 0 THEN '0.0' WHEN $1::text ~ '[.eNI]' THEN $1::text ELSE $1::text || '.0' END COLLATE "C"
        """),
      // The number at the beginning of the text, or 0.
      make(
        "Real(text)", "double precision",
        """
        coalesce(substring($1 FROM '^\\s*([-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?)')::double precision, 0)
        """),
      make("Real(double precision)", "double precision", "$1"),
      make("Real(bigint)", "double precision", "$1::double precision"),
      make("Real(numeric)", "double precision", "$1::double precision"),
      make("Number(text)", "double precision", "NSCoreDataReal($1)"),
      make("Number(double precision)", "double precision", "$1"),
      make("Number(bigint)", "bigint", "$1"),
      make("Number(numeric)", "numeric", "$1"),
      // Whole numbers have a whole quotient, cut towards zero.
      make(
        "Divide(double precision, bigint)", "double precision",
        """
        CASE WHEN $2 = 0 THEN NULL WHEN $1 = trunc($1) THEN trunc($1 / $2::double precision)
          ELSE $1 / $2::double precision END
        """),
      make(
        "Divide(double precision, double precision)", "double precision", "CASE WHEN $2 <> 0 THEN $1 / $2 END"),
      make("Divide(bigint, bigint)", "bigint", "CASE WHEN $2 <> 0 THEN $1 / $2 END"),
      make("Divide(numeric, numeric)", "numeric", "CASE WHEN $2 <> 0 THEN $1 / $2 END"),
      make("Uppercase(text)", "text", "upper($1 COLLATE \"und-x-icu\")"),
      make("Lowercase(text)", "text", "lower($1 COLLATE \"und-x-icu\")"),
      make("Canonical(text)", "text", "NSCoreDataFold($1, 129)"),
      make("SquareRoot(double precision)", "double precision", "CASE WHEN $1 >= 0 THEN sqrt($1) END"),
      make("Logarithm(double precision)", "double precision", "CASE WHEN $1 > 0 THEN ln($1) END"),
      make("Logarithm10(double precision)", "double precision", "CASE WHEN $1 > 0 THEN log10($1) END"),
      // The logarithm of the result says whether it has room. The least exponent for which it may have none, beside a
      // number that is nearly 0 or infinite, is above one half.
      make(
        "Power(double precision, double precision)", "double precision",
        """
        CASE WHEN $1 = 0 AND $2 < 0 THEN 'Infinity'
          WHEN $1 < 0 AND $2 <> trunc($2) THEN CASE WHEN $1 = '-Infinity' THEN power(-$1, $2) END
          WHEN $1 = 0 OR $2 = 1 OR abs($2) <= 0.5 OR abs($1) >= 'Infinity' OR abs($2) >= 'Infinity'
            THEN NULLIF(power($1, $2), 'NaN')
          WHEN least(greatest($2, -1e300), 1e300) * ln(abs($1)) > 709.782712893383
            THEN CASE WHEN $1 < 0 AND $2 / 2 <> trunc($2 / 2) THEN '-Infinity' ELSE 'Infinity' END::double precision
          WHEN least(greatest($2, -1e300), 1e300) * ln(abs($1)) < -745.133 THEN 0
          ELSE power($1, $2) END
        """),
      make(
        "Exponential(double precision)", "double precision",
        """
        CASE WHEN $1 > 709.782712893384 THEN 'Infinity' WHEN $1 < -745.133219101941 THEN 0
          ELSE NULLIF(exp($1), 'NaN') END
        """),
      make(
        "Shift(bigint, bigint, bigint)", "bigint",
        """
        (SELECT CASE WHEN width >= 64 THEN 0 WHEN width >= 0 THEN $1 << width::integer
            WHEN width > -64 THEN $1 >> (-width)::integer WHEN $1 < 0 THEN -1 ELSE 0 END
          FROM (SELECT least(greatest($2, -64), 64) * $3 AS width) AS widths)
        """),
      make(
        "Least(VARIADIC anycompatiblearray)", "anycompatible",
        "(SELECT CASE WHEN bool_or(v IS NULL) THEN NULL ELSE min(v) END FROM unnest($1) AS v)"),
      make(
        "Greatest(VARIADIC anycompatiblearray)", "anycompatible",
        "(SELECT CASE WHEN bool_or(v IS NULL) THEN NULL ELSE max(v) END FROM unnest($1) AS v)"),
      // The call adds nothing. It says which schema the functions were made for, should that get another name.
      make("Version()", "bigint", "\(version) + NSCoreDataOrder('', '')"),
    ]
  }

  /// Created before the functions that use them.
  static let collations = [
    "CREATE COLLATION IF NOT EXISTS NSCollateLocale (provider = icu, locale = 'und')",
    "CREATE COLLATION IF NOT EXISTS NSCollateLocaleNoCase "
      + "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    "CREATE COLLATION IF NOT EXISTS NSCollateLocaleSensitive (provider = icu, locale = 'und-u-kn-true')",
  ]

  /// An ASCII letter, a digit, `_`, or any character beyond ASCII.
  private static let wordLetter = "[^\\x01-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]"

  private static let marks =
    "\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u1ab0-\\u1abd\\u1dc0-\\u1dff\\u20d0-\\u20dc\\ufe20-\\ufe2f"
}

extension StoreFunctions {
  /// The version of the functions in the connection's current schema; 0 if there are none. Functions of a schema that
  /// has got another name since count as the first version: they call what they don't find.
  static func madeVersion(_ connection: Connection) throws -> Int64 {
    let rows = try connection.execute(
      """
      SELECT COALESCE(max(CASE WHEN p.proname = 'nscoredatafold' THEN 1
        WHEN strpos(p.prosrc, '"' || replace(current_schema()::text, '"', '""') || '".') > 0
        THEN substring(p.prosrc FROM '[0-9]+')::bigint END), 0)
      FROM pg_proc p
      WHERE p.pronamespace = \(ServerSchema.namespace) AND p.proname IN ('nscoredatafold', 'nscoredataversion')
      """)
    return rows.int(0, 0)
  }

  /// Makes the functions, or replaces those of an earlier version, in the open transaction. Statements that call them
  /// don't wait, and don't hold this up.
  static func renew(_ connection: Connection) throws {
    guard try madeVersion(connection) < version else { return }
    let schema = try connection.execute("SELECT current_schema()::text").text(0, 0) ?? ""
    for statement in statements(in: SQLName.identifier(schema)) { try connection.run(statement) }
  }
}
