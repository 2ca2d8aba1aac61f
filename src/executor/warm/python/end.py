# A part of host.py: how a forked run ends. Python ends it by itself, with one difference that the run cannot notice:
# the garbage collector ignores the objects from before the fork. To traverse them, the collector would write to all
# their memory, and so copy it, which takes longer than most scripts. If such an object holds an object of the run whose
# finalization has an effect, a file for example, the collector gets all objects back, and Python finalizes everything
# as after an ordinary start.
import _collections
import _functools
import _io
import _random
import _weakref
import re

# Objects whose finalization has no effect. They hold others, whose finalization may have one.
PLAIN = {
    *(object, tuple, list, dict, set, frozenset, property, staticmethod, classmethod, types.FunctionType, types.MethodType),
    *(types.BuiltinFunctionType, type(re.compile("").sub), types.CellType, types.ModuleType, types.MappingProxyType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.MethodDescriptorType, types.WrapperDescriptorType),
    *(types.SimpleNamespace, _collections.deque, _collections.OrderedDict, _collections.defaultdict, _collections._tuplegetter),
    *(_functools.partial, _functools._lru_cache_wrapper, type(threading.Lock()), type(threading.RLock()), re.Pattern),
    *(_random.Random, type(vars(os.PathLike)["_abc_impl"])),
}
# Modules of the standard library that keep weak collections, which only forget a finalized object.
FORGETFUL = ("weakref", "_weakrefset", "logging")
# Files are finalized without Python code.
SELF_CONTAINED = {
    *(_io.FileIO, _io.BufferedReader, _io.BufferedWriter, _io.BufferedRandom, _io.BufferedRWPair),
    *(_io.TextIOWrapper, _io.BytesIO, _io.StringIO),
}
# Finalizing these continues a function: `finally` blocks and the exits of `with` run.
SUSPENDED = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)
# Inspecting more objects takes longer than letting the collector traverse all.
MOST_OBJECTS = 20000


class Marker:
    """Python drops this object at its exit, just before it finalizes its modules."""


def freeze():
    """Hides the existing objects from the collector until the end of the run, which decides whether they stay
    hidden."""
    hook = sys.__interactivehook__
    copy = types.FunctionType(hook.__code__, hook.__globals__, hook.__name__, hook.__defaults__, hook.__closure__)
    copy.__qualname__, copy.__doc__ = hook.__qualname__, hook.__doc__
    # A place that scripts do not use, and that Python empties.
    marker = copy.__dict__["marker"] = Marker()
    globals()["watch"] = _weakref.ref(marker, decide)
    del marker
    sys.__interactivehook__ = copy
    globals()["list_objects"] = gc.get_objects
    for owner, names in ((sys, ("addaudithook", "settrace", "setprofile")), (gc, ("get_objects", "get_referrers"))):
        for name in names:
            replace(owner, name, GivingUpBefore(getattr(owner, name)))
    gc.collect()
    gc.freeze()
    count, frozen = gc.get_freeze_count, gc.get_freeze_count()
    replace(gc, "get_freeze_count", lambda: max(0, count() - frozen))


class GivingUpBefore:
    """Calls a function that lets a script observe the interpreter. From then on, no trace of this program must be
    visible. Python looks `__call__` up, and so calls `give_up`, before it calls the function: no frame of this program
    exists during the call."""

    __slots__ = ("function",)

    def __init__(self, function):
        self.function = function

    @property
    def __call__(self):
        give_up()
        return self.function

    def __getattr__(self, name):
        return getattr(self.function, name)

    def __repr__(self):
        return repr(self.function)


def decide(_):
    try:
        objects = list_objects()
        is_fit = sys.is_finalizing() and len(objects) < MOST_OBJECTS and not is_code_to_run(objects)
        if is_fit and not is_effect_held(objects, [sys.modules]):
            keep_modules()
            return
        # Python empties these two after every run, last of all.
        is_fit = is_fit and not is_effect_held(objects, [sys.modules, sys.__dict__, builtins.__dict__])
    except BaseException:
        is_fit = False
    if not is_fit:
        give_up()


def keep_modules():
    """Keeps Python from finalizing the modules from before the fork. All objects of the run whose finalization has an
    effect are held only by modules of the run, and are finalized before Python reaches other modules."""
    for name in [name for name in sys.modules if name in preloaded and name not in ("sys", "builtins", "__main__")]:
        if sys.modules[name] is preloaded[name]:
            del sys.modules[name]


def give_up():
    """Gives all objects back to the collector, and removes everything that an ordinary start does not have. A script
    may have kept a function of this program: it still works, and does what the original does."""
    if not replaced:
        return
    unfreeze, function = gc.unfreeze, types.FunctionType
    for owner, name, original in replaced:
        delattr(owner, name) if original is INHERITED else setattr(owner, name, original)
    space = globals()
    for name, value in list(space.items()):
        if type(value) in (dict, list) and name != "__builtins__":
            value.clear()
        elif type(value) is not function and name != "__builtins__":
            del space[name]
    unfreeze()


def is_code_to_run(objects):
    """Whether finalizing an object of the run runs Python code, which may do anything, for example keep an object
    alive."""
    kinds = set(map(type, objects)) - SELF_CONTAINED - {Marker}
    if any(hasattr(kind, "__del__") or kind in SUSPENDED for kind in kinds):
        return True
    references = [kind for kind in kinds if issubclass(kind, _weakref.ReferenceType)]
    return any(type(each) in references and has_effect(each) for each in objects)


def is_effect_held(objects, emptied):
    """Whether an object of the run whose finalization has an effect is held by anything except objects of the run and
    those that Python has emptied by then. Such an object has more references than these hold. The search then follows
    the references of such objects."""
    counts = {}
    _collections._count_elements(counts, map(id, gc.get_referents(*objects)))
    _collections._count_elements(counts, map(id, gc.get_referents(*emptied)))
    known, count_references = counts.get, sys.getrefcount
    # The list, the loop and the call hold one reference each.
    pending = [each for each in objects if count_references(each) - 3 > known(id(each), 0)]
    own = set(map(id, objects))
    kinds = {Marker: True}
    while pending:
        each = pending.pop()
        if id(each) not in own:
            continue
        own.remove(id(each))
        kind = type(each)
        if kind not in kinds:
            kinds[kind] = has_plain_end(kind)
        if not kinds[kind] or any(map(has_effect, (each, *_weakref.getweakrefs(each)))):
            return True
        pending.extend(gc.get_referents(each))
    return False


def has_plain_end(kind):
    if issubclass(kind, (type, _weakref.ReferenceType)):
        return True
    for base in kind.__mro__:
        if base in PLAIN:
            continue
        members = base.__dict__
        is_python_class = "__slots__" in members or any(type(each) is types.FunctionType for each in members.values())
        if not is_python_class or "__del__" in members:
            return False
    return True


def has_effect(each):
    """Whether a weak reference does more than forget its object when that is finalized."""
    if each is watch or not isinstance(each, _weakref.ReferenceType) or each.__callback__ is None:
        return False
    called = each.__callback__
    return type(called) is not types.BuiltinFunctionType and getattr(called, "__module__", None) not in FORGETFUL
