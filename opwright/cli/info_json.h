#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "opwright/testing/declaration.h"

namespace opwright::cli {

// What `opwright info --json` prints: {"file": ..., "ops": [...]}.
nlohmann::ordered_json InfoJson(const std::string& file,
                                const std::vector<testing::OpDeclaration>& ops);

// The dtypes that an input or output may have: {"half", "float"}.
std::vector<std::string> DTypesOf(const testing::OpDeclaration& op,
                                  const testing::ArgumentDeclaration& argument);
// "input", "host_input", as in the lines of docs/abi.md.
const char* KindName(testing::ArgumentKind kind);

}  // namespace opwright::cli
