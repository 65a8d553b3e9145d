// Apple's names for the types of this module, so that code written against Apple's documentation needs another import
// and nothing else. Differences are in docs/apple-names.md.

/// Apple's name for `PickerConfiguration`.
public typealias PHPickerConfiguration = PickerConfiguration
/// Apple's name for `PickerFilter`.
public typealias PHPickerFilter = PickerFilter
/// Apple's name for `PickerController`.
public typealias PHPickerViewController = PickerController
/// Apple's name for `PickerControllerDelegate`.
public typealias PHPickerViewControllerDelegate = PickerControllerDelegate
/// Apple's name for `PickerResult`.
public typealias PHPickerResult = PickerResult
/// Apple's name for `PickerItem`.
public typealias PhotosPickerItem = PickerItem
/// Apple's name for `ItemProvider`.
public typealias NSItemProvider = ItemProvider
/// Apple's name for `ItemProviderReading`.
public typealias NSItemProviderReading = ItemProviderReading
