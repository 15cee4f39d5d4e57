import Mustache

/// What templates see of a value beside its stored properties, which they find by reflection.
protocol MustacheMembers: MustacheParent {
    /// A computed property by its name; nil where it has none of that name.
    func computed(_ name: String) -> Any?
}

extension MustacheMembers {
    public func child(named name: String) -> Any? {
        if let value = computed(name) { return value }
        guard let stored = Mirror(reflecting: self).children.first(where: { $0.label == name })?.value else {
            return nil
        }
        let mirror = Mirror(reflecting: stored)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : stored
    }
}

extension PageField: MustacheMembers {
    func computed(_ name: String) -> Any? {
        switch name {
        // No template, and so no page, shows the value as it came.
        case "value": value.map { Self.shown($0, isMultiline: isMultiline) }
        case "takesFocus": takesFocus
        case "descriptions": descriptions
        case "isLine": isLine
        case "hasOptions": options != nil
        default: nil
        }
    }
}

extension PageForm: MustacheMembers {
    func computed(_ name: String) -> Any? {
        switch name {
        case "takesFiles": fields.contains { $0.type == "file" }
        case "plainFields": plainFields
        case "plainCheckboxes": plainCheckboxes
        case "shownParts": shownParts
        default: nil
        }
    }
}

extension PageBlock: MustacheMembers {
    func computed(_ name: String) -> Any? {
        switch name {
        case "hasItems": items?.isEmpty == false
        case "hasLinks": links?.isEmpty == false
        case "hasFacts": facts?.isEmpty == false
        case "hasCodes": codes?.isEmpty == false
        default: nil
        }
    }
}
