#include <fmt/ranges.h>

#include <memory>
#include <set>
#include <string>

#include "opwright/cli/failure.h"
#include "opwright/cli/info_json.h"
#include "opwright/cli/names.h"
#include "opwright/cli/stamp.h"
#include "opwright/cli/verbs.h"

namespace opwright::cli {
namespace {

using testing::ArgumentDeclaration;
using testing::ArgumentKind;
using testing::OpDeclaration;

struct Options {
  std::string library;
  bool json = false;
};

std::string Remark(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kHostInput:
      return ", in host memory";
    case ArgumentKind::kShapeValue:
      return ", its value shapes outputs; in host memory";
    case ArgumentKind::kOptionalInput:
      return ", optional: a list of none or one";
    default:
      return "";
  }
}

std::string ArgumentLine(const OpDeclaration& op, const ArgumentDeclaration& argument) {
  const std::string dtypes = argument.dtype == DType::kInvalid
                                 ? fmt::format(" ({})", fmt::join(DTypesOf(op, argument), ", "))
                                 : "";
  return fmt::format("  {:<9} {}: {}{}{}\n",
                     argument.kind == ArgumentKind::kOutput ? "output" : "input", argument.name,
                     argument.text, dtypes, Remark(argument.kind));
}

std::string Report(const OpDeclaration& op) {
  std::string text = fmt::format("\nop {}, in Python {}\n", op.name, PythonFunction(op.name));
  for (const auto& input : op.inputs) text += ArgumentLine(op, input);
  for (const auto& output : op.outputs) text += ArgumentLine(op, output);
  for (const auto& attr : op.attrs) {
    if (!attr.selects_kernel)
      text += fmt::format("  {:<9} {}: {}\n", "attribute", attr.name, attr.text);
  }
  for (const auto& [input, output] : op.forwards) {
    text += fmt::format("  {:<9} {} may give its memory to {}\n", "forward",
                        op.inputs[static_cast<size_t>(input)].name,
                        op.outputs[static_cast<size_t>(output)].name);
  }
  if (op.stateful)
    text += fmt::format("  {:<9} equal inputs may give different results\n", "stateful");
  text +=
      fmt::format("  {:<9} {}\n", "gradient", op.has_gradient ? "yes" : "none: " + op.no_gradient);
  text += fmt::format("  {:<9} {}\n", "devices", fmt::join(op.devices, ", "));
  return text;
}

int Info(const Terminal& terminal, const Options& options) {
  const auto ops = ReadStamp(options.library);
  if (options.json) {
    // Bytes that are no UTF-8 become U+FFFD: the stamp is an author's text.
    const auto replace = nlohmann::ordered_json::error_handler_t::replace;
    terminal.Put(InfoJson(options.library, ops).dump(2, ' ', false, replace) + "\n");
    return kDone;
  }
  std::set<std::string> builders;
  for (const OpDeclaration& op : ops) {
    builders.insert(fmt::format("built with opwright {} (ABI {}) by {}", op.sdk_version,
                                op.abi_version, op.compiler));
  }
  std::string text = fmt::format("{}\n{}\n", options.library, fmt::join(builders, "\n"));
  for (const OpDeclaration& op : ops) text += Report(op);
  terminal.Put(text);
  return kDone;
}

}  // namespace

void AddInfo(CLI::App& app, const Terminal& terminal, Verb& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("info", "Say what is in an op library, without loading it.");
  verb->add_option("LIB", options->library, "the library's file")->required();
  verb->add_flag("--json", options->json, "for programs");
  verb->footer(
      "What built it, and of each op: inputs, outputs, dtypes, attributes, gradient, devices.\n"
      "  opwright info build/libwave_gate.so\n"
      "  opwright info build/libwave_gate.so --json | jq '.ops[].name'");
  verb->callback([&terminal, &chosen, options] {
    chosen = [&terminal, options] { return Info(terminal, *options); };
  });
}

}  // namespace opwright::cli
