// swift-tools-version: 6.0
import PackageDescription

// `Sources` has floors, and each floor has rooms, which are targets. This file alone says what a target may import; the
// compiler refuses anything else, and `make check` refuses an arrow that goes up (docs/architecture.md).

/// Puts targets on a floor of `Sources`.
func floor(_ name: String, _ targets: [Target]) -> [Target] {
    for target in targets { target.path = "Sources/\(name)/\(target.name)" }
    return targets
}

/// C libraries, each behind one Swift target.
let shims = floor(
    "Shims",
    [
        .target(name: "CLinuxShim"),
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg"),
        .systemLibrary(name: "CExif", pkgConfig: "libexif"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CConfig", pkgConfig: "libconfig"),
        .systemLibrary(name: "CGPIO", pkgConfig: "libgpiod"),
        .target(name: "CGPIOShim", dependencies: ["CGPIO"]),
        .systemLibrary(name: "CLibcamera", pkgConfig: "libcamera"),
        .target(name: "CCameraShim", cSettings: [.headerSearchPath("../CCameraLibrary/include")]),
        // A library by itself, which the shim loads when it is needed (decision 0035).
        .target(
            name: "CCameraLibrary", dependencies: ["CLibcamera"],
            cxxSettings: [.headerSearchPath("../CCameraShim/include"), .unsafeFlags(["-fPIC"])],
            // There is no Swift in it that a start would register.
            linkerSettings: [.unsafeFlags(["-nostartfiles"])]),
    ])

/// What is true of cameras, photos and buttons anywhere.
let core = floor(
    "Core",
    [
        .target(name: "Platform", dependencies: ["CLinuxShim"]),
        .target(name: "Imaging", dependencies: ["CTurboJPEG", "CExif", "Platform"]),
        .target(name: "Capture", dependencies: ["Imaging", "Platform"]),
        .target(name: "Photos", dependencies: ["CSQLite", "Imaging", "Platform"]),
        .target(name: "Picker", dependencies: ["Imaging", "Photos", "Platform"]),
        .target(name: "Configuration", dependencies: ["CConfig", "Platform"]),
        .target(name: "Panel", dependencies: ["Platform"]),
        .target(name: "Console", dependencies: ["Platform"]),
    ])

/// What hardware is.
let drivers = floor(
    "Drivers",
    [
        .target(name: "USBGadget", dependencies: ["Platform"]),
        .target(name: "SimulatedSensor", dependencies: ["Capture", "Imaging", "Platform"]),
        .target(name: "GPIOPanel", dependencies: ["CGPIOShim", "Panel", "Platform"]),
        .target(name: "LibcameraSensor", dependencies: ["CCameraShim", "Capture", "Imaging", "Platform"]),
    ])

/// Who comes in.
let doors = floor(
    "Doors",
    [
        .target(
            name: "Offload",
            dependencies: ["Capture", "Configuration", "Console", "Imaging", "Photos", "Platform", "USBGadget"]),
        .target(
            name: "PTP", dependencies: ["Configuration", "Console", "Offload", "Photos", "Platform", "USBGadget"]),
        .target(name: "MassStorage", dependencies: ["Offload", "Photos", "Platform", "USBGadget"]),
        .target(
            name: "USB", dependencies: ["Configuration", "Console", "Offload", "Photos", "Platform", "USBGadget"]),
    ])

/// What a person does.
let app = floor(
    "App",
    [
        .target(
            name: "Camera",
            dependencies: [
                "Capture", "Configuration", "Console", "GPIOPanel", "Imaging", "Offload", "Panel", "Photos", "Picker",
                "Platform",
            ]),
        .executableTarget(
            name: "pinhole",
            dependencies: [
                "Camera", "Capture", "Configuration", "Console", "GPIOPanel", "Imaging", "LibcameraSensor",
                "MassStorage",
                "Offload", "Panel", "Photos", "Platform", "PTP", "SimulatedSensor", "USB", "USBGadget",
            ]),
    ])

/// Fakes and scripted clocks; only tests import it.
let testing = floor(
    "Testing",
    [
        .target(
            name: "PinholeTesting",
            dependencies: [
                "Capture", "Imaging", "MassStorage", "Offload", "Panel", "Photos", "Platform", "PTP", "USBGadget",
            ])
    ])

/// One test target for each target, in the same order.
let tests: [Target] = [
    .testTarget(name: "PlatformTests", dependencies: ["Platform", "PinholeTesting"]),
    .testTarget(name: "ImagingTests", dependencies: ["Imaging", "Platform", "PinholeTesting"]),
    .testTarget(name: "CaptureTests", dependencies: ["Capture", "Imaging", "Platform", "PinholeTesting"]),
    .testTarget(name: "PhotosTests", dependencies: ["Imaging", "Photos", "Platform", "PinholeTesting"]),
    .testTarget(name: "PickerTests", dependencies: ["Imaging", "Photos", "Picker", "Platform", "PinholeTesting"]),
    .testTarget(name: "ConfigurationTests", dependencies: ["Configuration", "Platform", "PinholeTesting"]),
    .testTarget(name: "PanelTests", dependencies: ["Panel", "Platform", "PinholeTesting"]),
    .testTarget(name: "ConsoleTests", dependencies: ["Console", "Platform", "PinholeTesting"]),
    .testTarget(name: "USBGadgetTests", dependencies: ["USBGadget", "Platform", "PinholeTesting"]),
    .testTarget(
        name: "SimulatedSensorTests",
        dependencies: ["Capture", "Imaging", "SimulatedSensor", "Platform", "PinholeTesting"]),
    .testTarget(name: "GPIOPanelTests", dependencies: ["GPIOPanel", "Panel", "Platform", "PinholeTesting"]),
    .testTarget(
        name: "LibcameraSensorTests",
        dependencies: ["Capture", "Imaging", "LibcameraSensor", "Platform", "PinholeTesting"]),
    .testTarget(name: "OffloadTests", dependencies: ["Imaging", "Offload", "Photos", "Platform", "PinholeTesting"]),
    .testTarget(
        name: "PTPTests",
        dependencies: ["Imaging", "Offload", "Photos", "PTP", "Platform", "USBGadget", "PinholeTesting"]),
    .testTarget(name: "MassStorageTests", dependencies: ["MassStorage", "Platform", "USBGadget", "PinholeTesting"]),
    .testTarget(
        name: "CameraTests",
        dependencies: [
            "Camera", "Capture", "Configuration", "Console", "GPIOPanel", "Imaging", "MassStorage", "Offload", "Panel",
            "Photos", "PinholeTesting", "Platform", "PTP", "SimulatedSensor", "USB", "USBGadget",
        ]),
    .testTarget(
        name: "pinholeTests",
        dependencies: [
            "pinhole", "Camera", "PinholeTesting", "Capture", "Configuration", "Console", "GPIOPanel", "Imaging",
            "MassStorage", "Offload", "Panel", "Photos", "Platform", "PTP", "SimulatedSensor", "USB", "USBGadget",
        ]),
]

let package = Package(
    name: "pinhole",
    products: [
        .library(name: "Capture", targets: ["Capture"]),
        .library(name: "Photos", targets: ["Photos"]),
        .library(name: "Picker", targets: ["Picker"]),
        .library(name: "Imaging", targets: ["Imaging"]),
        .library(name: "SimulatedSensor", targets: ["SimulatedSensor"]),
        .executable(name: "pinhole", targets: ["pinhole"]),
        .library(name: "pinhole-libcamera", type: .dynamic, targets: ["CCameraLibrary"]),
    ],
    targets: shims + core + drivers + doors + app + testing + tests,
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// Only on request: the fuzz targets need libFuzzer's runtime, which not every toolchain has. `make fuzz` asks.
if Context.environment["PINHOLE_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CFuzzer", "Configuration", "Console", "Imaging", "Offload", "Platform", "PTP", "PinholeTesting",
            ],
            path: "Tests/Fuzz",
            exclude: [
                "ConfigurationFile/corpus", "ConsoleLine/corpus", "PTPPacket/corpus", "PhotoFile/corpus",
                "SCSICommand/corpus", "SocketRequest/corpus",
            ]),
    ]
}

// Only on request: the benchmarks. `make bench` asks.
if Context.environment["PINHOLE_BENCH"] != nil {
    package.targets += [
        .executableTarget(
            name: "LibraryBench", dependencies: ["Imaging", "Photos", "Platform"], path: "bench/LibraryBench")
    ]
}

// Only these test targets on request, so that one suite is built in seconds: `make test-only TARGET=PhotosTests` asks.
if let names = Context.environment["PINHOLE_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
