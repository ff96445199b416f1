#pragma once

#include <filesystem>
#include <vector>

#include "opwright/testing/declaration.h"

namespace opwright::cli {

// What an op library says of itself in its file, read without loading it: a declaration for each
// op, with the versions and the compiler that built it. Throws a Failure if the file is none, or
// damaged.
std::vector<testing::OpDeclaration> ReadStamp(const std::filesystem::path& library);

// The file is an op library of opwright.
bool HasStamp(const std::filesystem::path& file);

}  // namespace opwright::cli
