import Mustache

/// What templates see of a value. Each type names its members itself: by reflection, which the library does otherwise, each look for one member
/// makes a copy of all of them, and a page looks for a thousand (docs/decisions/0537).
protocol MustacheMembers: MustacheParent {
    /// A member by its name; nil where it has none of that name, or it is nil.
    func child(named name: String) -> Any?
}

extension PageText: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "html": html
        case "plain": plain
        default: nil
        }
    }
}

// MARK: Blocks

extension PageBlock: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "text": text
        case "heading": heading
        case "section": section
        case "form": form
        case "links": links
        case "items": items
        case "code": code
        case "status": status
        case "notice": notice
        case "more": more
        case "signal": signal
        case "facts": facts
        case "standing": standing
        case "tabs": tabs
        case "codes": codes
        case "table": table
        case "pager": pager
        case "search": search
        case "command": command
        case "drawing": drawing
        case "listing": listing
        case "hasItems": items?.isEmpty == false
        case "hasLinks": links?.isEmpty == false
        case "hasFacts": facts?.isEmpty == false
        case "hasCodes": codes?.isEmpty == false
        default: nil
        }
    }
}

extension PageBlock.Section: MustacheMembers {
    func child(named name: String) -> Any? {
        switch name {
        case "text": text
        case "anchor": anchor
        default: nil
        }
    }
}

extension PageBlock.More: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "text": text
        case "form": form
        case "isOpen": isOpen
        default: nil
        }
    }
}

extension PageBlock.Link: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "target": target
        case "isButton": isButton
        case "isSecondary": isSecondary
        case "leavesSite": leavesSite
        case "download": download
        default: nil
        }
    }
}

extension PageBlock.Item: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "title": title
        case "mark": mark
        case "details": details
        case "links": links
        case "form": form
        default: nil
        }
    }
}

extension PageBlock.Mark: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "text": text
        case "look": look
        case "kind": kind
        default: nil
        }
    }
}

extension PageBlock.Fact: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "value": value
        case "mark": mark
        case "link": link
        default: nil
        }
    }
}

extension PageBlock.Standing: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "title": title
        case "texts": texts
        case "link": link
        case "kind": kind
        default: nil
        }
    }
}

extension PageBlock.Tabs: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "entries": entries
        default: nil
        }
    }
}

extension PageBlock.Code: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "picture": picture
        case "caption": caption
        case "text": text
        case "spoken": spoken
        case "isTyped": isTyped
        case "link": link
        default: nil
        }
    }
}

extension PageBlock.Status: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "text": text
        case "path": path
        default: nil
        }
    }
}

extension PageBlock.Signal: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "unknown": unknown
        case "accepted": accepted
        case "details": details
        default: nil
        }
    }
}

// MARK: Forms

extension PageForm: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "action": action
        case "passkey": passkey
        case "hidden": hidden
        case "account": account
        case "fields": fields
        case "choices": choices
        case "checkbox": checkbox
        case "checkboxes": checkboxes
        case "parts": parts
        case "id": id
        case "buttons": buttons
        case "isDecision": isDecision
        case "takesFiles": fields.contains { $0.type == "file" }
        case "plainFields": plainFields
        case "plainCheckboxes": plainCheckboxes
        case "shownParts": shownParts
        default: nil
        }
    }
}

extension PageForm.Part: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "legend": legend
        case "anchor": anchor
        case "names": names
        default: nil
        }
    }
}

extension PageForm.ShownPart: MustacheMembers {
    func child(named name: String) -> Any? {
        switch name {
        case "legend": legend
        case "anchor": anchor
        case "fields": fields
        case "boxes": boxes
        default: nil
        }
    }
}

extension PageForm.HiddenField: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "name": self.name
        case "value": value
        default: nil
        }
    }
}

extension PageForm.Choices: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "legend": legend
        case "name": self.name
        case "options": options
        default: nil
        }
    }
}

extension PageForm.Option: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "id": id
        case "value": value
        case "label": label
        case "hint": hint
        case "isChecked": isChecked
        default: nil
        }
    }
}

extension PageForm.Checkbox: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "name": self.name
        case "label": label
        case "hint": hint
        case "isChecked": isChecked
        default: nil
        }
    }
}

extension PageForm.Checkboxes: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "legend": legend
        case "boxes": boxes
        default: nil
        }
    }
}

extension PageForm.Button: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "name": self.name
        case "value": value
        case "isSecondary": isSecondary
        case "isQuiet": isQuiet
        case "skipsValidation": skipsValidation
        case "isDangerous": isDangerous
        default: nil
        }
    }
}

extension PageForm.Passkey: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "name": self.name
        case "options": options
        case "isConditional": isConditional
        case "cancelled": cancelled
        case "present": present
        case "failed": failed
        default: nil
        }
    }
}

extension PageField: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "name": self.name
        case "label": label
        case "type": type
        // No template, and so no page, shows the value as it came.
        case "value": value.map { Self.shown($0, isMultiline: isMultiline) }
        case "hint": hint
        case "inputMode": inputMode
        case "autocomplete": autocomplete
        case "pattern": pattern
        case "minimumLength": minimumLength
        case "maximumLength": maximumLength
        case "isRequired": isRequired
        case "isFirst": isFirst
        case "isInvalid": isInvalid
        case "isMultiline": isMultiline
        case "options": options
        case "revealLabel": revealLabel
        case "takesFocus": takesFocus
        case "descriptions": descriptions
        case "isLine": isLine
        case "hasOptions": options != nil
        default: nil
        }
    }
}

extension PageField.Option: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "value": value
        case "label": label
        case "isChosen": isChosen
        default: nil
        }
    }
}

// MARK: Menus and lists

extension PageMenu: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "entries": entries
        case "folding": folding
        case "who": who
        case "signOut": signOut
        default: nil
        }
    }
}

extension PageMenu.Entry: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "target": target
        case "isPresent": isPresent
        case "heading": heading
        default: nil
        }
    }
}

extension PageMenu.Folding: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "opener": opener
        case "closer": closer
        default: nil
        }
    }
}

extension PageTable: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "caption": caption
        case "columns": columns
        case "rows": rows
        case "hasChoices": hasChoices
        default: nil
        }
    }
}

extension PageTable.LabelledCell: MustacheMembers {
    func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "text": text
        case "target": target
        case "marks": marks
        default: nil
        }
    }
}

extension PageTable.Row: MustacheMembers {
    func child(named name: String) -> Any? {
        switch name {
        case "head": head
        case "cells": cells
        case "choice": choice
        default: nil
        }
    }
}

extension PageTable.Choice: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "form": form
        case "name": self.name
        case "label": label
        default: nil
        }
    }
}

extension PagePager: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "back": back
        case "forward": forward
        default: nil
        }
    }
}

extension PageSearch: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "method": method
        case "action": action
        case "label": label
        case "hidden": hidden
        case "fields": fields
        case "button": button
        case "id": id
        default: nil
        }
    }
}

extension PageCommand: MustacheMembers {
    public func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "text": text
        default: nil
        }
    }
}
