// swift-tools-version: 6.1
// A Core Data program for Apple's systems and for Linux, from one source.
import PackageDescription

//> core-data
/// The framework on Apple's systems; the package on Linux, under the same name.
let coreData: Target.Dependency =
  .product(name: "CoreData", package: "Strata", condition: .when(platforms: [.linux]))

/// Compiles the model and writes the accessors behind `@NSManaged`. Xcode does both by itself,
/// so the plugin is named on Linux only; elsewhere the model is a resource.
#if os(Linux)
let modelPlugins: [Target.PluginUsage] = [.plugin(name: "CompileDataModel", package: "Strata")]
let modelFiles: [Resource] = []
let notSources = ["Garden.xcdatamodeld"]
#else
let modelPlugins: [Target.PluginUsage] = []
let modelFiles: [Resource] = [.process("Garden.xcdatamodeld")]
let notSources: [String] = []
#endif
//< core-data

//> package
let package = Package(
  name: "PortedApp",
  platforms: [.macOS(.v13)],
  // By path in this book; in a project of your own by address.
  dependencies: [.package(name: "Strata", path: "../../..")],
  targets: [
    .target(
      name: "GardenKit", dependencies: [coreData], exclude: notSources, resources: modelFiles,
      swiftSettings: [.swiftLanguageMode(.v5)], plugins: modelPlugins),
    .executableTarget(
      name: "Garden", dependencies: ["GardenKit", coreData],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "GardenKitTests", dependencies: ["GardenKit", coreData],
      swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
)
//< package
