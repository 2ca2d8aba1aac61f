# A part of python-host.py: what is loaded before there is a run, and how a script comes to it without seeing it before.

# Which module has imported which: what a script imports brings along what that needs, and nothing else.
imported = {}
real_import = builtins.__import__


def recording_import(name, globals=None, locals=None, fromlist=(), level=0):
    result = real_import(name, globals, locals, fromlist, level)
    importer = globals.get("__name__") if globals else None
    if isinstance(importer, str):
        if level > 0:
            package = importer if "__path__" in globals else importer.rpartition(".")[0]
            base = package.rsplit(".", level - 1)[0] if level > 1 else package
            name = base + "." + name if name else base
        needed = imported.setdefault(importer, {})
        parts = name.split(".")
        for count in range(1, len(parts) + 1):
            needed[".".join(parts[:count])] = True
        for part in fromlist or ():
            if name + "." + part in sys.modules:
                needed[name + "." + part] = True
    return result


builtins.__import__ = recording_import

import _frozen_importlib_external as importlib
import atexit

# What makes loggers is left out: a script could see them. So is what takes long to load and is rarely used.
COMMON = """
    argparse ast base64 bisect bz2 calendar cmd codecs collections.abc configparser contextlib copy csv ctypes
    dataclasses datetime decimal difflib email.message email.mime.multipart email.mime.text email.utils encodings.idna enum errno fnmatch
    fractions functools getpass glob gzip hashlib heapq hmac html html.parser http.client http.cookiejar inspect io
    ipaddress itertools json locale logging lzma math mimetypes multiprocessing numbers operator optparse pathlib pickle platform
    pprint queue random re secrets shlex shutil socket sqlite3 ssl statistics string struct subprocess tarfile tempfile textwrap
    threading time tomllib traceback types typing unicodedata urllib.error urllib.parse urllib.request uuid warnings weakref
    xml.etree.ElementTree zipfile zlib zoneinfo
""".split()


def preload(declared):
    import warnings

    real_register = atexit.register
    atexit.register = recording_register
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in [*COMMON, *declared]:
            try:
                __import__(name)
            except BaseException:
                # The script will see why, if it needs it.
                pass
        if leads_to_ours("hob"):
            __import__("hob")
    atexit.register = real_register


def leads_to_ours(name):
    """Whether scripts that import this get what Hob brings for them. Another module of that name may do anything when it is loaded."""
    here = os.path.dirname(os.path.abspath(template["__file__"]))
    ours = os.path.join(here, "..", "..", "..", "sdk", "python", name + ".py")
    spec = importlib.PathFinder.find_spec(name)
    return spec is not None and spec.origin is not None and os.path.realpath(spec.origin) == os.path.realpath(ours)


# What modules want to be done at the exit, by their names.
registered = {}


def recording_register(function, *args, **keywords):
    owner = sys._getframe(1).f_globals.get("__name__")
    registered.setdefault(owner, []).append((function, args, keywords))
    return function


shelf = {}
# What comes along with each module on the shelf.
plans = {}


def put_on_shelf(declared):
    """Takes the modules away that a script has not imported yet: it would find parts of packages, or see a module in the place of a
    file of its own. What it imports is then taken from here instead of being loaded. Modules that are not from files are left alone:
    there is nothing to be seen of them, and some cannot be there twice."""
    keep = set(at_start)
    for name in declared:
        if name in sys.modules:
            keep.update(closure_of(name))
            # A package brings along what it has loaded of itself.
            keep.update(part for part in sys.modules if part.startswith(name.partition(".")[0] + "."))
    loader_type = type(template["__loader__"])
    places = set()
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        spec = getattr(module, "__spec__", None)
        if name in keep or name == "__main__" or spec is None or type(spec.loader) is not loader_type or spec.name != name:
            continue
        shelf[name] = module
        places.add(os.path.dirname(os.path.dirname(path) if spec.submodule_search_locations else path))
    for name in shelf:
        del sys.modules[name]
        unbind(name)
    # Another name that one of them has given to this program.
    sys.modules.pop("__mp_main__", None)
    for name in shelf:
        # Packages come before what is bound to them.
        plans[name] = sorted((each for each in closure_of(name) if each in shelf), key=lambda each: each.count("."))
    for place in places:
        sys.path_importer_cache[place] = ShelfFinder(place, *sys_loaders())
    for name in keep:
        for entry in registered.pop(name, []):
            atexit.register(entry[0], *entry[1], **entry[2])


def sys_loaders():
    return importlib._get_supported_file_loaders()


def unbind(name):
    parent, _, child = name.rpartition(".")
    package = sys.modules.get(parent) or shelf.get(parent)
    if package is not None and package.__dict__.get(child) is (shelf.get(name) or sys.modules.get(name)):
        delattr(package, child)


def closure_of(name):
    """The modules that are there once this one was imported, each after what it needs."""
    order = {}
    pending = [name]
    while pending:
        current = pending.pop()
        if current in order:
            continue
        order[current] = True
        pending.extend(imported.get(current, ()))
        if "." in current:
            pending.append(current.rpartition(".")[0])
    return list(order)


def take_from_shelf(name):
    module = shelf.pop(name)
    sys.modules[name] = module
    bind(name, module)
    if name == "multiprocessing":
        sys.modules["__mp_main__"] = sys.modules["__main__"]
    for entry in registered.pop(name, ()):
        atexit.register(entry[0], *entry[1], **entry[2])


def bind(name, module):
    parent, _, child = name.rpartition(".")
    package = sys.modules.get(parent)
    if package is not None and child not in package.__dict__:
        setattr(package, child, module)


class ShelfFinder(type(sys.path_importer_cache[os.path.dirname(os.__file__)])):
    """Stands where a folder is looked through, so that what comes before it on the path still comes first."""

    def find_spec(self, fullname, target=None):
        module = shelf.get(fullname)
        if module is None or os.path.dirname(module.__spec__.origin) != self.place_of(module):
            return super().find_spec(fullname, target)
        original = module.__spec__
        for name in plans[fullname]:
            if name in shelf:
                take_from_shelf(name)
        # What is there already when the search ends would be loaded again, by its own loader.
        del sys.modules[fullname]
        return type(original)(fullname, ShelfLoader(module, original), origin=original.origin)

    def place_of(self, module):
        inside = module.__spec__.submodule_search_locations
        return os.path.join(self.path, module.__name__.rpartition(".")[2]) if inside else self.path


class ShelfLoader:
    """Hands over a module that was loaded before, as it was."""

    def __init__(self, module, original):
        self.module = module
        self.original = original

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        module.__spec__ = self.original


class Loaded:
    """What was loaded before there was a run, and from where."""

    def __init__(self):
        self.modules = frozenset(sys.modules)
        # A file of these names beside a script is what the script means.
        self.shadowable = {name.partition(".")[0] for name in self.modules} - {
            name.partition(".")[0] for name in at_start
        }
        self.stdlib = os.path.dirname(os.__file__)
        self.before_stdlib = []
        for folder in sys.path:
            if os.path.realpath(folder) == os.path.realpath(self.stdlib) or folder.endswith(".zip"):
                break
            self.before_stdlib.append(folder)
        # These are no others' files of the same name.
        self.origins = {getattr(sys.modules[name], "__file__", None) for name in self.modules}
        self.files = self.watched()
        self.stamps = [stamp_of(path) for path in self.files]

    def watched(self):
        """What a changed environment changes: interpreter, environment, packages, and the files that were loaded from them."""
        paths = [sys.executable, os.path.realpath(sys.executable), os.__file__, os.path.join(sys.prefix, "pyvenv.cfg")]
        for folder in sys.path:
            if folder == self.stdlib or folder.startswith(os.path.join(self.stdlib, "lib-dynload")):
                continue
            paths.append(folder)
            try:
                paths += [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".pth")]
            except OSError:
                pass
        for name in self.modules:
            path = getattr(sys.modules[name], "__file__", None)
            if isinstance(path, str) and not (path.startswith(self.stdlib) and "-packages" not in path):
                paths.append(path)
        host = os.path.abspath(template["__file__"])
        return [path for path in dict.fromkeys(paths) if path != host]

    def is_stale(self):
        for path, stamp in zip(self.files, self.stamps):
            if stamp_of(path) != stamp:
                return True
        return False

    def is_shadowed_by(self, folder):
        for place in [folder, *self.before_stdlib]:
            try:
                names = os.listdir(place)
            except OSError:
                continue
            for name in names:
                stem, dot, _ = name.partition(".")
                if stem not in self.shadowable:
                    continue
                # A folder is a package only with a file that says so; without one, the module that was loaded wins.
                path = os.path.join(place, name)
                if path in self.origins:
                    continue
                if dot or os.path.isfile(os.path.join(path, "__init__.py")) or os.path.islink(path):
                    return True
        return False


def stamp_of(path):
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def rehearse(loaded):
    """Does what every run does, to no effect: the pages that it writes to are then this process's own before somebody waits. What only
    some runs do is left out: copying its pages takes longer than it saves."""
    before = set(sys.modules)
    needed = [name for name in plans.get("json", ()) if name in shelf]
    for name in needed:
        sys.modules[name] = shelf[name]
        bind(name, shelf[name])
    try:
        loaded.is_stale()
        loaded.is_shadowed_by("/")
        with open(template["__file__"], "rb") as file:
            file.read(4096)
        exec(compile(REHEARSAL, "rehearsal", "exec"), {"__name__": "rehearsal", "__builtins__": builtins})
        forget_folders()
        flush_streams()
        has_foreign_code(loaded)
    except Exception:
        # Then a run takes a millisecond longer.
        pass
    for name in needed:
        unbind(name)
    for name in sys.modules.keys() - before:
        del sys.modules[name]
    gc.collect()


REHEARSAL = """
import json, os, sys
class Thing:
    def use(self, *things, **named):
        return [thing for thing in things]
Thing().use(1, a=2)
json.loads(json.dumps({"data": [1, 2.5, "text", None, {"a": [True]}]}, indent=2, ensure_ascii=False))
"{:>10} {!r}".format(1, "a").encode("utf-8").decode("utf-8")
"""
