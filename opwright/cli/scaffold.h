#pragma once

#include <string>
#include <utility>
#include <vector>

#include "opwright/cli/names.h"
#include "opwright/cli/package.h"

namespace opwright::cli {

struct ProjectFile {
  std::string name;
  std::string text;
};

// The files of a project with one op, made from the package's own smallest op, ops/element_mul, and
// from cli/templates. Throws a Failure if the op's name is one that those files use for something
// else.
std::vector<ProjectFile> MakeProject(const Package& package, const Names& names);

// The same for an op in TensorFlow's own API, from cli/templates/tensorflow. Nothing in it needs
// opwright.
std::vector<ProjectFile> MakeTensorFlowProject(const Package& package, const Names& names);

void ReplaceAll(std::string& text, const std::string& from, const std::string& to);

// In one pass, so that what is put in is not replaced itself: a new name may contain the old one.
// Where several fit, the first of them counts.
using Replacements = std::vector<std::pair<std::string, std::string>>;
void ReplaceEach(std::string& text, const Replacements& replacements);

}  // namespace opwright::cli
