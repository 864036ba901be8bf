// swift-tools-version: 6.1
// A package elsewhere that uses the stack and the model compiler as any client would.
import PackageDescription

let package = Package(
  name: "ExternalPackage",
  dependencies: [.package(name: "Strata", path: "../../..")],
  targets: [
    .target(name: "Colours"),
    .target(
      name: "Shelf",
      dependencies: [.product(name: "CoreData", package: "Strata"), "Colours"],
      exclude: ["Shelf.xcdatamodeld", "Titles.xcmappingmodel"],
      plugins: [.plugin(name: "CompileDataModel", package: "Strata")]),
    // No model file: the model is built in code, the accessors come from the plugin all the same.
    .executableTarget(
      name: "Program",
      dependencies: ["Shelf", "Colours", .product(name: "CoreData", package: "Strata")],
      swiftSettings: [.swiftLanguageMode(.v5)],
      plugins: [.plugin(name: "CompileDataModel", package: "Strata")]),
  ]
)
