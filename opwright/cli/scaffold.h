#pragma once

#include <string>
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

}  // namespace opwright::cli
