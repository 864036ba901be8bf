import Foundation

/// A book with one of everything, in a folder of its own.
enum SmallBook {
  /// - Returns: The folder, which the caller removes.
  static func make() throws -> URL {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("small-book-\(UUID().uuidString)")
    for (path, text) in files {
      let url = root.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    return root
  }

  static let files = [
    "Chapters/README.md": """
    # A small book

    It has [a first chapter](01-First/README.md).

    """,
    "Chapters/01-First/README.md": #"""
    # 1. The `first`

    What isn't there, <b>isn't</b>. See [a step](../02-SecondStep/README.md#a-step), [the file](Stack.swift),
    [a folder](../Diagrams), [a document](../../NOTES.md) and [a site](https://sqlite.org).

    ![A picture of two things](../Diagrams/pair.svg)

    ```swift file=Chapters/01-First/Stack.swift region=body before=1 after=1
    ```

    ## Output

    ```console transcript=run
    $ swift run First
    …
    <done> & gone
    ```

    ```sql transcript=run
    SELECT *

    FROM ZBOOK
    ```

    ```console command
    $ swift run First
    ```

    ## Output

    | `save()` | what it does |
    |---|---|
    | a | b |

    ```swift unchecked="it does not compile"
    let x: Int = "one"
    ```

    """#,
    "Chapters/02-SecondStep/README.md": """
    # 2. The second

    ## A step

    Back to [the output](../01-First/README.md#output-1), and `context.save()`.

    ![The same picture](../Diagrams/pair.svg)

    ![And again](../Diagrams/pair.svg)

    ```console transcript=table
    Z_PK  ZTITLE
    1     Emma
    2     Dracula
    ```

    ```console transcript=table
    done
    ```

    ```swift difference from=Chapters/01-First/Stack.swift#body to=Chapters/02-SecondStep/Stack.swift#body
    ```

    ```swift file=Chapters/02-SecondStep/Stack.swift region=body
    ```

    ```swift file=Chapters/02-SecondStep/Stack.swift region=body
    ```

    """,
    "Chapters/01-First/Stack.swift": """
    class Stack {
      func run() {
        //> body
        let a = 1 < 2

        print("first")
        //< body
      }
    }

    """,
    "Chapters/02-SecondStep/Stack.swift": """
    class Stack {
      //> body
      let a = 1 < 2

      print("second")
      print("third")
      //< body
    }

    """,
    "Chapters/01-First/run.transcript": """
    $ swift run First
    CoreData: sql: SELECT * FROM ZBOOK
    <done> & gone

    """,
    "Chapters/02-SecondStep/table.transcript": """
    $ swift run Second
    Z_PK  ZTITLE
    1     Emma
    2     Dracula
    done

    """,
    "Chapters/Diagrams/pair.svg": """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10" role="img" aria-labelledby="pair-title">
      <title id="pair-title">A pair</title>
      <style>.pair-box { fill: none; }</style>
      <rect class="pair-box" width="4" height="4"/>
    </svg>

    """,
    "NOTES.md": """
    # Notes

    - See [the first chapter](Chapters/01-First/README.md), [the sources](Sources/CoreData) and
      [a context](Sources/CoreData/Context.swift).

        indented code

    """,
    "Sources/CoreData/Context.swift": """
    open class Context {
      public func save() throws {}
    }

    """,
  ]
}
