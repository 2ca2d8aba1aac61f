'use strict';
/** Gives a script access to its run: inputs, params, result, progress and other scripts. hob.d.cts documents the API. */
const fs = require('node:fs');
const path = require('node:path');
const { callHob } = require('./call-hob.cjs');
const { readArguments } = require('./read-arguments.cjs');

class HobError extends Error {
  name = 'HobError';
}

class ModelError extends HobError {
  name = 'ModelError';
}

class LinkError extends HobError {
  name = 'LinkError';

  constructor(result) {
    super(result.message);
    this.result = result;
  }
}

/** Hob does not publish progress more often. */
const progressMs = 200;
const progressTimeoutMs = 2000;
/** Pause after a failed progress report. */
const silenceMs = 5000;

class Run {
  #sending = Promise.resolve();
  #unsent = null;
  #silentUntil = 0;
  #timer;

  constructor(argv) {
    const { isUnderHob, environment, data, inputs, params } = readArguments(argv.slice(2));
    this.isUnderHob = isUnderHob;
    this.data = data;
    this.inputs = inputs;
    this.params = params;
    this.apiBase = environment.api_base ?? (process.env.HOB_API_BASE ?? '').replace(/\/+$/, '');
    this.outputJson = environment.output_json ?? null;
    this.runId = environment.run_id ?? null;
    this.scriptId = environment.script_id ?? null;
    this.scriptDir = environment.script_dir ?? path.dirname(path.resolve(argv[1] ?? '.'));
    this.runDir = environment.run_dir ?? process.cwd();
    this.invokeMode = environment.invoke_mode ?? 'manual';
    this.envelope = null;
  }

  ok(values) {
    const given = typeof values === 'string' ? { msg: values } : { ...values };
    if ('code' in given) throw new TypeError('`code` is not allowed here: ok() always writes 0');
    this.write({ code: 0, msg: 'ok', ...given });
  }

  fail(msg, { code = 1, ...values } = {}) {
    if (code === 0) throw new TypeError('code 0 means success; use ok()');
    this.write({ code, msg: String(msg), ...values });
    process.exit(exitCodeOf(code));
  }

  async link(scriptId, { data, params, check = true } = {}) {
    const values = typeof data === 'string' ? [data] : data;
    const result = await this.#call('POST', '/api/link', { script_id: scriptId, data: values, params }).then(
      ({ status, answer }) => linkResult(status, answer),
      (error) => {
        if (this.apiBase === '' || !(error instanceof HobError)) throw error;
        return linkResult(null, { message: error.message });
      },
    );
    if (check && !result.ok) throw new LinkError(result);
    return result;
  }

  async notify(message = null, { type = 'info', duration = 5000, showClose = false } = {}) {
    if (this.apiBase === '') {
      process.stderr.write(`[${type}] ${message ?? ''}\n`);
      return;
    }
    const body = { notify_type: type, message, duration, show_close: showClose };
    const { status, answer } = await this.#call('POST', '/api/notify', body);
    if (status !== 200) throw new HobError(answer.error ?? `Hob returned status ${status}`);
  }

  async modelPath(repo) {
    const query = new URLSearchParams({ repo_id: repo });
    const { status, answer } = await this.#call('GET', `/api/model/path?${query}`);
    if (status === 200) return answer.data.path;
    const said = answer.message ?? `Hob returned status ${status}`;
    throw new ModelError(status === 404 ? `${said}\nGet it with: hob model pull ${repo}` : said);
  }

  progress(fraction = null, message = null) {
    this.#unsent = { fraction, message };
    const left = this.#silentUntil - performance.now();
    if (left <= 0) this.#sendProgress();
    // unref: a pending report must not keep the script alive.
    else this.#timer ??= setTimeout(() => this.#sendProgress(), left).unref();
  }

  /** Writes the envelope atomically, so that a reader never sees a partial one. */
  write(envelope) {
    const text = JSON.stringify(envelope);
    this.#sendProgress();
    this.envelope = envelope;
    if (this.outputJson === null) {
      fs.writeSync(1, `${text}\n`);
      return;
    }
    const draft = `${this.outputJson}.${process.pid}`;
    fs.writeFileSync(draft, text);
    fs.renameSync(draft, this.outputJson);
  }

  #sendProgress() {
    const report = this.#unsent;
    this.#unsent = null;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (report === null) return;
    this.#silentUntil = performance.now() + progressMs;
    if (!this.isUnderHob) {
      const share = report.fraction === null ? '' : `${Math.round(report.fraction * 100)}% `;
      process.stderr.write(`${share}${report.message ?? ''}\n`);
      return;
    }
    // A failed progress report must not fail the script.
    this.#sending = this.#call('POST', '/api/progress', report, progressTimeoutMs).catch(() => {
      this.#silentUntil = performance.now() + silenceMs;
    });
  }

  async #call(method, route, body, timeoutMs) {
    if (this.apiBase === '')
      throw new HobError(
        'This call needs Hob. Start the script with Hob, or set HOB_API_BASE, for example to http://127.0.0.1:9527',
      );
    // Encode the body outside the try block: an encoding error is the fault of the caller.
    const text = body === undefined ? undefined : JSON.stringify(body);
    try {
      return await callHob(this.apiBase + route, { method, text, timeoutMs });
    } catch (error) {
      // Omit the run token from the address, because it is a credential and messages are stored.
      const [address] = this.apiBase.split('/r/');
      throw new HobError(`Hob does not respond at ${address}: ${error.message}`, { cause: error });
    }
  }

  /** Resolves when the last progress report has been delivered or has failed. */
  async settle() {
    this.#sendProgress();
    await this.#sending;
  }
}

function linkResult(status, answer) {
  const message = String(answer.message ?? '');
  const result = answer.result ?? { code: -1, msg: message };
  return {
    ok: answer.success === true && result.code === 0,
    status,
    message,
    result,
    exitCode: answer.exit_code ?? -1,
    timedOut: answer.timed_out ?? false,
    stdout: answer.stdout ?? '',
    stderr: answer.stderr ?? '',
  };
}

function exitCodeOf(code) {
  return Number.isInteger(code) && code > 0 && code < 256 ? code : 1;
}

let current;

function run() {
  if (current === undefined) {
    current = new Run(process.argv);
    // Without blocking writes, process.exit() in fail() would lose printed output.
    if (current.isUnderHob)
      for (const { _handle } of [process.stdout, process.stderr]) _handle?.setBlocking?.(true);
  }
  return current;
}

async function main(work) {
  const own = run();
  let isOver = false;
  // The event loop is empty, but the function has not returned.
  process.once('beforeExit', () => {
    if (!isOver) own.fail('The script waits for a promise that never resolves');
  });
  try {
    const returned = await work({ inputs: own.inputs, params: own.params, run: own });
    isOver = true;
    writeReturned(own, returned);
  } catch (error) {
    isOver = true;
    const traceback = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${traceback}\n`);
    await own.settle();
    own.fail(error instanceof Error ? `${error.name}: ${error.message}` : String(error), { traceback });
  }
}

function writeReturned(own, returned) {
  if (returned === undefined || returned === null) {
    // Keep an envelope that the function has already written.
    if (own.envelope === null) own.ok();
  } else if (typeof returned === 'string') {
    own.ok(returned);
  } else if (typeof returned === 'object' && !Array.isArray(returned)) {
    own.write({ code: 0, msg: 'ok', ...returned });
    if (own.envelope.code !== 0) process.exitCode = exitCodeOf(own.envelope.code);
  } else {
    throw new TypeError('the script must return an object, a string or nothing');
  }
}

module.exports = { HobError, LinkError, ModelError, main, run };
