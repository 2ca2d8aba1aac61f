# A part of host.py: the modules that are loaded before there is a run, and how a script gets them without seeing them
# earlier.
import _frozen_importlib as bootstrap
import _frozen_importlib_external as importlib
import atexit

# By module: the modules that it imports. A script that imports a module also gets the modules that it needs, and no
# others.
imported = {}
real_import = builtins.__import__


def recording_import(name, globals=None, locals=None, fromlist=(), level=0):
    result = real_import(name, globals, locals, fromlist, level)
    importer = globals.get("__name__") if globals else None
    if importer == "importlib._bootstrap":
        importer = name_of_loaded(sys._getframe(1))
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


def name_of_loaded(frame):
    """The compiled module that Python is loading. Its imports appear to come from the function that loads it."""
    while frame is not None and frame.f_code.co_name not in ("create_module", "exec_module"):
        frame = frame.f_back
    loading = frame and (frame.f_locals.get("spec") or getattr(frame.f_locals.get("module"), "__spec__", None))
    return getattr(loading, "name", None)


builtins.__import__ = recording_import

# Modules that many scripts import. Each one costs every run some time: Python touches all interned strings at its exit.
COMMON = """
    argparse base64 collections.abc contextlib copy csv ctypes dataclasses datetime email.mime.text encodings.idna functools glob hashlib io
    itertools json logging math operator pathlib random re select shutil signal socket sqlite3 string struct subprocess tempfile textwrap threading
    time traceback types typing urllib.request warnings weakref zlib
""".split()


def preload(declared):
    import _warnings
    import random

    real_seed = random.Random.seed
    random.Random.seed = recording_seed(real_seed)
    ours = ["hob", "hob._function"] if leads_to_ours("hob") else []
    # Do not use the module `warnings`: it counts how often its filters change, and scripts can see that number.
    silence = ("ignore", None, Warning, None, 0)
    _warnings.filters.insert(0, silence)
    for name in [*COMMON, *declared, *ours]:
        try:
            __import__(name)
        except BaseException:
            # The script gets the error if it imports the module.
            pass
    if silence in _warnings.filters:
        _warnings.filters.remove(silence)
    atexit.register, os.register_at_fork, random.Random.seed = real_register, real_register_at_fork, real_seed


def leads_to_ours(name):
    """Whether scripts that import this module get the one that Hob provides. Another module of that name may do
    anything when loaded."""
    ours = os.path.join(folder, "..", "..", "..", "..", "sdk", "python", name, "__init__.py")
    spec = importlib.PathFinder.find_spec(name)
    return spec is not None and spec.origin is not None and os.path.realpath(spec.origin) == os.path.realpath(ours)


# By module: the functions that it registers for the exit, and for forks.
at_exit = {}
at_fork = {}


def recording_register(function, *args, **keywords):
    owner = sys._getframe(1).f_globals.get("__name__")
    at_exit.setdefault(owner, []).append((function, args, keywords))
    return function


def recording_register_at_fork(**functions):
    owner = sys._getframe(1).f_globals.get("__name__")
    at_fork.setdefault(owner, []).append(functions)


def register(name):
    """Registers the exit and fork functions of a module that the script has from now on."""
    for function, args, keywords in at_exit.pop(name, ()):
        atexit.register(function, *args, **keywords)
    for functions in at_fork.pop(name, ()):
        os.register_at_fork(**functions)
        # This process was forked before they were registered.
        if is_forked:
            functions.get("before", no_function)()
            functions.get("after_in_child", functions.get("after_in_parent", no_function))()


def no_function():
    pass


is_forked = False
real_register, real_register_at_fork = atexit.register, os.register_at_fork
atexit.register, os.register_at_fork = recording_register, recording_register_at_fork


# Random number generators that modules seed from the system while they load.
unseeded = []


def recording_seed(real_seed):
    def seed(self, a=None, *args, **keywords):
        unseeded[:] = [generator for generator in unseeded if generator is not self]
        if a is None:
            unseeded.append(self)
        return real_seed(self, a, *args, **keywords)

    return seed


# The parts of Python that this program has replaced: owner, name, and the original.
replaced = []


def replace(owner, name, value):
    replaced.append((owner, name, vars(owner).get(name, INHERITED)))
    setattr(owner, name, value)


INHERITED = object()

# By name: the modules that were preloaded, in the order of their loading; and those that the script does not have yet.
preloaded = {}
shelf = {}
# By module: the modules that are loaded once it is imported, in that order.
plans = {}
# By package: names below its own that it gives to objects that are not modules of these names.
aliases = {}


def put_on_shelf(declared):
    """Removes the modules that a script has not imported yet: otherwise it would find parts of packages, or a module
    instead of its own file. An import then takes them from here instead of loading them."""
    preloaded.update(sys.modules)
    order = {name: at for at, name in enumerate(preloaded)}
    keep = {"__main__", *at_start}
    for name in declared:
        if name in preloaded:
            keep.update(closure_of(name))
            # A package includes its submodules that were loaded.
            keep.update(part for part in preloaded if part.startswith(name.partition(".")[0] + "."))
    for name, module in preloaded.items():
        if name in keep:
            continue
        del sys.modules[name]
        if getattr(getattr(module, "__spec__", None), "name", None) == name:
            shelf[name] = module
        else:
            aliases.setdefault(name.rpartition(".")[0], {})[name] = module
    for name in shelf:
        plans[name] = sorted((each for each in closure_of(name) if each in preloaded), key=order.get)
        unbind(name)
    for place in sys.path_importer_cache.keys() - folders_at_start:
        del sys.path_importer_cache[place]
    for loader in (importlib._LoaderBasics, importlib.ExtensionFileLoader):
        replace(loader, "create_module", creating_from_shelf(loader.create_module))
        replace(loader, "exec_module", executing_unless_taken(loader.exec_module))
    for loader in (bootstrap.BuiltinImporter, bootstrap.FrozenImporter):
        replace(loader, "create_module", staticmethod(creating_from_shelf(loader.create_module)))
        replace(loader, "exec_module", staticmethod(executing_unless_taken(loader.exec_module)))
    for name in keep:
        register(name)


def closure_of(name):
    """The modules that are loaded once this one is imported."""
    found = {}
    pending = [name]
    while pending:
        current = pending.pop()
        if current in found:
            continue
        found[current] = True
        pending.extend(imported.get(current, ()))
        if "." in current:
            pending.append(current.rpartition(".")[0])
    return list(found)


def unbind(name):
    """Removes a module from its package, unless the package itself imports it."""
    parent, _, child = name.rpartition(".")
    package = preloaded.get(parent)
    is_brought = name in plans.get(parent, closure_of(parent))
    if package is not None and not is_brought and package.__dict__.get(child) is preloaded[name]:
        delattr(package, child)


def creating_from_shelf(create):
    def create_module(*args):
        spec = args[-1]
        module = shelf.get(spec.name)
        # The script may search for it elsewhere, or may have replaced a module that it needs.
        is_same = module is not None and module.__spec__.origin == spec.origin and is_complete(spec.name)
        if not is_same:
            return create(*args)
        taken[id(module)] = module.__spec__
        take(spec.name)
        return module

    return as_part_of_import(create_module)


# By id, the specs of modules that come from the shelf and are not executed again.
taken = {}


def executing_unless_taken(execute):
    def exec_module(*args):
        spec = taken.pop(id(args[-1]), None)
        if spec is None:
            execute(*args)
        else:
            args[-1].__spec__ = spec

    return as_part_of_import(exec_module)


def as_part_of_import(function):
    """Python omits the frames of its import system from tracebacks. It recognizes them by this file name."""
    function.__code__ = function.__code__.replace(co_filename="<frozen importlib._bootstrap_external>")
    return function


def is_complete(name):
    return all(sys.modules.get(each, shelf.get(each)) is preloaded[each] for each in plans[name])


def take(name):
    """Takes a module from the shelf, with the modules that it needs. Python itself adds the module to `sys.modules`."""
    for each in plans[name]:
        module = shelf.get(each)
        if module is None:
            continue
        if each != name:
            sys.modules[each] = module
        bind(each, module)
        sys.modules.update(aliases.pop(each, ()))
        if each in renewals:
            renewals[each](module)
        register(each)
        # Remove it last, so that another thread always finds it in one of the two places.
        shelf.pop(each, None)


def bind(name, module):
    parent, _, child = name.rpartition(".")
    # A package whose import failed is not there, although it has loaded some of its modules.
    if parent not in preloaded:
        return
    if child not in preloaded[parent].__dict__:
        setattr(preloaded[parent], child, module)
    # An ordinary import would have searched for the module in the folder of its package.
    for place in preloaded[parent].__path__:
        if place not in sys.path_importer_cache:
            sys.path_importer_cache[place] = importlib.FileFinder(place, *importlib._get_supported_file_loaders())


def package_folders():
    """The folders that Python adds to `sys.path` at its start if they exist. `pip install --user` creates one of them."""
    site = sys.modules.get("site")
    # An old virtual environment has a `site` without these functions.
    if not hasattr(site, "getsitepackages"):
        return []
    return site.getsitepackages() + ([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])


class Loaded:
    """The files that were loaded before there was a run."""

    def __init__(self):
        names = frozenset(sys.modules)
        # A file with one of these names beside a script has precedence for that script.
        self.shadowable = {name.partition(".")[0] for name in names} - {name.partition(".")[0] for name in at_start}
        self.stdlib = os.path.dirname(os.__file__)
        self.before_stdlib = []
        for place in sys.path:
            if os.path.realpath(place) == os.path.realpath(self.stdlib) or place.endswith(".zip"):
                break
            self.before_stdlib.append(place)
        self.origins = {getattr(sys.modules[name], "__file__", None) for name in names}
        self.files = self.watched()
        self.stamps = [stamp_of(path) for path in self.files]

    def watched(self):
        """The files that change with the environment: interpreter, environment, packages, and the modules loaded from
        them."""
        paths = [sys.executable, os.path.realpath(sys.executable), os.__file__, os.path.join(sys.prefix, "pyvenv.cfg")]
        for place in [*sys.path, *package_folders()]:
            if place == self.stdlib or place.startswith(os.path.join(self.stdlib, "lib-dynload")):
                continue
            paths.append(place)
            try:
                paths += [os.path.join(place, name) for name in os.listdir(place) if name.endswith(".pth")]
            except OSError:
                pass
        for path in self.origins:
            if isinstance(path, str) and not (path.startswith(self.stdlib) and "-packages" not in path):
                paths.append(path)
        return list(dict.fromkeys(paths))

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
                # A folder is a regular package only with this file. Without it, the module that was loaded has
                # precedence.
                path = os.path.join(place, name)
                package = os.path.join(path, "__init__.py")
                if path in self.origins or package in self.origins:
                    continue
                if dot or os.path.isfile(package) or os.path.islink(path):
                    return True
        return False


def stamp_of(path):
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)
