import Foundation

/// Answers the compiler's requests for the macros of `SwiftData`. The compiler starts this program once, and writes
/// messages to its standard input: 8 bytes of length, little endian, then that many bytes of JSON. Answers go back in
/// the same form. The messages are those of swift-syntax's `SwiftCompilerPluginMessageHandling`, protocol version 7.
/// Using that library would cost every client minutes of building.
while let request = PluginMessage.read() {
  PluginMessage.write(CompilerRequest(request).answer)
}
