// swift-tools-version: 6.1
// Targets stand in dependency order: an arrow only points up the page.
import PackageDescription

/// The stack guards its state by queues and locks that it states in words, as Apple's does;
/// clients may use any language mode.
let stackSettings: [SwiftSetting] = [.swiftLanguageMode(.v5)]

let package = Package(
  name: "Strata",
  products: [
    .library(name: "CoreData", targets: ["CoreData"]),
    .plugin(name: "CompileDataModel", targets: ["CompileDataModel"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.3.0")
  ],
  targets: [
    // System libraries, and what of the Swift runtime only C can name.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CSwiftRuntime"),

    // Data models on disk, as plain values; shared by the stack and by the compiler.
    .target(name: "DataModelFiles", swiftSettings: stackSettings),

    // The stack.
    .target(
      name: "CoreData",
      dependencies: ["CSQLite", "CZlib", "CSwiftRuntime", "DataModelFiles"],
      swiftSettings: stackSettings),

    // The model compiler: pure, its command line, and the plugin that runs it.
    .target(name: "DataModelCompiler", dependencies: ["DataModelFiles"], swiftSettings: stackSettings),
    .executableTarget(
      name: "momc",
      dependencies: [
        "DataModelCompiler", "DataModelFiles", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: stackSettings),
    .plugin(
      name: "CompileDataModel", capability: .buildTool(), dependencies: ["momc"],
      path: "Sources/Plugins/CompileDataModel"),

    // Tests, in the same order.
    .testTarget(name: "DataModelFilesTests", dependencies: ["DataModelFiles"], swiftSettings: stackSettings),
    .testTarget(
      name: "DataModelCompilerTests", dependencies: ["DataModelCompiler", "DataModelFiles"],
      swiftSettings: stackSettings),
    .testTarget(
      name: "ModelFilesTests", dependencies: ["CoreData", "DataModelFiles"], swiftSettings: stackSettings),
    .testTarget(name: "ModelTests", dependencies: ["CoreData"], swiftSettings: stackSettings),
    .testTarget(name: "PredicateTests", dependencies: ["CoreData"], swiftSettings: stackSettings),
    .testTarget(name: "StackTests", dependencies: ["CoreData"], swiftSettings: stackSettings),
    .testTarget(name: "SQLiteStoreTests", dependencies: ["CoreData"], swiftSettings: stackSettings),
  ]
)
