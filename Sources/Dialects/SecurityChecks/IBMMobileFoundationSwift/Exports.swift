// The import line of apps for the vendor's wrapper module; both layers are in the one that it stands for.
@_exported import IBMMobileFirstPlatformFoundation
