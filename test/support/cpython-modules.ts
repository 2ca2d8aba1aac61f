export interface TestModule {
  readonly name: string;
  /** Classes, or modules of a package. Without any the whole module runs. */
  readonly parts: readonly string[];
}

/**
 * Modules of CPython's own tests, without `test_`. The first three are quick, and run with the other tests. Modules that only
 * skip here are left out. Modules that take longer than a minute run in part, or not at all.
 */
const names = `
  atexit frame finalization sys gc thread traceback warnings inspect generators coroutines asyncgen
  contextlib exceptions sys_settrace sys_setprofile runpy import pkgutil site tempfile random time os
  posix fileio file bufio faulthandler fork1 wait3 wait4 threading_local context module weakset builtin
  compile code dis linecache getpass queue resource memoryio cmd_line cmd_line_script utf8_mode audit bdb
  tracemalloc trace imp zipimport types type_cache descr mmap gzip bz2 lzma zipfile shelve dbm dbm_dumb
  csv argparse pickle copy enum dataclasses typing abc collections functools itertools operator re string
  unicode codecs locale _locale select selectors uuid hashlib hmac secrets struct array decimal fractions
  statistics math pty readline doctest pdb datetime zoneinfo ctypes json unittest profile cprofile
  importlib threadsignals contextlib_async modulefinder dict dictviews set list tuple hash float int long
  range bytes memoryview bool class call scope super property metaclass syntax grammar fstring except_star
  exception_group exception_variations raise with yield_from genexps iter enumerate slice sort bisect
  heapq deque defaultdict ordered_dict userdict copyreg pprint reprlib textwrap shlex shutil glob fnmatch
  fileinput filecmp pathlib posixpath genericpath stat tokenize ast symtable keyword opcodes peepholer
  opcache marshal py_compile code_module codeop cmd rlcompleter repl interpreters script_helper support
  c_locale_coercion univnewlines print strftime strptime calendar sched timeit platform sysconfig syslog
  pwd grp fcntl epoll poll popen pipes openpty gettext configparser base64 binascii zlib html xml_etree
  pyexpat http_cookies urllib urllib2 urlparse wsgiref optparse getopt difflib pydoc pyclbr unicodedata
  numeric_tower complex cmath baseexception isinstance funcattrs extcall future lltrace frozen getpath
  embed threadedtempfile structseq unparse patma dtrace dynamic eof errno file_eintr genericalias
  ipaddress mimetypes minidom sax netrc plistlib named_expressions positional_only_arg augassign
  type_annotations webbrowser zipapp zipimport_support threading weakref io signal logging __all__ index
  format binop compare unicode_file unicode_file_functions cgitb cgi imaplib poplib telnetlib asyncore
  asynchat http_cookiejar robotparser sndhdr wave sunau aifc colorsys tabnanny ucn unicode_identifiers uu
  xdrlib graphlib keywordonlyarg mailcap multibytecodec pickletools picklebuffer pkg pow pstats pulldom
  quopri richcmp setcomps dictcomps listcomps stringprep strtod subclassinit type_comments typechecks
  unary unpack unpack_ex string_literals htmlparser abstract_numbers decorators descrtut
  dynamicclassattribute charmapcodec codeccallbacks codecencodings_cn dict_version future3 generator_stop
  genericclass global int_literal iterlen userlist userstring exception_hierarchy contains longexp nntplib
  smtpd xml_dom_minicompat utf8source _opcode __future__ flufl imghdr urllib_response smtplib ftplib
  httpservers xmlrpc timeout concurrent_futures asyncio multiprocessing_fork subprocess
`;

/** By name. */
const parts: Readonly<Record<string, readonly string[]>> = {
  asyncio: ['test_locks', 'test_queues', 'test_runners', 'test_taskgroups', 'test_unix_events'],
  concurrent_futures: ['FutureTests', 'ThreadPoolExecutorTest', 'ThreadPoolShutdownTest'],
  multiprocessing_fork: ['TestStdinBadfiledescriptor', 'WithProcessesTestProcess', 'WithThreadsTestProcess'],
  signal: ['GenericTests', 'PendingSignalsTests', 'PosixTests', 'RaiseSignalTest', 'WakeupSignalTests'],
  subprocess: ['ContextManagerTests', 'MiscTests', 'POSIXProcessTestCase', 'RunFuncTestCase'],
};

export const cpythonModules: readonly TestModule[] = names
  .trim()
  .split(/\s+/)
  .map((name) => ({ name: `test_${name}`, parts: parts[name] ?? [] }));
