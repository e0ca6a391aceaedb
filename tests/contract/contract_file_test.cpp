// Contracts in files: whole or not at all.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "contract/generate.h"
#include "tensor/refusal.h"

namespace bitpact {
namespace {

namespace fs = std::filesystem;

class ContractFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("contract_file_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  int files() const { return static_cast<int>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator())); }
  static Contract contract(std::uint64_t seed) {
    generate::Random random(seed);
    return generate::contract(random);
  }

  fs::path folder_;
};

TEST_F(ContractFile, IsReplacedWhole) {
  const std::string path = folder_ / "a.json";
  write_contract_file(contract(1), path);
  EXPECT_EQ(read_contract_file(path), contract(1));
  write_contract_file(contract(2), path);
  EXPECT_EQ(read_contract_file(path), contract(2));
  EXPECT_EQ(files(), 1);
}

TEST_F(ContractFile, LeavesNothingBehindWhenItCannotBeWritten) {
  EXPECT_EQ(refusal([&] { write_contract_file(contract(1), folder_ / "missing" / "a.json"); }), Code::FileUnwritable);
  // A folder stands where the file should go: the rename fails after all was written.
  fs::create_directories(folder_ / "taken" / "inside");
  EXPECT_EQ(refusal([&] { write_contract_file(contract(1), folder_ / "taken"); }), Code::FileUnwritable);
  EXPECT_EQ(files(), 1);
  // What is refused before a byte is written leaves the old file as it was.
  const std::string path = folder_ / "a.json";
  write_contract_file(contract(1), path);
  Contract bad = contract(2);
  bad.identity.backend = "";
  EXPECT_EQ(refusal([&] { write_contract_file(bad, path); }), Code::ContractValue);
  EXPECT_EQ(read_contract_file(path), contract(1));
  EXPECT_EQ(files(), 2);
}

TEST_F(ContractFile, IsRefusedWithItsPath) {
  EXPECT_EQ(refusal([&] { read_contract_file(folder_ / "missing.json"); }), Code::FileUnreadable);
  EXPECT_EQ(refusal([&] { read_contract_file(folder_); }), Code::FileUnreadable);
  const std::string path = folder_ / "half.json";
  const std::string bytes = write_contract(contract(1));
  std::ofstream(path) << bytes.substr(0, bytes.size() / 2);
  try {
    read_contract_file(path);
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, Code::JsonMalformed);
    EXPECT_EQ(refused.diagnostic().reason.rfind(path + ": ", 0), 0u) << refused.what();
  }
}

}  // namespace
}  // namespace bitpact
