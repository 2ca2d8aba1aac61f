"""Prints what a program shows, as its accessibility interface describes it: the status bar of its window, and its open context menu."""

import json
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402


def children(node):
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child is not None:
            yield child


def find(node, role):
    """The first visible node of this role, without looking into menus."""
    for child in children(node):
        if child.get_role_name() == role and is_(child, "SHOWING"):
            return child
        if child.get_role_name() not in ("menu", "menu bar", "table"):
            found = find(child, role)
            if found is not None:
                return found
    return None


def is_(node, state):
    return node.get_state_set().contains(getattr(Atspi.StateType, state))


def describe(program):
    shown = {"status": None, "menu": None}
    for application in children(Atspi.get_desktop(0)):
        if application.get_name() != program:
            continue
        for window in children(application):
            if window.get_role_name() == "frame":
                bar = find(window, "status bar")
                shown["status"] = bar and bar.get_name()
            menu = find(window, "menu") if window.get_role_name() == "window" else None
            if menu is not None:
                shown["menu"] = [
                    {"name": item.get_name(), "selected": is_(item, "SELECTED")}
                    for item in children(menu)
                    if is_(item, "SHOWING") and item.get_role_name() != "separator"
                ]
    return shown


try:
    print(json.dumps(describe(sys.argv[1])))
except gi.repository.GLib.Error:
    # A window closed at this moment.
    print(json.dumps({"status": None, "menu": None}))
