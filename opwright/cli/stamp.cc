#include "opwright/cli/stamp.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "opwright/cli/failure.h"

namespace opwright::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kSection[] = ".opwright";

class ElfFile {
 public:
  explicit ElfFile(const fs::path& path)
      : name_(path.string()), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) Fail("{} cannot be read: {}.", name_, std::strerror(errno));
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      close(file_);
      Fail("{} is a folder: give the library in it, as in {}/libmy_op.so.", name_, name_);
    }
    elf_version(EV_CURRENT);
    elf_ = elf_begin(file_, ELF_C_READ, nullptr);
  }
  ~ElfFile() {
    elf_end(elf_);
    close(file_);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  // The bytes of a section; nothing if there is none of this name.
  std::optional<std::string_view> Section(std::string_view wanted) const {
    if (!elf_ || elf_kind(elf_) != ELF_K_ELF) {
      Fail(
          "{} is no library: it is not in the ELF format. Give the .so file that `opwright build` "
          "made.",
          name_);
    }
    size_t sections = 0, names = 0;
    if (elf_getshdrnum(elf_, &sections) != 0 || elf_getshdrstrndx(elf_, &names) != 0 ||
        sections == 0)
      Damaged();
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
      GElf_Shdr header;
      if (!gelf_getshdr(section, &header)) Damaged();
      const char* name = elf_strptr(elf_, names, header.sh_name);
      if (!name) Damaged();
      if (wanted != name) continue;
      const Elf_Data* data = elf_rawdata(section, nullptr);
      if (!data || !data->d_buf) Damaged();
      return std::string_view(static_cast<const char*>(data->d_buf), data->d_size);
    }
    return std::nullopt;
  }

  [[noreturn]] void Damaged() const {
    const int error = elf_errno();
    const char* why = error != 0 ? elf_errmsg(error) : "it ends too early";
    Fail("{} is damaged ({}): build it again.", name_, why);
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  int file_;
  Elf* elf_ = nullptr;
};

}  // namespace

std::vector<testing::OpDeclaration> ReadStamp(const fs::path& library) {
  const ElfFile file(library);
  const auto section = file.Section(kSection);
  if (!section) {
    Fail(
        "{} is no op library of opwright: it has no section {}. OPWRIGHT_OP(MyOp) in one of its "
        "sources makes it one.",
        file.name(), kSection);
  }
  std::vector<testing::OpDeclaration> ops;
  std::string_view rest = *section;
  while (!rest.empty()) {
    const size_t end = rest.find('\0');
    if (end == rest.npos) {
      Fail("{} is damaged (the text in its section {} does not end): build it again.", file.name(),
           kSection);
    }
    // Between the texts there may be zeros, for their alignment.
    if (end > 0) {
      try {
        ops.push_back(testing::ParseDeclaration(rest.substr(0, end)));
      } catch (const opwright::Error& error) {
        Fail("{} cannot be understood: {}. Build it again, or install the opwright that built it.",
             file.name(), error.what());
      }
    }
    rest.remove_prefix(end + 1);
  }
  return ops;
}

bool HasStamp(const fs::path& file) {
  try {
    return ElfFile(file).Section(kSection).has_value();
  } catch (const Failure&) {
    return false;
  }
}

}  // namespace opwright::cli
