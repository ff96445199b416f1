#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "opwright/cli/terminal.h"

namespace opwright::cli {

// Each verb adds itself to the command line and runs when it is chosen. Ends with a Failure, or
// with what it returns.
using Verb = std::function<int()>;

void AddNew(CLI::App& app, const Terminal& terminal, Verb& chosen);
void AddBuild(CLI::App& app, const Terminal& terminal, Verb& chosen);
void AddBridge(CLI::App& app, const Terminal& terminal, Verb& chosen);
void AddInfo(CLI::App& app, const Terminal& terminal, Verb& chosen);
void AddFlags(CLI::App& app, const Terminal& terminal, Verb& chosen);

}  // namespace opwright::cli
