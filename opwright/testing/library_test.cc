#include "opwright/testing/library.h"

#include <gtest/gtest.h>

#include <string>

#include "opwright/testing/failure.h"
#include "opwright/testing/host.h"

namespace {

using opwright::DType;
using opwright::testing::FailureOf;
using opwright::testing::Host;
using opwright::testing::Library;
using opwright::testing::Tensor;

TEST(Library, OpensAFileAndRunsItsOps) {
  const Host host(Library::Open(OPWRIGHT_CONFORMANCE));
  const auto op = host.Op("Conformance>WeightedSum", {{"weights", std::vector<double>{1, 10}}});
  const Tensor a = Tensor::Of<double>({2}, {1, 2}), b = Tensor::Of<double>({2}, {3, 4});
  EXPECT_EQ(op.Run({{a, b}})[0].values<double>(), (std::vector<double>{31, 42}));
}

TEST(Library, EveryDeclarationOfTheConformanceLibraryIsRead) {
  const Library library = Library::Open(OPWRIGHT_CONFORMANCE);
  EXPECT_GT(library.ops().size(), 10u);
  for (const auto& entry : library.ops()) {
    EXPECT_EQ(entry.declaration.name, entry.op->name);
    EXPECT_EQ(entry.declaration.has_gradient, entry.op->gradient != nullptr);
    EXPECT_NE(entry.declaration.has_gradient, !entry.declaration.no_gradient.empty());
  }
}

TEST(Library, RefusesWhatIsNoOpLibrary) {
  EXPECT_EQ(FailureOf([] {
              Library::Open("/no/such.so");
            }).find("the op library /no/such.so does not open: "),
            0u);
  EXPECT_EQ(FailureOf([] { Library::Open("libm.so.6"); }),
            "libm.so.6 is not an op library: it exports no opwright_init");
}

TEST(Library, RefusesAnotherAbi) {
  const OpwrightLibrary table = {sizeof(OpwrightLibrary), 99, 0, "9.9", nullptr, nullptr};
  EXPECT_EQ(FailureOf([&] { Library(&table, "a table"); }),
            "a table has ABI 99.0, and this runner 1.0: build both with one opwright");
}

}  // namespace
