"""Calls Hob from any program: runs scripts, follows their output and events. Needs only the standard library.

    from hob.client import Hob

    hob = Hob()
    run = hob.run("resize-images", data=["a.png"], params={"quality": 90})
    print(run["state"], run["result"])

It finds the service and its token by itself. If the service restarts, requests are repeated and streams continue where they
broke; a script starts once.
"""

# Hob and RunHandle share their private methods, and the package its private names.
# pyright: reportPrivateUsage=false
from __future__ import annotations

import base64
import json
import os
import stat
import string
import sys
import time
import uuid
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, cast
from urllib.parse import quote, urlsplit

from . import HobError, _is_dict, _is_list

__all__ = ["CallError", "Event", "Hob", "Output", "RunHandle"]

#: The record of a run, as `GET /api/runs/<id>` returns it.
Record = Dict[str, Any]
Data = Union[str, "os.PathLike[str]", Sequence[Any], Mapping[str, object]]

_POLL_S = 0.2
#: How long one request waits for the end of a run.
_WAIT_S = 60
#: A stream that is silent for longer has lost its connection: the service sends a comment every 15 seconds.
_SILENCE_S = 60
_ANSWER_S = 120
#: A connection that breaks after this time was accepted: the service responded again since the failure before.
_OPEN_S = 1
#: How long an answer may take after the deadline of a caller: the service itself waits until the deadline.
_GRACE_S = 2


class CallError(HobError):
    """Hob refused a request, or cannot be reached."""

    def __init__(
        self, message: str, code: Optional[str], status: Optional[int] = None, hint: str = "", fields: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        #: `not-running`: no service runs. `unreachable`: it did not respond for too long. `not-hob`: the answer does not come from Hob.
        #: `home-unusable`: the files that contain the address and the token cannot be read. `inside-run`: a script must use `link`. Otherwise
        #: the code of the service; None if its answer has none.
        self.code = code
        #: The HTTP status of the refusal; None if there was no answer.
        self.status = status
        self.hint = hint
        #: The fields of the request at fault, such as `params.quality`.
        self.fields: List[str] = list(fields)


class Event(NamedTuple):
    """An event of a stream. A stream resumes after its id."""

    id: str
    type: str
    data: Dict[str, Any]


class Output(NamedTuple):
    """Output of a run, in the order of its stream. Each byte comes once."""

    #: "stdout" or "stderr"
    stream: str
    #: The position of the first byte in its stream.
    offset: int
    #: The exact bytes; empty for a gap.
    bytes: bytes
    #: The same as a text; never split inside a character.
    text: str
    #: The number of bytes that Hob did not keep in this place; otherwise 0.
    missing: int


class _Delivery:
    """Whether the service may have accepted a request."""

    def __init__(self) -> None:
        self.is_possible = False


class Hob:
    """A client of Hob.

    Without `url`, it uses the service that runs in `home` (default: HOB_HOME, otherwise the usual folder), with its token. While the
    service does not respond, requests are repeated for `patience` seconds. Inside a script it starts runs only if `url` or `home` is given:
    use `link` of the module `hob` there.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        home: Optional[Union[str, "os.PathLike[str]"]] = None,
        patience: float = 30,
    ) -> None:
        if url is not None and not _is_address(url):
            raise ValueError(f"The address of a service begins with http:// or https://, unlike {url!r}.")
        self._fixed = None if url is None else (url.rstrip("/"), token)
        self._home = _home_of_service(home)
        self._is_inside_run = url is None and home is None and bool(os.environ.get("HOB_RUN_ID") or _parameter_file())
        self._patience = patience
        self._has_responded = False

    def run(
        self,
        script: str,
        data: Optional[Data] = None,
        params: Optional[Mapping[str, object]] = None,
        timeout: Optional[float] = None,
    ) -> Record:
        """Runs a script, by its id or slug, waits for its end and returns its record. A script that fails is a result and not an exception: see
        `state` and `result`. After `timeout` seconds, and if this call is interrupted (Ctrl-C), the run is cancelled."""
        key = str(uuid.uuid4())
        until = None if timeout is None else time.monotonic() + timeout
        delivery = _Delivery()
        run: Optional[RunHandle] = None
        try:
            run = self._start(script, data, params, key, until, delivery)
            return run._wait(until, timeout)
        except (TimeoutError, KeyboardInterrupt):
            try:
                if run is None and delivery.is_possible:
                    # The same key finds a run that was accepted although its answer did not arrive.
                    run = self.start(script, data, params, key)
                if run is not None:
                    run.cancel()
            except CallError:
                # The caller expects the first exception.
                pass
            raise

    def start(
        self,
        script: str,
        data: Optional[Data] = None,
        params: Optional[Mapping[str, object]] = None,
        idempotency_key: Optional[str] = None,
    ) -> RunHandle:
        """Starts a run and does not wait for its end. Starting with the same key again returns the same run."""
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        return self._start(script, data, params, key, None, _Delivery())

    def _start(
        self,
        script: str,
        data: Optional[Data],
        params: Optional[Mapping[str, object]],
        key: str,
        until: Optional[float],
        delivery: _Delivery,
    ) -> RunHandle:
        if self._is_inside_run:
            # The service would not know the parent of the run, so a script that calls itself could wait for its own slot.
            message = "A script cannot start the scripts of its own Hob with hob.client."
            hint = "Link the script instead: import hob; hob.run().link(id, data=[...], params={...})"
            raise CallError(message, "inside-run", hint=hint)
        if not (key.isascii() and key.isprintable()):
            raise CallError("An idempotency key consists of visible ASCII characters.", "idempotency-key-invalid")
        values = [data] if isinstance(data, (str, os.PathLike)) else data
        # A run with this origin opens no window: this program shows the output.
        headers = {"Idempotency-Key": key, "X-Hob-Origin": "cli"}
        body = {"data": values, "params": params}
        body = {name: value for name, value in body.items() if value is not None}
        path = _path("script", script) + "/runs"
        answer = self._request("POST", path, body, headers, True, _ANSWER_S, until, delivery)
        return RunHandle(answer["run_id"], self)

    def attach(self, run_id: str) -> RunHandle:
        """Returns a run that was started before, by anyone."""
        return RunHandle(run_id, self)

    def scripts(self) -> List[Dict[str, Any]]:
        """Returns all scripts."""
        found: List[Dict[str, Any]] = self.request("GET", "/api/scripts")["scripts"]
        return found

    def script(self, id: str) -> Dict[str, Any]:
        found: Dict[str, Any] = self.request("GET", _path("script", id))
        return found

    def events(self, types: Sequence[str] = (), since: Optional[str] = None) -> Iterator[Event]:
        """Yields the events of all runs, models, packages and scripts, without end. Without `since`: from now on."""
        path = "/api/events" + ("?types=" + ",".join(types) if types else "")
        return self._events(path, since)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Optional[Dict[str, str]] = None,
        repeatable: Optional[bool] = None,
        timeout: float = _ANSWER_S,
    ) -> Any:
        """Sends any request to the service, and returns the JSON of the answer. `repeatable`: whether it may be sent again if the
        connection breaks; by default not for POST and PATCH."""
        if repeatable is None:
            repeatable = method not in ("POST", "PATCH")
        return self._request(method, path, body, headers or {}, repeatable, timeout, None, _Delivery())

    def _request(
        self,
        method: str,
        path: str,
        body: Any,
        headers: Dict[str, str],
        repeatable: bool,
        timeout: float,
        until: Optional[float],
        delivery: _Delivery,
    ) -> Any:
        text = None if body is None else json.dumps(body, default=_plain, allow_nan=False).encode()
        connection, answer, content = self._ask(
            method, path, text, headers, repeatable, timeout, until, delivery, is_stream=False
        )
        connection.close()
        try:
            return json.loads(content)
        except ValueError:
            raise CallError("The answer is not JSON, so it does not come from Hob.", "not-hob", answer.status) from None

    def _ask(
        self,
        method: str,
        path: str,
        body: Optional[bytes],
        headers: Dict[str, str],
        repeatable: bool,
        timeout: float,
        until: Optional[float],
        delivery: _Delivery,
        is_stream: bool,
    ) -> Tuple[HTTPConnection, HTTPResponse, bytes]:
        """Sends a request until the service accepts or refuses it. Raises TimeoutError if it does neither before the time `until`."""
        deadline: Optional[float] = None
        was_rejected = False
        while True:
            wait = _POLL_S
            sent = time.monotonic()
            where = "its address"
            was_possible = delivery.is_possible
            try:
                address = self._fixed or _locate(self._home)
                if address is None:
                    raise CallError("Hob is not running.", "not-running", hint="Start it: hob start")
                where = address[0]
                if until is not None:
                    timeout = min(timeout, max(0.0, until - sent) + _GRACE_S)
                delivery.is_possible = True
                connection, answer = _send(address, method, path, body, headers, timeout)
                self._has_responded = True
                if 200 <= answer.status < 300:
                    return connection, answer, b"" if is_stream else _read(connection, answer)
                failure: CallError = _refusal(answer)
                connection.close()
                delivery.is_possible = was_possible
                delay = answer.headers.get("Retry-After", "")
                if answer.status == 401 and not was_rejected:
                    # The token may have been renewed.
                    was_rejected = True
                elif answer.status != 503 or not delay.isdigit():
                    raise failure
                else:
                    wait = float(delay)
            except CallError as error:
                if error.code != "not-running" or not self._has_responded:
                    raise
                failure = error
            except (OSError, HTTPException) as error:
                failure = CallError(f"No response from Hob at {where} ({error}).", "unreachable", hint="To find the cause: hob doctor")
                failure.__cause__ = error
                if isinstance(error, ConnectionRefusedError):
                    delivery.is_possible = was_possible
                elif not repeatable:
                    raise failure
                is_cut = isinstance(error, (ConnectionResetError, BrokenPipeError, IncompleteRead))
                if is_cut and time.monotonic() - sent >= _OPEN_S:
                    deadline = None
            now = time.monotonic()
            if deadline is None:
                deadline = now + self._patience
            if until is not None and until <= min(now + wait, deadline):
                time.sleep(max(0.0, until - now))
                raise TimeoutError("Hob did not respond in time") from failure
            if now + wait > deadline:
                raise failure
            time.sleep(wait)

    def _events(self, path: str, since: Optional[str]) -> Iterator[Event]:
        """Yields the events of a stream, and resumes where it broke. Ends only if the stream has no more events."""
        last = since
        while True:
            headers = {"Accept": "text/event-stream"}
            if last is not None:
                headers["Last-Event-ID"] = last
            connection, answer, _ = self._ask(
                "GET", path, None, headers, True, _SILENCE_S, None, _Delivery(), is_stream=True
            )
            try:
                if answer.status == 204:
                    return
                for event in _frames(answer):
                    last = event.id
                    if event.type:
                        yield event
            except (OSError, HTTPException):
                # The next request resumes after the last event.
                pass
            finally:
                connection.close()
            time.sleep(_POLL_S)


class RunHandle:
    """A run that was started."""

    def __init__(self, id: str, hob: Hob) -> None:
        self.id = id
        self._hob = hob
        self._path = _path("run", id)

    def __repr__(self) -> str:
        return f"RunHandle({self.id!r})"

    def get(self) -> Record:
        """Returns the record of the run as it is now."""
        record: Record = self._hob.request("GET", self._path)
        return record

    def wait(self, timeout: Optional[float] = None) -> Record:
        """Waits for the end of the run and returns its record. Raises TimeoutError after `timeout` seconds; the run continues."""
        return self._wait(None if timeout is None else time.monotonic() + timeout, timeout)

    def _wait(self, until: Optional[float], timeout: Optional[float]) -> Record:
        late = f"the run {self.id} has not ended within {timeout} seconds"
        while True:
            wait: float = _WAIT_S
            if until is not None:
                wait = min(wait, max(0.0, until - time.monotonic()))
            path = f"{self._path}?wait={wait:.3f}"
            try:
                record: Record = self._hob._request("GET", path, None, {}, True, _ANSWER_S, until, _Delivery())
            except TimeoutError as error:
                raise TimeoutError(late) from error.__cause__
            if record["ended_at"] is not None:
                return record
            if until is not None and time.monotonic() >= until:
                raise TimeoutError(late)

    def output(self, stream: Optional[str] = None) -> Iterator[Output]:
        """Yields the output from its beginning to the end of the run. `stream`: "stdout" or "stderr"; by default both."""
        for event in self.events():
            data = event.data
            if event.type != "run.output" or stream not in (None, data["stream"]):
                continue
            text = data.get("text", "")
            exact = base64.b64decode(data["base64"]) if "base64" in data else text.encode()
            yield Output(data["stream"], data["offset"], exact, text, data.get("missing", 0))

    def events(self, since: str = "0-0") -> Iterator[Event]:
        """Yields the events of the run, including its output, until it ends. `since`: the id of the last event received."""
        for event in self._hob._events(self._path + "/events", since):
            yield event
            if event.type == "run.ended":
                return

    def cancel(self) -> bool:
        """Stops the run. Returns False if it had ended already."""
        try:
            self._hob.request("POST", self._path + "/cancel", {}, repeatable=True)
            return True
        except CallError as error:
            if error.code == "run-ended":
                return False
            raise


def _plain(value: Any) -> object:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    return os.fspath(cast("os.PathLike[str]", value))


def _path(kind: str, id: str) -> str:
    # These parts of a path have a meaning of their own, so the request would reach another path.
    if id in ("", ".", ".."):
        raise CallError(f'No {kind} has the id "{id}".', kind + "-unknown")
    return f"/api/{kind}s/{quote(id, safe='')}"


def _is_address(url: str) -> bool:
    try:
        address = urlsplit(url)
        # Reading an invalid port raises ValueError.
        return address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        return False


def _send(
    address: Tuple[str, Optional[str]], method: str, path: str, body: Optional[bytes], headers: Dict[str, str], timeout: float
) -> Tuple[HTTPConnection, HTTPResponse]:
    url, token = address
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout)
    every = dict(headers)
    if body is not None:
        every["Content-Type"] = "application/json"
    if token is not None:
        every["Authorization"] = "Bearer " + token
    try:
        # Punctuation has its meaning in a path. Only other characters need an encoding.
        connection.request(method, quote(parts.path + path, safe=string.punctuation), body, every)
        return connection, connection.getresponse()
    except BaseException:
        connection.close()
        raise


def _read(connection: HTTPConnection, answer: HTTPResponse) -> bytes:
    try:
        return answer.read()
    except BaseException:
        connection.close()
        raise


def _frames(answer: HTTPResponse) -> Iterator[Event]:
    """Reads the events of a stream (server-sent events). An event has an id, a type and one line of JSON."""
    fields: Dict[str, str] = {}
    while True:
        line = answer.readline()
        if not line.endswith(b"\n"):
            # The stream ended, perhaps within a line.
            return
        text = line[:-1].decode()
        if text:
            name, colon, value = text.partition(": ")
            if colon:
                fields[name] = value
            continue
        if "id" in fields:
            yield Event(fields["id"], fields.get("event", ""), json.loads(fields.get("data", "{}")))
        fields = {}


def _refusal(answer: HTTPResponse) -> CallError:
    try:
        content = json.loads(answer.read())
    except (ValueError, OSError, HTTPException):
        content = None
    said: Dict[str, Any] = content if _is_dict(content) else {}
    message = said.get("message") or said.get("error")
    code = answer.headers.get("X-Hob-Error") or (None if message else "no-message")
    named = said.get("fields")
    at_fault = [name for name in named if isinstance(name, str)] if _is_list(named) else []
    text = str(message or f"Hob responded with status {answer.status}.")
    return CallError(text, code, answer.status, str(said.get("hint") or ""), at_fault)


def _home_of_service(given: Optional[Union[str, "os.PathLike[str]"]]) -> str:
    chosen = given or os.environ.get("HOB_HOME")
    if chosen:
        return os.path.abspath(chosen)
    # Inside a script, the default is the Hob that runs the script: <home>/runs/<run>/params.json
    file = _parameter_file()
    runs = os.path.dirname(os.path.dirname(file))
    if os.path.basename(runs) == "runs":
        return os.path.dirname(runs)
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local"), "hob")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/hob")
    data = os.environ.get("XDG_DATA_HOME", "")
    # The XDG specification requires that a relative path is ignored.
    return os.path.join(data if data.startswith("/") else os.path.expanduser("~/.local/share"), "hob")


def _parameter_file() -> str:
    """Returns the path of the parameter file of this run; empty outside of runs."""
    named = os.environ.get("HOB_PARAMETER_FILE")
    if named:
        return named
    # Scripts that may start warm have it only as their argument.
    given = sys.argv[1] if len(getattr(sys, "argv", [])) > 1 else ""
    is_of_run = os.path.isabs(given) and os.path.basename(given) == "params.json"
    return given if is_of_run and os.path.basename(os.path.dirname(os.path.dirname(given))) == "runs" else ""


def _locate(home: str) -> Optional[Tuple[str, Optional[str]]]:
    """Returns the address of the service that runs in a home, and its token if it requires one; None if none runs."""
    try:
        with open(os.path.join(home, "service.json"), encoding="utf-8") as file:
            info = json.load(file)
    except (FileNotFoundError, ValueError):
        return None
    except OSError as error:
        raise CallError(f"The service in {home} cannot be found: {error}", "home-unusable") from None
    if not _is_dict(info) or "version" not in info:
        return None
    pid, url, start_ticks = info.get("pid"), info.get("url"), info.get("startTicks")
    if type(pid) is not int or not isinstance(url, str) or not _is_address(url):
        return None
    # A killed service leaves its file. Another process may have its id now.
    if not _is_alive(pid, start_ticks if type(start_ticks) is int else None):
        return None
    return url, _token(home) if info.get("token") is True else None


def _is_alive(pid: int, start_ticks: Optional[int]) -> bool:
    if start_ticks is not None:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
            return fields[0] != b"Z" and int(fields[19]) == start_ticks
        except OSError:
            return False
    if sys.platform == "win32":
        # A signal would end the process there. A request shows whether it responds.
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _token(home: str) -> str:
    """Returns the token, unless other users may have read or written it."""
    path = os.path.join(home, "token")
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(handle, encoding="ascii") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise OSError("it is not a regular file")
            if hasattr(os, "geteuid") and (found.st_uid not in (os.geteuid(), 0) or found.st_mode & 0o077):
                raise OSError("other users can read it")
            return file.read(4096).strip()
    except (OSError, ValueError) as error:
        hint = f'Create a new one: hob token --renew --home "{home}"'
        raise CallError(f"The token file {path} cannot be used: {error}", "home-unusable", hint=hint) from None
