#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>

#include "opwright/cli/failure.h"
#include "opwright/cli/terminal.h"
#include "opwright/cli/toolchain.h"
#include "opwright/cli/verbs.h"
#include "opwright/op/version.h"

namespace opwright::cli {
namespace {

constexpr char kFooter[] =
    "From an idea to an op:\n"
    "  opwright new wave_gate          a project that builds, in ./wave_gate\n"
    "  opwright build wave_gate        libwave_gate.so, and the lines of Python that use it\n"
    "  opwright build wave_gate --test runs its tests, in C++ and in TensorFlow\n"
    "`opwright VERB --help` has examples of each verb.\n"
    "Ends with 0 if done, 1 if it failed, 2 if the command line is at fault.";

int Main(int argc, char** argv) {
  Terminal terminal;
  CLI::App app("opwright: TensorFlow ops, each one C++ struct.", "opwright");
  app.set_version_flag("--version", "opwright " OPWRIGHT_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();
  app.add_flag_callback(
      "-q,--quiet", [&] { terminal.set_quiet(true); }, "Show results and errors only.");

  Verb chosen;
  AddNew(app, terminal, chosen);
  AddBuild(app, terminal, chosen);
  AddBridge(app, terminal, chosen);
  AddInfo(app, terminal, chosen);
  AddFlags(app, terminal, chosen);
  try {
    app.parse(argc, argv);
    return chosen();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-') {
      terminal.Error(fmt::format(
          "there is no verb '{}'; the verbs are new, build, bridge, info and flags. See `opwright "
          "--help`.",
          argv[1]));
      return kUsage;
    }
    std::string verb;
    for (const CLI::App* used : app.get_subcommands()) verb = " " + used->get_name();
    terminal.Error(fmt::format("{}. See `opwright{} --help`.", error.what(), verb));
    return kUsage;
  } catch (const Failure& failure) {
    terminal.Error(failure.what());
    return failure.code();
  } catch (const std::exception& error) {
    terminal.Error(
        fmt::format("this is a fault of opwright itself, please report it: {}", error.what()));
    return kFailed;
  }
}

}  // namespace
}  // namespace opwright::cli

int main(int argc, char** argv) {
  opwright::cli::SetCalledAs(argv[0]);
  return opwright::cli::Main(argc, argv);
}
