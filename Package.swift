// swift-tools-version: 6.2
// Targets stand in dependency order: an arrow only points up the page.
import CompilerPluginSupport
import Foundation
import PackageDescription

/// The stack guards its state by queues and locks that it states in words, as Apple's does;
/// clients may use any language mode.
let stackSettings: [SwiftSetting] = [.swiftLanguageMode(.v5)]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// A chapter is two targets: its stack as a library, which tests and tools can use too, and its thin program.
///
/// What lies in the folder besides is no source: the text, the transcripts, the models, which the plugin compiles, and
/// files that the program is given.
func chapter(
  _ folder: String, _ name: String, copying copied: [String] = [], dependencies: [Target.Dependency] = [],
  programDependencies: [Target.Dependency] = []
) -> [Target] {
  let path = "Chapters/\(folder)"
  let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(Context.packageDirectory)/\(path)")) ?? []
  let others = files.filter { !$0.hasSuffix(".swift") && !copied.contains($0) }
  return [
    .target(
      name: "\(name)Chapter", dependencies: ["CoreData"] + dependencies, path: path, exclude: others.sorted(),
      resources: copied.map { .copy($0) }, swiftSettings: stackSettings, plugins: [.plugin(name: "CompileDataModel")]),
    .executableTarget(
      name: name,
      dependencies: [
        .target(name: "\(name)Chapter"), "ChapterSupport", "OutputFiles", "StepRecorder", "StoreFileReader",
        argumentParser,
      ] + programDependencies,
      path: "\(path)/Program", swiftSettings: stackSettings),
  ]
}

let package = Package(
  name: "Strata",
  products: [
    .library(name: "CoreData", targets: ["CoreData"]),
    .library(name: "SwiftData", targets: ["SwiftData"]),
    // It loads libpq when a program opens such a store; nothing of it is needed to build.
    .library(name: "PostgreSQLStore", targets: ["PostgreSQLStore"]),
    .library(name: "Comparison", targets: ["Comparison"]),
    // For the benchmarks, which import a catalogue as the chapter does.
    .library(name: "LibraryCatalogChapter", targets: ["LibraryCatalogChapter"]),
    // For the fuzzers: what they feed besides the stack.
    .library(name: "FuzzedModules", targets: ["BookText", "DataModelCompiler", "DataModelFiles"]),
    .plugin(name: "CompileDataModel", targets: ["CompileDataModel"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.3.0"),
    // The book's pages, and looking at them: no part of the stack, and no client of it builds them.
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
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
    .target(name: "SwiftTokens"),
    .target(
      name: "DataModelCompiler", dependencies: ["DataModelFiles", "SwiftTokens"], swiftSettings: stackSettings),
    .executableTarget(
      name: "momc",
      dependencies: [
        "DataModelCompiler", "DataModelFiles", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: stackSettings),
    .plugin(
      name: "CompileDataModel", capability: .buildTool(), dependencies: ["momc"],
      path: "Sources/Plugins/CompileDataModel"),

    // What the tests share: folders, and where other people's files are.
    .target(name: "TestFiles", path: "Tests/TestFiles"),

    // Tests, in the same order.
    .testTarget(
      name: "DataModelFilesTests", dependencies: ["DataModelFiles", "TestFiles"], swiftSettings: stackSettings),
    .testTarget(
      name: "DataModelCompilerTests", dependencies: ["DataModelCompiler", "DataModelFiles"],
      swiftSettings: stackSettings),
    .testTarget(
      name: "ModelFilesTests", dependencies: ["CoreData", "DataModelFiles", "TestFiles"], swiftSettings: stackSettings),
    .testTarget(name: "ModelTests", dependencies: ["CoreData"], swiftSettings: stackSettings),
    .testTarget(name: "PredicateTests", dependencies: ["CoreData"], swiftSettings: stackSettings),

    // A store on a PostgreSQL server.
    .target(name: "CPostgreSQL", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(
      name: "PostgreSQLStore", dependencies: ["CoreData", "CPostgreSQL"], exclude: ["README.md"],
      swiftSettings: stackSettings),

    // A second pair of eyes on a store's file, and looking into files: what they hold, as values and texts, and what is
    // wrong with them.
    .target(
      name: "StoreFileReader", dependencies: ["CSQLite"], path: "Chapters/Support/StoreFileReader",
      swiftSettings: stackSettings),
    .target(
      name: "Inspection",
      dependencies: ["CoreData", "CSQLite", "DataModelFiles", "PostgreSQLStore", "StoreFileReader"],
      swiftSettings: stackSettings),
    // Random numbers that come again, for every suite that plays.
    .target(name: "TestDice", path: "Tests/TestDice"),
    .testTarget(
      name: "StackTests",
      dependencies: ["CoreData", "Inspection", "PostgreSQLStore", "PostgreSQLTestServer", "TestDice", "TestFiles"],
      swiftSettings: stackSettings),
    .testTarget(
      name: "MigrationTests",
      dependencies: ["CoreData", "CSQLite", "DataModelFiles", "Inspection", "TestDice", "TestFiles"],
      swiftSettings: stackSettings),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: ["CoreData", "Inspection", "PostgreSQLStore", "PostgreSQLTestServer", "TestDice", "TestFiles"],
      swiftSettings: stackSettings),

    // Models that are plain Swift classes: what their macros write, the program that the compiler asks for it, and the
    // module. A client of `CoreData` alone builds none of them.
    .target(name: "ModelMacros", dependencies: ["SwiftTokens"]),
    .macro(name: "SwiftDataMacros", dependencies: ["ModelMacros"]),
    .target(
      name: "SwiftData", dependencies: ["CSwiftRuntime", "CoreData", "SwiftDataMacros"], swiftSettings: stackSettings),
    .testTarget(name: "ModelMacrosTests", dependencies: ["ModelMacros"]),
    .testTarget(
      name: "SwiftDataTests", dependencies: ["CoreData", "CSQLite", "SwiftData", "TestFiles"],
      swiftSettings: stackSettings),

    // A PostgreSQL server of tests', chapters' and the comparison's own.
    .target(name: "PrivateServer", path: "Chapters/Support/PrivateServer"),
    .target(name: "PostgreSQLTestServer", dependencies: ["PrivateServer"], path: "Tests/PostgreSQLTestServer"),

    // Sources as applications have them, with `import CoreData` or `import SwiftData` alone.
    .testTarget(
      name: "SurfaceTests", dependencies: ["CoreData", "TestFiles"],
      exclude: ["Diary.xcdatamodeld", "Journal.xcdatamodeld"], swiftSettings: stackSettings,
      plugins: ["CompileDataModel"]),
    .testTarget(
      name: "SurfaceSwift6Tests", dependencies: ["CoreData", "SwiftData"], swiftSettings: [.swiftLanguageMode(.v6)],
      plugins: ["CompileDataModel"]),
    .testTarget(
      name: "SurfaceMainActorTests", dependencies: ["CoreData"], exclude: ["Grove.xcdatamodeld"],
      swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)], plugins: ["CompileDataModel"]),

    // Code in the shapes that applications and their libraries have.
    .testTarget(
      name: "ClientIdioms", dependencies: ["CoreData"], exclude: ["Pantry.xcdatamodeld"],
      swiftSettings: stackSettings, plugins: ["CompileDataModel"]),

    // What tests that start programs share.
    .target(name: "BuiltPrograms", path: "Tests/BuiltPrograms"),

    // Several processes that write one store on a server.
    .executableTarget(
      name: "PostgreSQLWriter", dependencies: ["CoreData", "PostgreSQLStore"], path: "Tests/PostgreSQLWriter",
      swiftSettings: stackSettings),

    // Durability: files that fail on request, a program that is killed and breaks files, and tests with both. Nothing
    // of it is in a product.
    .target(name: "FaultyFiles", dependencies: ["CSQLite"], path: "Tests/FaultyFiles"),
    .target(
      name: "DurabilitySupport", dependencies: ["CoreData", "FaultyFiles", "TestDice"], path: "Tests/DurabilitySupport",
      swiftSettings: stackSettings),
    .executableTarget(
      name: "StoreCrasher",
      dependencies: [
        "CoreData", "CSQLite", "DataModelFiles", "DurabilitySupport", "FaultyFiles", "Inspection", "TestDice",
        argumentParser,
      ],
      path: "Tests/StoreCrasher", swiftSettings: stackSettings),
    .testTarget(
      name: "DurabilityTests",
      dependencies: ["BuiltPrograms", "CoreData", "DurabilitySupport", "StoreCrasher", "TestDice"],
      swiftSettings: stackSettings),

    // What tools and chapters write files with, where a person has said where to.
    .target(name: "OutputFiles"),
    .testTarget(name: "OutputFilesTests", dependencies: ["OutputFiles"]),

    // What the chapters' programs share.
    .target(
      name: "ChapterSupport", dependencies: [argumentParser], path: "Chapters/Support/ChapterSupport",
      swiftSettings: stackSettings),

    // The book's steppers: the frames as values, the SQL that Core Data prints between them, and what records them in a
    // chapter's program.
    .target(name: "StepFrames", path: "Chapters/Support/StepFrames"),
    .target(name: "SQLDebugLog", path: "Chapters/Support/SQLDebugLog"),
    .target(
      name: "StepRecorder", dependencies: ["CoreData", "StepFrames", "StoreFileReader"],
      path: "Chapters/Support/StepRecorder", swiftSettings: stackSettings),

    // Looking into files: the command line.
    .executableTarget(
      name: "inspect", dependencies: ["DataModelFiles", "Inspection", "OutputFiles", argumentParser],
      swiftSettings: stackSettings),
    .testTarget(
      name: "PostgreSQLStoreTests",
      dependencies: [
        "BuiltPrograms", "CoreData", "Inspection", "PostgreSQLStore", "PostgreSQLTestServer", "PostgreSQLWriter",
        "inspect",
      ],
      swiftSettings: stackSettings),
    .testTarget(
      name: "InspectionTests",
      dependencies: [
        "BookText", "BuiltPrograms", "CSQLite", "CoreData", "DataModelFiles", "Inspection", "StoreFileReader",
        "TestFiles", "inspect",
      ],
      swiftSettings: stackSettings),
  ]
    // The book: its texts held against sources and programs, and its command line.
    + [
      .target(name: "BookText", dependencies: ["OutputFiles", "SQLDebugLog", "StepFrames", "SwiftTokens"]),
      .target(
        name: "BookPages",
        dependencies: [
          "BookText", "StepFrames", .product(name: "Mustache", package: "swift-mustache"),
          .product(name: "FlyingFox", package: "FlyingFox"), .product(name: "FlyingSocks", package: "FlyingFox"),
        ],
        resources: [.copy("Resources")]),
      .executableTarget(
        name: "book", dependencies: ["BookPages", "BookText", "ComparisonPages", argumentParser],
        swiftSettings: stackSettings),
      .testTarget(name: "BookTextTests", dependencies: ["BookText", "StepFrames"]),
      .testTarget(
        name: "BookPagesTests", dependencies: ["BookPages", "BookText", "ComparisonPages", "TestDice"],
        exclude: ["Browser", "searches.json"]),
    ]
    // The exercises' tool: runs a learner's and proves the book's. The exercises themselves are at the end of this
    // file.
    + [
      .target(name: "Learning", dependencies: ["BookText", "DataModelFiles", "OutputFiles", "SwiftTokens"]),
      .executableTarget(name: "learn", dependencies: ["Learning", argumentParser]),
      .testTarget(name: "LearningTests", dependencies: ["BookText", "Learning"]),
    ]
    // The comparison of set-ups: what it measures with, two set-ups that have no chapter, all of them as it takes them,
    // and its command line.
    + [
      .target(
        name: "Comparison",
        dependencies: [
          "BookText", "ChapterSupport", "CoreData", "PostgreSQLStore", "PrivateServer", "StoreFileReader",
        ],
        exclude: ["Books.xcdatamodeld"], swiftSettings: stackSettings, plugins: [.plugin(name: "CompileDataModel")]),
      .target(name: "ParentChildSetup", dependencies: ["CoreData"], swiftSettings: stackSettings),
      .target(name: "ActorWriterSetup", dependencies: ["CoreData"]),
      .target(
        name: "ChapterSetups",
        dependencies: [
          "ActorWriterSetup", "Comparison", "ContainerStackChapter", "CoreData", "DataControllerChapter",
          "EnqueueWriterChapter", "ManualStackChapter", "ParentChildSetup", "PostgreSQLStore", "SwiftData",
        ], swiftSettings: stackSettings),
      .executableTarget(
        name: "compare",
        dependencies: [
          "BenchmarkResults", "ChapterSetups", "Comparison", "ComparisonPages", "OutputFiles", argumentParser,
        ],
        swiftSettings: stackSettings),
      .testTarget(
        name: "ComparisonTests",
        dependencies: ["BookText", "BuiltPrograms", "ChapterSetups", "Comparison", "PrivateServer", "compare"],
        exclude: ["Own"], resources: [.copy("example.json")], swiftSettings: stackSettings),
    ]
    // Pages of figures, in the book's dress: the comparison, and the benchmarks, whose report the benchmarks' own
    // package writes and this one reads.
    + [
      .target(name: "BenchmarkResults", path: "Tests/Benchmarks/Sources/BenchmarkReport"),
      .target(
        name: "ComparisonPages", dependencies: ["BenchmarkResults", "BookPages", "BookText", "Comparison"],
        resources: [.copy("Resources")], swiftSettings: stackSettings),
      .testTarget(
        name: "ComparisonPagesTests",
        dependencies: ["BenchmarkResults", "BookPages", "BookText", "Comparison", "ComparisonPages"],
        swiftSettings: stackSettings),
    ]
    // The chapters, in the order in which they are read, and their tests.
    + chapter("00-FirstTenMinutes", "FirstTenMinutes")
    + chapter("01-ManualStack", "ManualStack")
    + chapter("02-ObjectGraph", "ObjectGraph")
    + chapter("03-Asking", "Asking", programDependencies: ["SQLDebugLog"])
    + chapter("04-ContainerStack", "ContainerStack")
    + chapter("05-DataController", "DataController", programDependencies: ["CSQLite"])
    + chapter("06-LibraryCatalog", "LibraryCatalog", copying: ["catalog.json"])
    + chapter("07-EnqueueWriter", "EnqueueWriter")
    + chapter("09-UnsavedChanges", "UnsavedChanges")
    + chapter("10-ModelVersions", "ModelVersions")
    + chapter("11-Batches", "Batches")
    + chapter("12-LiveTable", "LiveTable")
    + chapter("13-InsideTheFile", "InsideTheFile", copying: ["apple-store.txt"], dependencies: ["StoreFileReader"])
    + chapter(
      "14-SwiftData", "UnderSwiftData", dependencies: ["SwiftData"], programDependencies: ["ManualStackChapter"])
    + chapter(
      "15-OneServer", "OneServer", dependencies: ["PostgreSQLStore"], programDependencies: ["PrivateServer"])
    + chapter("A-MakingAModel", "MakingAModel")
    + chapter("B-OlderTutorial", "OlderTutorial")
    + [
      .testTarget(
        name: "ChapterTests",
        dependencies: [
          "BuiltPrograms", "CoreData", "ModelMacros", "StepFrames", "StepRecorder", "StoreFileReader",
          "ChapterSupport", "PostgreSQLTestServer", "SwiftData", "TestFiles",
          "FirstTenMinutesChapter", "FirstTenMinutes",
          "ManualStackChapter", "ManualStack",
          "ObjectGraphChapter", "ObjectGraph",
          "AskingChapter", "Asking",
          "ContainerStackChapter", "ContainerStack", "DataControllerChapter", "DataController",
          "LibraryCatalogChapter", "LibraryCatalog", "EnqueueWriterChapter", "EnqueueWriter",
          "ModelVersionsChapter", "ModelVersions", "UnsavedChangesChapter", "UnsavedChanges",
          "BatchesChapter", "Batches",
          "InsideTheFileChapter", "InsideTheFile",
          "LiveTableChapter", "LiveTable",
          "UnderSwiftDataChapter", "UnderSwiftData",
          "OneServerChapter", "OneServer",
          "MakingAModelChapter", "MakingAModel",
          "OlderTutorialChapter", "OlderTutorial",
        ],
        swiftSettings: stackSettings)
    ]
)

// The exercises, in place of the chapters, the tools and all tests: so a red exercise turns no other test red, and yet
// they are built in the same folder, with the module that is built there already. `swift run learn` asks for them:
//
//   STRATA_EXERCISE=01-AddTheStore     this one alone, as the learner has it in Exercises/Mine
//   STRATA_EXERCISE_VARIANT=Stub       all as they are shipped
//   STRATA_EXERCISE_VARIANT=Solution   all as they are solved
//   STRATA_EXERCISE_VARIANT=FOLDER     all, each from Exercises/FOLDER/NAME
let exercise = Context.environment["STRATA_EXERCISE"]
let variant = Context.environment["STRATA_EXERCISE_VARIANT"]
if exercise != nil || variant != nil {
  // The name is that of the test program; the module's targets are those above the first tests.
  package.name = "StrataExercises"
  package.products = []
  let further = ["StoreFileReader"] + (exerciseUsesSwiftData() ? ["ModelMacros", "SwiftDataMacros", "SwiftData"] : [])
  package.targets =
    package.targets.prefix { $0.type != .test } + package.targets.filter { further.contains($0.name) }
    + exerciseTargets()
}

/// Whether the exercises that are built have models that are plain classes. For all others SwiftData is not built.
func exerciseUsesSwiftData() -> Bool {
  guard let exercise else { return true }
  let folder = "\(Context.packageDirectory)/Chapters/Exercises/Exercises/\(exercise)/Solution"
  let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  return files.contains { file in
    (try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8))?.contains("import SwiftData\n") == true
  }
}

func exerciseTargets() -> [Target] {
  let path = "Chapters/Exercises/Exercises"
  let swiftData: [Target.Dependency] = exerciseUsesSwiftData() ? ["SwiftData"] : []
  func entries(_ folder: String) -> [String] {
    let place = "\(Context.packageDirectory)/\(path)/\(folder)"
    return ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []).sorted()
  }
  func sources(_ name: String) -> String {
    guard exercise == nil, let variant else { return "Mine/\(name)" }
    return ["Stub", "Solution"].contains(variant) ? "\(name)/\(variant)" : "\(variant)/\(name)"
  }
  // All in the folder that is not of these, so that nothing is left for SwiftPM to wonder about.
  func others(than kept: [String], in folder: String = "") -> [String] {
    entries(folder).flatMap { entry -> [String] in
      let path = folder + entry
      if kept.contains(path) { return [] }
      return kept.contains { $0.hasPrefix(path + "/") } ? others(than: kept, in: path + "/") : [path]
    }
  }
  let chosen = exercise.map { [$0] } ?? entries("").filter { $0.first?.isNumber == true }
  let code = chosen.map(sources)
  let tests = chosen.map { "\($0)/Tests" }
  return [
    // What the exercises share: a model, a bench with a fresh folder, and the error of unfinished code.
    .target(
      name: "ExerciseSupport", dependencies: ["CoreData"], path: "Chapters/Exercises/Support",
      exclude: ["Bookshop.xcdatamodeld"], swiftSettings: stackSettings, plugins: [.plugin(name: "CompileDataModel")]),
    .target(
      name: "Exercises", dependencies: ["ExerciseSupport", "CoreData", "StoreFileReader"] + swiftData, path: path,
      exclude: others(than: code),
      sources: code, swiftSettings: stackSettings, plugins: [.plugin(name: "CompileDataModel")]),
    .testTarget(
      name: "ExerciseTests",
      dependencies: ["Exercises", "ExerciseSupport", "CoreData", "StoreFileReader"] + swiftData, path: path,
      exclude: others(than: tests), sources: tests, swiftSettings: stackSettings),
  ]
}
