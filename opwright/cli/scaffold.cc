#include "opwright/cli/scaffold.h"

#include <algorithm>
#include <initializer_list>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include "opwright/cli/failure.h"

namespace opwright::cli {
namespace {

const char kSnake[] = "element_mul", kCamel[] = "ElementMul", kOp[] = "Opwright>ElementMul",
           kFunction[] = "opwright_element_mul";

// For what must be there: a package whose files do not go with this program is found out.
void Replace(ProjectFile& file, const std::string& from, const std::string& to) {
  if (file.text.find(from) == file.text.npos) {
    Fail(
        "the package's element_mul/{} is not the one that this program knows (it lacks \"{}\"); "
        "install opwright again.",
        file.name, from);
  }
  ReplaceAll(file.text, from, to);
}

// From the line that begins with `first` up to, and without, the one that begins with `next`.
void ReplaceLines(ProjectFile& file, const std::string& first, const std::string& next,
                  const std::string& to) {
  const size_t begin = file.text.find("\n" + first);
  const size_t end = begin == file.text.npos ? begin : file.text.find("\n" + next, begin + 1);
  if (end == file.text.npos) Replace(file, first, "");  // explains
  file.text.replace(begin + 1, end - begin, to);
}

std::set<std::string> Identifiers(const std::string& code) {
  static const std::regex comment("//[^\n]*"), word("[A-Za-z_][A-Za-z0-9_]*");
  const std::string bare = std::regex_replace(code, comment, "");
  return {std::sregex_token_iterator(bare.begin(), bare.end(), word), std::sregex_token_iterator()};
}

// What stands in namespace opwright without saying so, in the code of a text and not in its
// comments.
std::string Qualify(const std::string& text) {
  static const std::regex bare(
      "(^|[^A-Za-z0-9_:])(testing::|DType\\b|half\\b|bfloat16\\b|Fail\\()");
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t comment = line[0] == '#' ? 0 : std::min(line.find("//"), line.size());
    all += std::regex_replace(line.substr(0, comment), bare, "$1opwright::$2") +
           line.substr(comment) + "\n";
  }
  return all;
}

// An author's code stands in no namespace, and includes its neighbours by their plain names.
void MakeLocalCpp(ProjectFile& file, const Names& names) {
  static const std::regex scope(
      "\n(namespace opwright::ops \\{|\\}  // namespace opwright::ops)\n"),
      using_declaration("using opwright::ops::[A-Za-z]+;\n");
  const bool in_opwright = std::regex_search(file.text, scope);
  file.text = std::regex_replace(file.text, scope, "\n");
  ReplaceAll(file.text, "\n\n\n", "\n\n");
  while (file.text.size() > 1 && file.text.compare(file.text.size() - 2, 2, "\n\n") == 0) {
    file.text.pop_back();
  }
  file.text = std::regex_replace(file.text, using_declaration, "");
  if (in_opwright) file.text = Qualify(file.text);
  ReplaceAll(file.text, "opwright::ops::", "");
  ReplaceAll(file.text, "#include \"opwright/ops/element_mul/", "#include \"");
  if (file.name == "op.h" && names.op == names.camel) {
    static const std::regex own_name(" *\\.Name\\(\"Opwright>ElementMul\"\\)\n");
    file.text = std::regex_replace(file.text, own_name, "");
  }
}

void CheckNameIsFree(const ProjectFile& file, const Names& names) {
  if (names.camel != kCamel && Identifiers(file.text).count(names.camel)) {
    FailUsage(
        "'{}' is used in the project's {} for something else: choose another name, as in My{}.",
        names.camel, file.name, names.camel);
  }
}

void MakeLocalTest(ProjectFile& file, const Package& package) {
  Replace(file, "in TensorFlow: opened plainly, and by the package.", "in TensorFlow.");
  Replace(file, "import numpy as np\n",
          "import os\nimport pathlib\nimport subprocess\nimport sys\n\nimport numpy as np\n");
  ReplaceLines(file, "@pytest.fixture(params=[\"plain\", \"package\"])", "def static_shape",
               ReadFile(package.templates() / "fixtures.py.in") + "\n\n");
  ReplaceAll(file.text, "core_path", "library_path");
}

void MakeLocalReadme(ProjectFile& file, const Package& package) {
  Replace(
      file,
      " The smallest op: it is here to be read, and every other op's\nfolder has the same files.",
      " A TensorFlow op, made with\n`opwright new`. Until you change it, it multiplies.");
  Replace(file, "opwright.element_mul(a, b, name=None)", "opwright_element_mul(a, b, name=None)");
  Replace(file, "libopwright_core.so", "libelement_mul.so");
  Replace(file, "| `__init__.py`, `test.py` | in TensorFlow |", "| `test.py` | in TensorFlow |");
  file.text += "\n" + ReadFile(package.templates() / "README.md");
}

void Rename(ProjectFile& file, const Names& names) {
  Replacements to = {
      {kOp, names.op}, {kFunction, names.function}, {kCamel, names.camel}, {kSnake, names.snake}};
  // In the Python test a fixture is named as the op, unless there is another thing of that name.
  if (file.name == "test.py" && names.snake != kSnake &&
      Identifiers(file.text).count(names.snake)) {
    to.insert(to.begin(), {"libelement_mul.so", "lib" + names.snake + ".so"});
    to.back().second += "_op";
  }
  ReplaceEach(file.text, to);
}

}  // namespace

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  ReplaceEach(text, {{from, to}});
}

void ReplaceEach(std::string& text, const Replacements& replacements) {
  std::string all;
  for (size_t at = 0; at < text.size();) {
    const auto fits = std::find_if(
        replacements.begin(), replacements.end(),
        [&](const auto& entry) { return text.compare(at, entry.first.size(), entry.first) == 0; });
    if (fits == replacements.end()) {
      all += text[at++];
    } else {
      all += fits->second;
      at += fits->first.size();
    }
  }
  text = std::move(all);
}

std::vector<ProjectFile> MakeProject(const Package& package, const Names& names) {
  std::vector<ProjectFile> files;
  for (const char* name : {"op.h", "body.h", "op.cc", "reference.h", "reference.cc", "test.cc",
                           "bench.cc", "test.py", "README.md"}) {
    files.push_back({name, ReadFile(package.folder / "ops" / kSnake / name)});
  }
  for (const auto& [name, from] : std::initializer_list<std::pair<const char*, const char*>>{
           {"CMakeLists.txt", "CMakeLists.txt.in"},
           {"Makefile", "Makefile.in"},
           {"BUILD.bazel", "BUILD.bazel.in"},
           {"MODULE.bazel", "MODULE.bazel.in"},
           {"WORKSPACE", "WORKSPACE.in"},
           {"opwright.bzl", "opwright.bzl.in"},
           {".gitignore", "gitignore"}}) {
    files.push_back({name, ReadFile(package.templates() / from)});
  }
  for (ProjectFile& file : files) {
    const std::string extension = std::filesystem::path(file.name).extension().string();
    if (extension == ".h" || extension == ".cc") {
      MakeLocalCpp(file, names);
      CheckNameIsFree(file, names);
    }
    if (file.name == "test.py") MakeLocalTest(file, package);
    if (file.name == "README.md") MakeLocalReadme(file, package);
    Rename(file, names);
  }
  return files;
}

}  // namespace opwright::cli
