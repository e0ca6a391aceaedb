// RFC 4648: its own examples both ways, and nothing that is not what base64() writes.
#include "tensor/base64.h"

#include <gtest/gtest.h>

#include <random>

namespace bitpact {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Base64, TheExamplesOfTheRfc) {
  const std::pair<std::string_view, std::string_view> examples[] = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : examples) {
    EXPECT_EQ(base64(bytes(plain)), text);
    const auto back = from_base64(text);
    ASSERT_TRUE(back) << text;
    EXPECT_TRUE(std::ranges::equal(*back, bytes(plain))) << text;
  }
}

TEST(Base64, EveryLengthReadsBack) {
  std::mt19937 random(1);
  for (std::size_t length = 0; length < 200; ++length) {
    std::vector<std::byte> some(length);
    for (std::byte& byte : some) byte = static_cast<std::byte>(random());
    EXPECT_EQ(from_base64(base64(some)), some);
  }
}

TEST(Base64, NothingElseIsRead) {
  for (const char* text :
       {"Zg", "Zg=", "Zg===", "Zh==", "Zm9=", " Zm9v", "Zm9v\n", "Zm9v====", "Z=9v", "Zm-_", "=", "====", "Zg==Zg=="})
    EXPECT_FALSE(from_base64(text)) << text;
}

}  // namespace
}  // namespace bitpact
