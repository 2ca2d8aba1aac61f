"""Runs a function as the script: waits for the end of its module, finds its arguments, and writes what it returns."""

# Not a part of the package itself, because scripts without `hob.main` do not need it. The package shares its private names with it.
# pyright: reportPrivateUsage=false
from __future__ import annotations

import sys

from . import _exit_code, _from_text, _is_dict, _is_list, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

    from . import Function, Run

#: ast.PyCF_ONLY_AST
_ONLY_AST: int = 0x400

_is_pending = False


def use_as_script(function: Function, caller: FrameType) -> Function:
    global _is_pending
    if _is_pending:
        raise TypeError("only one function of a script can have the decorator hob.main")
    started = False

    def start(*args: Any, **keywords: Any) -> Any:
        nonlocal started
        if args or keywords:
            return function(*args, **keywords)
        if not started:
            started = True
            _carry_out(run(), function)
        return None

    # The module must be complete before the function runs, but Python has no hook for that. A function that is registered
    # with `atexit` cannot set the exit code or start threads; a trace function disables debuggers. Therefore, if there is
    # code below the decorated function, this decorator executes that code itself, then the function, and exits.
    rest = _code_below(caller, function)
    if rest is None:
        start()
        return start  # type: ignore[return-value]
    name, code = rest
    caller.f_globals[name] = start
    _is_pending = True
    exec(code, caller.f_globals)
    start()
    raise SystemExit(0)


def _code_below(caller: FrameType, function: Callable[..., Any]) -> Optional[Tuple[str, CodeType]]:
    """Returns the name of the function that is being decorated, and the code below it; None if there is none, if the source
    cannot be read, and if `main` is called by other code than a decorator of the module itself."""
    code = caller.f_code
    if code.co_name != "<module>" or _is_last(caller, function):
        return None
    try:
        with open(code.co_filename, "rb") as file:
            source = file.read()
        # Parse without the module `ast`, which takes longer to load than most scripts run.
        tree = compile(source, code.co_filename, "exec", _ONLY_AST, True)
        # The file may have changed since Python read it.
        if compile(source, code.co_filename, "exec", 0, True) != code:
            return None
    except (OSError, SyntaxError, ValueError):
        return None
    for at, statement in enumerate(tree.body):
        decorators = getattr(statement, "decorator_list", ())
        if not decorators or not decorators[0].lineno <= caller.f_lineno <= statement.end_lineno:
            continue
        below = tree.body[at + 1 :]
        if not below:
            return None
        future = [each for each in tree.body[:at] if type(each).__name__ == "ImportFrom" and each.module == "__future__"]
        # A first statement that is a string would replace the docstring of the module.
        filler: List[Any] = [] if future else compile("pass", code.co_filename, "exec", _ONLY_AST, True).body
        tree.body[:] = [*future, *filler, *below]
        return statement.name, compile(tree, code.co_filename, "exec", 0, True)
    return None


def _is_last(caller: FrameType, function: Callable[..., Any]) -> bool:
    """Whether the module certainly has no code below the function. Faster than parsing its source."""
    inner = _unwrapped(function)
    if not hasattr(inner, "__code__") or not hasattr(inner.__code__, "co_lines"):
        # Python before 3.10.
        return False
    own = inner.__code__
    body = min((line for _, _, line in own.co_lines() if line is not None and line > own.co_firstlineno), default=0)
    later = [line for _, end, line in caller.f_code.co_lines() if end > caller.f_lasti + 2 and line is not None]
    # The remaining instructions only assign the function to its name, which belongs to the lines from decorator to body.
    return own.co_filename == caller.f_code.co_filename and all(own.co_firstlineno <= line <= body for line in later)


def _carry_out(this: Run, function: Callable[..., Any]) -> None:
    try:
        positional, keywords = _arguments(this, function)
        returned = function(*positional, **keywords)
        if hasattr(returned, "__await__"):
            import asyncio

            returned = asyncio.run(returned)
        code = _write_returned(this, returned)
    except SystemExit as leaving:
        if this.envelope is None:
            _write_exit(this, leaving.code)
        raise
    except _Unfit as unfit:
        this.fail(str(unfit))
    except Exception as error:
        import traceback

        # Omit the frame of this module.
        inner = error.__traceback__.tb_next if error.__traceback__ else None
        text = "".join(traceback.format_exception(type(error), error, inner or error.__traceback__))
        sys.stderr.write(text)
        said = str(error)
        this.fail(f"{type(error).__name__}: {said}" if said else type(error).__name__, traceback=text)
    if code != 0:
        raise SystemExit(_exit_code(code))


def _write_returned(this: Run, returned: Any) -> int:
    if _is_dict(returned):
        this._write({"code": 0, "msg": "ok", **returned})
        code: int = this.envelope["code"] if this.envelope else 0
        return code
    if returned is None or isinstance(returned, str):
        # None from a function that has already written its envelope keeps that envelope.
        if returned is not None or this.envelope is None:
            this.ok(returned)
        return 0
    raise TypeError(f"the script returned {type(returned).__name__}; return a dict, a str or None")


def _write_exit(this: Run, code: Any) -> None:
    if code is None or code == 0:
        this.ok()
    elif isinstance(code, int):
        this._write({"code": code, "msg": f"exit code {code}"})
    else:
        this._write({"code": 1, "msg": str(code)})


class _Unfit(Exception):
    """The given values do not match the parameters of the function."""


def _unwrapped(function: Any) -> Any:
    """Returns the function behind decorators that use `functools.wraps`. A decorator may state another signature."""
    while hasattr(function, "__wrapped__") and not hasattr(function, "__signature__"):
        function = function.__wrapped__
    return function


def _arguments(this: Run, function: Callable[..., Any]) -> Tuple[List[Any], Dict[str, Any]]:
    """Returns the positional arguments and the keyword arguments for the function."""
    inner = _unwrapped(function)
    positional, names, optional, takes_others = _parameters(inner)
    hints = _hints(inner)
    input_name = _input_name(this, names, optional, hints)
    arguments: Dict[str, Any] = {}
    for name in names:
        if name == "run":
            arguments[name] = this
        elif name == input_name:
            arguments[name] = _as_input(name, this.inputs, hints.get(name))
        elif name in this.params:
            arguments[name] = _as_param(this, name, hints.get(name))
        elif name not in optional:
            raise _Unfit(f"The param {name} is missing")
    if takes_others:
        # `**others` receives the remaining params.
        arguments.update((name, value) for name, value in this.params.items() if name not in names)
    first: List[Any] = []
    for name in positional:
        if name not in arguments:
            break
        first.append(arguments.pop(name))
    return first, arguments


def _parameters(function: Any) -> Tuple[Sequence[str], Sequence[str], Any, bool]:
    """Returns the names that must be passed by position, all names, the optional names, and whether there are `**others`."""
    code = getattr(function, "__code__", None)
    if not isinstance(function, type(_unwrapped)) or code is None or hasattr(function, "__signature__"):
        return _inspected(function)
    # Avoid `inspect`, which takes longer to load than most scripts run.
    by_position = code.co_varnames[: code.co_argcount]
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    defaults = function.__defaults__ or ()
    keyword_defaults: Dict[str, Any] = function.__kwdefaults__ or {}
    optional = {*by_position[len(by_position) - len(defaults) :], *keyword_defaults}
    return names[: code.co_posonlyargcount], names, optional, bool(code.co_flags & 0x08)


def _inspected(function: Any) -> Tuple[Sequence[str], Sequence[str], Any, bool]:
    from inspect import Parameter, signature

    every = list(signature(function).parameters.values())
    named = [each for each in every if each.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)]
    return (
        [each.name for each in named if each.kind is Parameter.POSITIONAL_ONLY],
        [each.name for each in named],
        {each.name for each in named if each.default is not Parameter.empty},
        any(each.kind is Parameter.VAR_KEYWORD for each in every),
    )


def _input_name(this: Run, names: Sequence[str], optional: Any, hints: Dict[str, Any]) -> Optional[str]:
    if "inputs" in names:
        return "inputs"
    if this.is_under_hob:
        declared = list(this.data) if _is_dict(this.data) else []
        return declared[0] if len(declared) == 1 else None
    # Without Hob, the name in the manifest is unknown: use the first required parameter that can be a list, otherwise a string.
    missing = [name for name in names if name not in optional and name != "run" and name not in this.params]
    kinds = {name: getattr(hints.get(name, list), "__origin__", hints.get(name, list)) for name in missing}
    lists = [name for name in missing if kinds[name] is list]
    texts = [name for name in missing if kinds[name] is str or _is_path(kinds[name])]
    return next(iter(lists + texts), None)


def _as_input(name: str, inputs: List[str], hint: Any) -> Any:
    kinds = _choices(hint)
    if not any(_is_scalar(kind) for kind in kinds) or any(getattr(kind, "__origin__", kind) is list for kind in kinds):
        return _converted(inputs, kinds) if _is_fit(inputs, kinds) else inputs
    if not inputs and type(None) in kinds:
        return None
    if len(inputs) != 1:
        raise _Unfit(f"{name} must be one value, not {len(inputs)}")
    for candidate in (inputs[0], _from_text(inputs[0])):
        if _is_fit(candidate, kinds):
            return _converted(candidate, kinds)
    raise _Unfit(f"{name} must be {_described(hint)}, not {inputs[0]!r}")


def _as_param(this: Run, name: str, hint: Any) -> Any:
    value = this.params[name]
    if hint is None:
        return value
    # A value from the command line also counts as text, even if it looks like a number.
    candidates = [value, this._texts[name]] if name in this._texts else [value]
    kinds = _choices(hint)
    for kind in kinds:
        for candidate in candidates:
            if _fits(candidate, kind):
                return _converted(candidate, (kind,))
    if _is_list(value) and len(value) != 1 and all(_is_scalar(kind) or kind is type(None) for kind in kinds):
        raise _Unfit(f"The param {name} must be {_described(hint)}, but got {len(value)} values")
    shown = value if len(repr(value)) <= 100 else type(value).__name__
    raise _Unfit(f"The param {name} must be {_described(hint)}, not {shown!r}")


def _is_scalar(kind: Any) -> bool:
    from typing import Literal

    return kind in (str, int, float, bool) or _is_path(kind) or getattr(kind, "__origin__", None) is Literal


def _is_path(kind: Any) -> bool:
    return isinstance(kind, type) and hasattr(kind, "__fspath__") and kind.__module__.partition(".")[0] == "pathlib"


def _is_fit(value: Any, kinds: Sequence[Any]) -> bool:
    return any(_fits(value, kind) for kind in kinds)


def _converted(value: Any, kinds: Sequence[Any]) -> Any:
    """Returns a value that fits one of these types as that type."""
    kind: Any = next((each for each in kinds if _fits(value, each)), None)
    if kind is float:
        return float(value)
    if _is_path(kind):
        return kind(value)
    parts: Sequence[Any] = getattr(kind, "__args__", None) or ()
    origin = getattr(kind, "__origin__", kind)
    if origin is list and len(parts) == 1:
        return [_converted(item, _choices(parts[0])) for item in value]
    if origin is dict and len(parts) == 2:
        return {key: _converted(item, _choices(parts[1])) for key, item in value.items()}
    return value


def _fits(value: Any, kind: Any) -> bool:
    from typing import Literal

    origin = getattr(kind, "__origin__", kind)
    if origin is Literal:
        return any(value == choice and type(value) is type(choice) for choice in kind.__args__)
    if origin is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if origin is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if _is_path(origin):
        return isinstance(value, str)
    if origin not in (bool, str, list, dict, type(None)):
        # Unknown hints are not checked.
        return True
    if not isinstance(value, origin):
        return False
    parts = [part for part in getattr(kind, "__args__", None) or () if not hasattr(part, "__constraints__")]
    if origin is list and len(parts) == 1:
        return all(any(_fits(item, part) for part in _choices(parts[0])) for item in value)
    if origin is dict and len(parts) == 2:
        return all(any(_fits(item, part) for part in _choices(parts[1])) for item in value.values())
    return True


def _choices(hint: Any) -> Sequence[Any]:
    """Returns the types that a hint allows: `Optional[int]` and `int | None` allow two."""
    from typing import Union

    is_union = getattr(hint, "__origin__", None) is Union or type(hint).__name__ == "UnionType"
    allowed: Sequence[Any] = hint.__args__ if is_union else (hint,)
    return allowed


def _described(hint: Any) -> str:
    return " or ".join(
        "None" if kind is type(None) else kind.__name__ if isinstance(kind, type) and not hasattr(kind, "__args__") else str(kind).replace("typing.", "")
        for kind in _choices(hint)
    )


def _hints(function: Callable[..., Any]) -> Dict[str, Any]:
    if not function.__annotations__:
        return {}
    from typing import get_type_hints

    try:
        return get_type_hints(function)
    except Exception:
        return _single_hints(function)


def _single_hints(function: Callable[..., Any]) -> Dict[str, Any]:
    """Resolves each hint on its own. A hint that this Python cannot evaluate is not checked; the others are."""
    from types import SimpleNamespace
    from typing import get_type_hints

    hints: Dict[str, Any] = {}
    for name, hint in function.__annotations__.items():
        try:
            alone = SimpleNamespace(__annotations__={name: hint})
            hints.update(get_type_hints(alone, globalns=function.__globals__))
        except Exception:
            hints[name] = object
    return hints
