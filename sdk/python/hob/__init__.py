"""Gives a script access to its run: inputs, params, result, progress and other scripts.

    import hob

    @hob.main
    def resize(images: list, quality: int = 85):
        return {"msg": f"{len(images)} images", "output_paths": images}

It also works without Hob: `python main.py a.png --quality 90` prints the envelope.
"""

# Import only what every script needs: each run pays for every import.
from __future__ import annotations

import json
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, TypeVar, Union

    from typing_extensions import TypeGuard

    Function = TypeVar("Function", bound=Callable[..., Any])
    _Values = Dict[str, Any]
else:
    _Values = dict

__all__ = ["HobError", "LinkError", "LinkResult", "ModelError", "Params", "Run", "main", "run"]


class HobError(Exception):
    """A call to Hob failed."""


class ModelError(HobError):
    """The model is not on this machine."""


class LinkError(HobError):
    """A linked script failed or was not run. `result` has the details."""

    def __init__(self, result: LinkResult) -> None:
        super().__init__(result.message)
        self.result = result


class Params(_Values):
    """The params of a run: `params["quality"]`, or `params.quality`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"unknown param {name!r}") from None


class LinkResult:
    """The outcome of a linked script. If the script was not run, the fields are the same and `result` says why."""

    def __init__(self, status: Optional[int], answer: Dict[str, Any]) -> None:
        #: The HTTP status; None if Hob did not respond.
        self.status = status
        envelope = answer.get("result")
        self.message: str = str(answer.get("message", ""))
        #: The envelope.
        self.result: Dict[str, Any] = (
            envelope if _is_dict(envelope) else {"code": -1, "msg": self.message}
        )
        self.exit_code: int = answer.get("exit_code", -1)
        self.timed_out: bool = answer.get("timed_out", False)
        self.stdout: str = answer.get("stdout", "")
        self.stderr: str = answer.get("stderr", "")
        #: Whether the process succeeded and the code of its envelope is 0.
        self.ok: bool = answer.get("success") is True and self.result.get("code") == 0

    def __repr__(self) -> str:
        return f"LinkResult(ok={self.ok}, result={self.result!r})"


class Run:
    """The current run."""

    def __init__(self, argv: Sequence[str]) -> None:
        content = _parameter_file(argv)
        self.is_under_hob: bool = content is not None
        #: Values of `--name` options as text, if the script was started without Hob.
        self._texts: Dict[str, Union[str, List[str]]] = {}
        if content is None:
            self.inputs, self._texts = _command_line(argv[1:])
            self.data: Any = self.inputs
            self.params = Params((name, _from_texts(text)) for name, text in self._texts.items())
            content = {}
        else:
            self.data = content.get("data")
            self.inputs = _inputs_in(self.data)
            self.params = Params(content.get("params") or {})
        environment = content.get("environment", {})
        here = os.path.dirname(os.path.abspath(argv[0])) if argv and argv[0] else os.getcwd()
        #: Base address of Hob; empty if there is none.
        self.api_base: str = environment.get("api_base") or os.environ.get("HOB_API_BASE", "").rstrip("/")
        self.output_json: Optional[str] = environment.get("output_json")
        self.run_id: Optional[str] = environment.get("run_id")
        self.script_id: Optional[str] = environment.get("script_id")
        self.script_dir: str = environment.get("script_dir", here)
        self.run_dir: str = environment.get("run_dir", os.getcwd())
        self.invoke_mode: str = environment.get("invoke_mode", "manual")
        #: The last written envelope.
        self.envelope: Optional[Dict[str, Any]] = None
        self._unsent: Optional[Dict[str, Any]] = None
        self._silent_until = 0.0

    def ok(self, msg: Optional[str] = None, **values: Any) -> None:
        """Writes a success envelope. The script continues; the last written envelope counts."""
        self._write({"code": 0, "msg": "ok" if msg is None else str(msg), **_own(values)})

    def fail(self, msg: str, code: int = 1, **values: Any) -> NoReturn:
        """Writes a failure envelope and raises SystemExit, with `code` if it is a valid exit code, otherwise with 1."""
        if code == 0:
            raise ValueError("code 0 means success; use ok()")
        self._write({"code": code, "msg": str(msg), **_own(values)})
        raise SystemExit(_exit_code(code))

    def link(self, script_id: str, data: Any = None, params: Optional[Dict[str, Any]] = None, check: bool = True) -> LinkResult:
        """Runs another script, which must be a node, and waits for its end. Raises LinkError if it fails, unless `check` is False."""
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
        """Shows a desktop notification. `type` is success, error or info; `duration` is in milliseconds."""
        if not self.api_base:
            print(f"[{type}] {message or ''}", file=sys.stderr)
            return
        body = {"notify_type": type, "message": message, "duration": duration, "show_close": show_close}
        try:
            status, answer = self._call("POST", "/api/notify", body)
        except OSError as error:
            raise HobError(self._silence(error)) from error
        if status != 200:
            raise HobError(answer.get("error") or f"Hob returned status {status}")

    def model_path(self, repo: str) -> str:
        """Returns the folder of the model `owner/name`. Raises ModelError if it is not on this machine."""
        from urllib.parse import quote

        try:
            status, answer = self._call("GET", "/api/model/path?repo_id=" + quote(repo, safe=""))
        except OSError as error:
            raise HobError(self._silence(error)) from error
        if status == 200:
            return str(answer["data"]["path"])
        said = answer.get("message") or f"Hob returned status {status}"
        raise ModelError(f"{said}\nGet it with: hob model pull {repo}" if status == 404 else said)

    def progress(self, fraction: Optional[float] = None, message: Optional[str] = None) -> None:
        """Reports progress: a fraction from 0 to 1, a message, or both. Never fails; safe to call in a tight loop."""
        if isinstance(fraction, float) and fraction - fraction != 0:
            # NaN or infinity: report no fraction.
            fraction = None
        self._unsent = {"fraction": fraction, "message": message}
        if time.monotonic() >= self._silent_until:
            # Hob does not publish progress more often.
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
            # A failed progress report must not fail or delay the script: pause before the next attempt.
            self._silent_until += 5

    def _call(self, method: str, path: str, body: Any = None, timeout: Optional[float] = None) -> Any:
        """Returns the status and the JSON of the response. Avoids urllib.request, which would send local requests to a proxy."""
        if not self.api_base:
            raise HobError("This call needs Hob. Start the script with Hob, or set HOB_API_BASE, for example to http://127.0.0.1:9527")
        from http.client import HTTPConnection, HTTPException, HTTPSConnection
        from urllib.parse import urlsplit

        # Encode the body outside the try block: an encoding error is the fault of the caller.
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
            raise OSError(f"its response is not valid ({error})") from error
        finally:
            connection.close()

    def _silence(self, error: OSError) -> str:
        """Omits the run token from the address, because it is a credential and messages are stored."""
        return f"Hob does not respond at {self.api_base.partition('/r/')[0]}: {error}"

    def _write(self, envelope: Dict[str, Any]) -> None:
        text = _to_json(envelope)
        self._send_progress()
        self.envelope = envelope
        if self.output_json is None:
            sys.stdout.flush()
            sys.stdout.buffer.write(text + b"\n")
            sys.stdout.buffer.flush()
            return
        # Write atomically, so that a reader never sees a partial envelope.
        draft = f"{self.output_json}.{os.getpid()}"
        with open(draft, "wb") as file:
            file.write(text)
        os.replace(draft, self.output_json)


_run: Optional[Run] = None


def run() -> Run:
    """Returns the current run, always the same object."""
    global _run
    if _run is None:
        _run = Run(sys.argv)
    return _run


def main(function: Function) -> Function:
    """Decorator that runs the function as the script, once the module is complete. Put it above other decorators.

    Its parameters receive the params of the run, checked against their type hints. A parameter called `inputs`, or like the
    input in the manifest, receives the inputs; `run` receives the run. The return value becomes the envelope: a dict provides
    the keys, a string the message, and None means success. An exception becomes an envelope with code 1. A call without
    arguments below the decorator, such as `main()`, runs the script there. In an imported module, the function is returned
    unchanged.
    """
    caller = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    # A decorated function may belong to the module of its decorator.
    if "__main__" not in (getattr(function, "__module__", None), caller.f_globals.get("__name__")):
        return function
    from ._function import use_as_script

    return use_as_script(function, caller)


def _parameter_file(argv: Sequence[str]) -> Optional[Dict[str, Any]]:
    """Returns the parameter document, or None if Hob did not start the script."""
    if len(argv) < 2 or not argv[1].endswith(".json"):
        return None
    try:
        with open(argv[1], encoding="utf-8-sig") as file:
            content = json.load(file)
    except (OSError, ValueError):
        return None
    is_document = _is_dict(content) and _is_dict(content.get("environment"))
    return content if is_document and "output_json" in content["environment"] else None


def _inputs_in(data: Any) -> List[str]:
    if _is_dict(data):
        data = next(iter(data.values()), None)
    return [value for value in data if isinstance(value, str)] if _is_list(data) else []


def _command_line(words: Sequence[str]) -> Any:
    """Parses inputs and params such as `a.png --quality 3 --mode=fast --force`. Words after `--` are inputs. A param that is
    given several times is a list."""
    inputs: List[str] = []
    texts: Dict[str, List[str]] = {}
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
        texts.setdefault(name.replace("-", "_"), []).append(text)
    return inputs, {name: given if len(given) > 1 else given[0] for name, given in texts.items()}


def _from_texts(given: Union[str, List[str]]) -> Any:
    return [_from_text(text) for text in given] if isinstance(given, list) else _from_text(given)


def _from_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _own(values: Dict[str, Any]) -> Dict[str, Any]:
    if "code" in values:
        raise ValueError("`code` is not allowed here: pass it to fail(); ok() always writes 0")
    return values


def _exit_code(code: Any) -> int:
    return code if isinstance(code, int) and 0 < code < 256 else 1


# After `isinstance(value, dict)` alone, a type checker does not know the types of its items.
def _is_dict(value: object) -> TypeGuard[Dict[str, Any]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[List[Any]]:
    return isinstance(value, list)


def _is_path(value: object) -> TypeGuard[os.PathLike[str]]:
    return isinstance(value, os.PathLike)


def _plain(value: Any) -> Any:
    if _is_path(value):
        return os.fspath(value)
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")


def _to_json(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain).encode()
    except UnicodeEncodeError:
        # A file name may contain bytes that are not valid text.
        return json.dumps(value, allow_nan=False, default=_plain).encode()


def _language() -> str:
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"
