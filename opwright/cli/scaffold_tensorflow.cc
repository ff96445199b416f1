#include <cctype>
#include <string>

#include "opwright/cli/failure.h"
#include "opwright/cli/scaffold.h"

namespace opwright::cli {
namespace {

// What the project's module would be found instead of: modules of the project itself, of what its
// tests import, and of Python.
constexpr char kPythonModules[] =
    " find_tensorflow numpy pytest tf "
    "absl flatbuffers google grpc h5py keras ml_dtypes opt_einsum optree packaging requests rich "
    "setuptools six termcolor wrapt "
    "abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 "
    "bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs "
    "codeop collections colorsys compileall concurrent configparser contextlib contextvars "
    "copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis "
    "distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp "
    "fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob "
    "graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib "
    "inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma "
    "mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing "
    "netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev "
    "pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath "
    "pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri "
    "random re readline reprlib resource rlcompleter runpy sched secrets select selectors "
    "shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 "
    "sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct "
    "subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile "
    "termios textwrap this threading time timeit tkinter token tokenize tomllib trace "
    "traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu "
    "uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc "
    "zipapp zipfile zipimport zlib zoneinfo ";

void CheckModule(const Names& names) {
  if (std::string(kPythonModules).find(" " + names.snake + " ") != std::string::npos) {
    FailUsage(
        "'{0}' has a meaning in Python that the project's {0}.py would hide: choose another name, "
        "as "
        "in my_{0}.",
        names.snake);
  }
}

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::vector<ProjectFile> MakeTensorFlowProject(const Package& package, const Names& names) {
  CheckModule(names);
  std::vector<ProjectFile> files;
  for (const char* name :
       {"op.cc", "gradient.cc", "element_mul.py", "test.py", "README.md", "find_tensorflow.py",
        "CMakeLists.txt.in", "Makefile.in", "BUILD.bazel.in", "MODULE.bazel.in", "WORKSPACE.in",
        "tensorflow.bzl.in", "gitignore"}) {
    files.push_back({name, ReadFile(package.templates() / "tensorflow" / name)});
  }
  // The op's name as registered may have a namespace, which stands in the name of the function that
  // TensorFlow makes, and nowhere else.
  const Replacements to = {{"\"ElementMul\"", "\"" + names.op + "\""},
                           {"`ElementMul`", "`" + names.op + "`"},
                           {"_ops.element_mul", "_ops." + names.function},
                           {"ELEMENT_MUL", Upper(names.snake)},
                           {"ElementMul", names.camel},
                           {"element_mul", names.snake}};
  for (ProjectFile& file : files) {
    if (file.name == "gitignore") file.name = ".gitignore";
    ReplaceAll(file.name, ".in", "");
    ReplaceEach(file.name, to);
    ReplaceEach(file.text, to);
  }
  return files;
}

}  // namespace opwright::cli
