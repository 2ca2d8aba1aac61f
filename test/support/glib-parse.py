"""Parses files and command lines with GLib, as file managers and desktops do. Reads a JSON list of requests, and prints the answers."""

import json
import sys
import xml.etree.ElementTree as ElementTree

from gi.repository import Gio, GLib


def key_file(path, group):
    file = GLib.KeyFile()
    file.load_from_file(path, GLib.KeyFileFlags.NONE)
    keys, _ = file.get_keys(group)
    return {key: file.get_string(group, key) for key in keys}


def key_list(path, group, key):
    file = GLib.KeyFile()
    file.load_from_file(path, GLib.KeyFileFlags.NONE)
    return file.get_string_list(group, key)


def argv(text):
    return GLib.shell_parse_argv(text)[1]


def launch(path):
    return Gio.DesktopAppInfo.new_from_filename(path).launch_uris([], None)


def actions(path):
    return [[[child.tag, child.text] for child in action] for action in ElementTree.parse(path).getroot()]


calls = {"key_file": key_file, "key_list": key_list, "argv": argv, "launch": launch, "actions": actions}
print(json.dumps([calls[name](*arguments) for name, *arguments in json.load(sys.stdin)]))
