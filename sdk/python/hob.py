"""What a script needs to know of its run, and how it says what came of it.

    import hob

    @hob.main
    def resize(images: list, quality: int = 85):
        return {"msg": f"{len(images)} images", "output_paths": images}

Works without Hob, too: `python main.py a.png --quality 90` prints the envelope.
"""

# Only what every script needs is imported here: whatever else there is would be paid for by each run.
from __future__ import annotations

import json
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, TypeVar, Union

    Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["HobError", "LinkError", "LinkResult", "ModelError", "Params", "Run", "main", "run"]


class HobError(Exception):
    """Something that was asked of Hob could not be done."""


class ModelError(HobError):
    """A model is not on this machine."""


class LinkError(HobError):
    """A linked script failed, or was not run at all. `result` has everything that is known of it."""

    def __init__(self, result: LinkResult) -> None:
        super().__init__(result.message)
        self.result = result


class Params(dict):
    """The params of a run: `params["quality"]`, or `params.quality`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no param {name!r}") from None


class LinkResult:
    """What became of a linked script. It has the same fields when nothing came of it: `result` then says why."""

    def __init__(self, status: Optional[int], answer: Dict[str, Any]) -> None:
        #: The HTTP status; None when Hob did not answer.
        self.status = status
        envelope = answer.get("result")
        self.message: str = str(answer.get("message", ""))
        #: The envelope.
        self.result: Dict[str, Any] = (
            envelope if isinstance(envelope, dict) else {"code": -1, "msg": self.message}
        )
        self.exit_code: int = answer.get("exit_code", -1)
        self.timed_out: bool = answer.get("timed_out", False)
        self.stdout: str = answer.get("stdout", "")
        self.stderr: str = answer.get("stderr", "")
        #: Whether the script ended well and says so itself.
        self.ok: bool = answer.get("success") is True and self.result.get("code") == 0

    def __repr__(self) -> str:
        return f"LinkResult(ok={self.ok}, result={self.result!r})"


class Run:
    """The run that this script is."""

    def __init__(self, argv: Sequence[str]) -> None:
        content = _parameter_file(argv)
        self.is_under_hob: bool = content is not None
        #: The words after `--name`, when there is no Hob that has checked them.
        self._texts: Dict[str, str] = {}
        if content is None:
            self.inputs, self._texts = _command_line(argv[1:])
            self.data: Any = self.inputs
            self.params = Params((name, _from_text(text)) for name, text in self._texts.items())
            content = {}
        else:
            self.data = content.get("data")
            self.inputs = _inputs_in(self.data)
            self.params = Params(content.get("params") or {})
        environment = content.get("environment", {})
        here = os.path.dirname(os.path.abspath(argv[0])) if argv and argv[0] else os.getcwd()
        #: The address to call Hob by; empty when there is none.
        self.api_base: str = environment.get("api_base") or os.environ.get("HOB_API_BASE", "").rstrip("/")
        self.output_json: Optional[str] = environment.get("output_json")
        self.run_id: Optional[str] = environment.get("run_id")
        self.script_id: Optional[str] = environment.get("script_id")
        self.script_dir: str = environment.get("script_dir", here)
        self.run_dir: str = environment.get("run_dir", os.getcwd())
        self.invoke_mode: str = environment.get("invoke_mode", "manual")
        #: The envelope that was written last.
        self.envelope: Optional[Dict[str, Any]] = None
        self._unsent: Optional[Dict[str, Any]] = None
        self._silent_until = 0.0

    def ok(self, msg: Optional[str] = None, **values: Any) -> None:
        """Writes the envelope of a success. The script goes on; the envelope that is written last counts."""
        self._write({"code": 0, "msg": "ok" if msg is None else str(msg), **_own(values)})

    def fail(self, msg: str, code: int = 1, **values: Any) -> NoReturn:
        """Writes the envelope of a failure and ends the script by SystemExit, with `code` if that is an exit code, else with 1."""
        if code == 0:
            raise ValueError("the code 0 means success: use ok()")
        self._write({"code": code, "msg": str(msg), **_own(values)})
        raise SystemExit(_exit_code(code))

    def link(self, script_id: str, data: Any = None, params: Optional[Dict[str, Any]] = None, check: bool = True) -> LinkResult:
        """Runs another script, which must be a node, and waits for it. Raises LinkError if it fails, unless `check` is False."""
        if isinstance(data, (str, os.PathLike)):
            data = [data]
        body = {"script_id": script_id, "data": data, "params": params}
        try:
            result = LinkResult(*self._call("POST", "/api/link", body))
        except OSError as error:
            result = LinkResult(None, {"message": self._silence(error)})
        if check and not result.ok:
            raise LinkError(result)
        return result

    def notify(self, message: Optional[str] = None, type: str = "info", duration: int = 5000, show_close: bool = False) -> None:
        """Tells something to the person at the desk. `type` is success, error or info; `duration` is in milliseconds."""
        if not self.api_base:
            print(f"[{type}] {message or ''}", file=sys.stderr)
            return
        body = {"notify_type": type, "message": message, "duration": duration, "show_close": show_close}
        try:
            status, answer = self._call("POST", "/api/notify", body)
        except OSError as error:
            raise HobError(self._silence(error)) from error
        if status != 200:
            raise HobError(answer.get("error") or f"Hob answered with the status {status}")

    def model_path(self, repo: str) -> str:
        """The folder of a model, by its `owner/name`. Raises ModelError when it is not on this machine."""
        from urllib.parse import quote

        try:
            status, answer = self._call("GET", "/api/model/path?repo_id=" + quote(repo, safe=""))
        except OSError as error:
            raise HobError(self._silence(error)) from error
        if status == 200:
            return answer["data"]["path"]
        said = answer.get("message") or f"Hob answered with the status {status}"
        raise ModelError(f"{said}\nGet it with: hob model pull {repo}" if status == 404 else said)

    def progress(self, fraction: Optional[float] = None, message: Optional[str] = None) -> None:
        """Says how far the script is: from 0 to 1, what it does, or both. Never fails, and may be called in a tight loop."""
        if isinstance(fraction, float) and fraction - fraction != 0:
            # No number at all, or one without end: as much as nothing is known.
            fraction = None
        self._unsent = {"fraction": fraction, "message": message}
        if time.monotonic() >= self._silent_until:
            # As often as Hob passes them on.
            self._silent_until = time.monotonic() + 0.2
            self._send_progress()

    def _send_progress(self) -> None:
        report, self._unsent = self._unsent, None
        if report is None:
            return
        try:
            if self.is_under_hob:
                self._call("POST", "/api/progress", report, timeout=2)
            else:
                share = "" if report["fraction"] is None else f"{report['fraction']:.0%} "
                print(f"{share}{report['message'] or ''}", file=sys.stderr)
        except Exception:
            # A script is not to fail for what it only says by the way, nor to wait for it again and again.
            self._silent_until += 5

    def _call(self, method: str, path: str, body: Any = None, timeout: Optional[float] = None) -> Any:
        """The status and the answer of Hob. Not by urllib.request: that would ask a proxy for this very machine."""
        if not self.api_base:
            raise HobError("This needs Hob: run the script by Hob, or set HOB_API_BASE, to http://127.0.0.1:9527 for example")
        from http.client import HTTPConnection, HTTPException, HTTPSConnection
        from urllib.parse import urlsplit

        # What cannot be sent is the caller's fault, and none of Hob's.
        text = None if body is None else _to_json(body)
        address = urlsplit(self.api_base)
        kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
        connection = kind(address.hostname or "", address.port, timeout=timeout)
        headers = {"Accept-Language": _language()}
        if text is not None:
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, address.path + path, text, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (HTTPException, ValueError) as error:
            raise OSError(f"its answer cannot be read ({error})") from error
        finally:
            connection.close()

    def _silence(self, error: OSError) -> str:
        """Not the whole address: what names the run in it opens doors, and messages are kept."""
        return f"Hob does not answer at {self.api_base.partition('/r/')[0]}: {error}"

    def _write(self, envelope: Dict[str, Any]) -> None:
        text = _to_json(envelope)
        self._send_progress()
        self.envelope = envelope
        if self.output_json is None:
            sys.stdout.flush()
            sys.stdout.buffer.write(text + b"\n")
            sys.stdout.buffer.flush()
            return
        # In one step: whoever looks sees a whole envelope, whenever the script is stopped.
        draft = f"{self.output_json}.{os.getpid()}"
        with open(draft, "wb") as file:
            file.write(text)
        os.replace(draft, self.output_json)


_run: Optional[Run] = None


def run() -> Run:
    """The run that this script is; the same each time."""
    global _run
    if _run is None:
        _run = Run(sys.argv)
    return _run


def main(function: Function) -> Function:
    """Makes a function the script, and runs it where it stands: it belongs at the end of the file.

    Its parameters are filled from the params of the run and checked against their type hints. `inputs`, or the name of the
    manifest's input, gets the inputs, and `run` the run. What it returns becomes the envelope: the keys of a dict, a text as
    the message, None as a plain success. An exception becomes an envelope with the code 1. In a module that is only imported
    the function stays what it was.
    """
    if function.__module__ != "__main__":
        return function
    _carry_out(run(), function)
    # Whoever calls it below, out of habit, means this one time.
    return lambda: None  # type: ignore[return-value]


def _carry_out(this: Run, function: Callable[..., Any]) -> None:
    try:
        returned = function(**_arguments(this, function))
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

        # Without the frame that is ours.
        inner = error.__traceback__.tb_next if error.__traceback__ else None
        text = "".join(traceback.format_exception(type(error), error, inner or error.__traceback__))
        sys.stderr.write(text)
        said = str(error)
        this.fail(f"{type(error).__name__}: {said}" if said else type(error).__name__, traceback=text)
    if code != 0:
        raise SystemExit(_exit_code(code))


def _write_returned(this: Run, returned: Any) -> int:
    if isinstance(returned, dict):
        this._write({"code": 0, "msg": "ok", **returned})
        return this.envelope["code"] if this.envelope else 0
    if returned is None or isinstance(returned, str):
        # A function that has written its envelope by itself has nothing to return.
        if returned is not None or this.envelope is None:
            this.ok(returned)
        return 0
    raise TypeError(f"the script returned {type(returned).__name__}; return a dict, a text or None")


def _write_exit(this: Run, code: Any) -> None:
    if code is None or code == 0:
        this.ok()
    elif isinstance(code, int):
        this._write({"code": code, "msg": f"exit code {code}"})
    else:
        this._write({"code": 1, "msg": str(code)})


class _Unfit(Exception):
    """What was passed does not fit the function."""


def _arguments(this: Run, function: Callable[..., Any]) -> Dict[str, Any]:
    """What to call the function with. Its parameters are read by hand: `inspect` takes longer to load than most scripts run."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    defaults = function.__defaults__ or ()
    optional = {*positional[len(positional) - len(defaults) :], *(function.__kwdefaults__ or {})}
    hints = _hints(function)
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
    if code.co_flags & 0x08:
        # `**others` takes what nobody else has asked for.
        arguments.update((name, value) for name, value in this.params.items() if name not in names)
    return arguments


def _input_name(this: Run, names: Sequence[str], optional: Any, hints: Dict[str, Any]) -> Optional[str]:
    if "inputs" in names:
        return "inputs"
    if this.is_under_hob:
        declared = list(this.data) if isinstance(this.data, dict) else []
        return declared[0] if len(declared) == 1 else None
    # Without Hob nobody says what the manifest calls it: the first that must be given and could be a list, else a text.
    missing = [name for name in names if name not in optional and name != "run" and name not in this.params]
    for kind in (list, str):
        for name in missing:
            hint = hints.get(name, list)
            if getattr(hint, "__origin__", hint) is kind:
                return name
    return None


def _as_input(name: str, inputs: List[str], hint: Any) -> Any:
    kinds = _choices(hint)
    if str not in kinds or any(getattr(kind, "__origin__", kind) is list for kind in kinds):
        return inputs
    if len(inputs) == 1:
        return inputs[0]
    if not inputs and type(None) in kinds:
        return None
    raise _Unfit(f"{name} must be one value, not {len(inputs)}")


def _as_param(this: Run, name: str, hint: Any) -> Any:
    value = this.params[name]
    if hint is None:
        return value
    # What came from a command line is text, whatever it looks like, for whoever asks for text.
    candidates = [value, this._texts[name]] if name in this._texts else [value]
    for kind in _choices(hint):
        for candidate in candidates:
            if _fits(candidate, kind):
                return float(candidate) if kind is float else candidate
    shown = value if len(repr(value)) <= 100 else type(value).__name__
    raise _Unfit(f"The param {name} must be {_described(hint)}, not {shown!r}")


def _fits(value: Any, kind: Any) -> bool:
    from typing import Literal

    origin = getattr(kind, "__origin__", kind)
    if origin is Literal:
        return any(value == choice and type(value) is type(choice) for choice in kind.__args__)
    if origin is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if origin is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if origin not in (bool, str, list, dict, type(None)):
        # A hint that is for others to check.
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
    """The kinds of value that a hint allows: `Optional[int]` and `int | None` allow two."""
    from typing import Union

    is_union = getattr(hint, "__origin__", None) is Union or type(hint).__name__ == "UnionType"
    return hint.__args__ if is_union else (hint,)


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
    """Where one is written for a newer Python, or for a type checker alone, that one is not checked, and the others are."""
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


def _parameter_file(argv: Sequence[str]) -> Optional[Dict[str, Any]]:
    """What Hob has to say, if it was Hob who started this."""
    if len(argv) < 2 or not argv[1].endswith(".json"):
        return None
    try:
        with open(argv[1], encoding="utf-8-sig") as file:
            content = json.load(file)
    except (OSError, ValueError):
        return None
    environment = content.get("environment") if isinstance(content, dict) else None
    return content if isinstance(environment, dict) and "output_json" in environment else None


def _inputs_in(data: Any) -> List[str]:
    if isinstance(data, dict):
        data = next(iter(data.values()), [])
    return [value for value in data if isinstance(value, str)] if isinstance(data, list) else []


def _command_line(words: Sequence[str]) -> Any:
    """Inputs and params of `a.png --quality 3 --mode=fast --force`. After `--` come inputs only."""
    inputs: List[str] = []
    texts: Dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            inputs += rest
            break
        if not word.startswith("--"):
            inputs.append(word)
            continue
        name, has_value, text = word[2:].partition("=")
        if not has_value:
            text = rest.pop(0) if rest and not rest[0].startswith("--") else "true"
        texts[name.replace("-", "_")] = text
    return inputs, texts


def _from_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _own(values: Dict[str, Any]) -> Dict[str, Any]:
    if "code" in values:
        raise ValueError("`code` is no value of its own: fail() takes it, ok() always writes 0")
    return values


def _exit_code(code: Any) -> int:
    return code if isinstance(code, int) and 0 < code < 256 else 1


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a value of the type {type(value).__name__} cannot be written as JSON")


def _to_json(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain).encode()
    except UnicodeEncodeError:
        # The name of a file may hold what is no text.
        return json.dumps(value, allow_nan=False, default=_plain).encode()


def _language() -> str:
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"
