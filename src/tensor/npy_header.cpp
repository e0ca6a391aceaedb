#include "tensor/npy_header.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxRank = 64;  // NumPy's own limit (NPY_MAXDIMS of 2.x)
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 62;

/// header = "{" , [ item , { "," , item } , [ "," ] ] , "}" , { " " } , "\n" ;   item = string , ":" , ( string | bool | tuple )
/// ;
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  NpyHeader read() {
    std::optional<std::string> descr;
    std::optional<bool> fortran;
    std::optional<Shape> shape;
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      const bool again = (key == "descr" && descr) || (key == "fortran_order" && fortran) || (key == "shape" && shape);
      if (again) malformed(fmt::format("the header has '{}' twice", key));
      if (key == "descr") {
        descr = dtype();
      } else if (key == "fortran_order") {
        fortran = boolean();
      } else if (key == "shape") {
        shape = tuple();
      } else {
        malformed(fmt::format("the header has the unknown key '{}'", key));
      }
      if (take(',')) continue;
      expect('}');
      break;
    }
    skip_spaces();
    if (at_ + 1 != text_.size() || text_[at_] != '\n') malformed("the header does not end with a newline after its '}'");
    if (!descr) malformed("the header has no 'descr'");
    if (!fortran) malformed("the header has no 'fortran_order'");
    if (!shape) malformed("the header has no 'shape'");
    NpyHeader header;
    header.descr = *descr;
    header.fortran_order = *fortran;
    header.shape = *shape;
    return header;
  }

 private:
  [[noreturn]] void malformed(std::string_view why) const {
    refuse(Code::NpyMalformed, fmt::format("{}: {} (header byte {})", where_, why, at_));
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char peek() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) malformed(fmt::format("the header has no '{}' where one must be", c));
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') malformed("the header has no string where one must be");
    const std::size_t begin = ++at_;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '\\' || c < 0x20 || c > 0x7e) malformed("a string of the header holds an escape or a character beyond ASCII");
    }
    if (at_ >= text_.size()) malformed("a string of the header does not end");
    return std::string(text_.substr(begin, at_++ - begin));
  }
  std::string dtype() {
    if (peek() == '[' || peek() == '(')
      refuse(Code::NpyUnsupported, fmt::format("{}: a structured dtype; one number an element is read", where_));
    return string();
  }
  bool boolean() {
    skip_spaces();
    for (auto [word, value] : {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    malformed("'fortran_order' is neither True nor False");
  }
  Shape tuple() {
    Shape shape;
    expect('(');
    if (take(')')) return shape;
    for (;;) {
      shape.push_back(extent());
      if (shape.size() > kMaxRank) malformed(fmt::format("the shape has more than {} axes", kMaxRank));
      if (take(',')) {
        if (take(')')) return shape;
        continue;
      }
      if (shape.size() == 1) malformed("a shape of one axis is written (n,)");
      expect(')');
      return shape;
    }
  }
  std::int64_t extent() {
    if (peek() == '-') malformed("an extent of the shape is negative");
    const std::size_t begin = at_;
    std::int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      value = value * 10 + (text_[at_] - '0');
      if (value > kMaxExtent / 10) malformed("an extent of the shape is too large");
    }
    if (at_ == begin) malformed("the shape holds something that is not a number");
    if (text_[begin] == '0' && at_ - begin > 1) malformed("an extent of the shape begins with 0");
    return value;
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Where the header's text begins, and how long it says that it is.
struct Extent {
  std::size_t begin = 0, length = 0;
};

Extent extent_of(std::string_view text, const std::string& where) {
  const auto malformed = [&where](std::string_view why) { refuse(Code::NpyMalformed, fmt::format("{}: {}", where, why)); };
  if (text.size() < kMagic.size() + 2) malformed(fmt::format("{} bytes are too few for a .npy file", text.size()));
  if (!text.starts_with(kMagic)) malformed("does not begin with \\x93NUMPY");
  const int major = static_cast<unsigned char>(text[6]), minor = static_cast<unsigned char>(text[7]);
  if (major < 1 || major > 3 || minor != 0)
    refuse(Code::NpyUnsupported, fmt::format("{}: .npy version {}.{}; 1.0, 2.0 and 3.0 are read", where, major, minor));
  const std::size_t width = major == 1 ? 2 : 4;
  const std::size_t begin = 8 + width;
  if (text.size() < begin) malformed("ends within the header's length");
  return {begin, little_endian(text.substr(8, width))};
}

std::string_view text_of(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

std::uint64_t npy_header_end(std::span<const std::byte> bytes, const std::string& where) {
  const auto [begin, length] = extent_of(text_of(bytes), where);
  return std::uint64_t{begin} + length;
}

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& where) {
  const std::string_view text = text_of(bytes);
  const auto [begin, length] = extent_of(text, where);
  if (length > text.size() - begin)
    refuse(Code::NpyMalformed, fmt::format("{}: the header has {} bytes by its own length, the file only {} more", where, length,
                                           text.size() - begin));
  NpyHeader header = HeaderReader(text.substr(begin, length), where).read();
  header.data_offset = begin + length;
  return header;
}

}  // namespace bitpact
