#pragma once

#include <string>
#include <vector>

#include "opwright/testing/declaration.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// The ops of one table.
class Library {
 public:
  // Those that are linked into this program.
  static const Library& Linked();
  // Those of an op library's file, which stays open until the process ends.
  static Library Open(const std::string& file);
  // Reads all declarations. `what` names the table in messages.
  Library(const OpwrightLibrary* table, std::string what);

  struct Entry {
    const OpwrightOp* op;
    OpDeclaration declaration;
  };
  const std::vector<Entry>& ops() const { return ops_; }

  // Null: there is none.
  const Entry* Find(const std::string& op) const;
  // Throws a NotFound that names the ops that there are.
  const Entry& Get(const std::string& op) const;
  // The kernel of a combination of the types that select kernels; null: there is none.
  const OpwrightKernel* FindKernel(const std::string& op, const std::string& device,
                                   const std::vector<DType>& types) const;

 private:
  const OpwrightLibrary* table_;
  std::string what_;
  std::vector<Entry> ops_;
};

}  // namespace testing
}  // namespace opwright
