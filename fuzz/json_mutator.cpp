// libFuzzer's hook for mutations, for targets whose inputs are JSON: one that keeps them JSON, so that what stands behind the
// parser is reached. Every fourth mutation is still libFuzzer's own.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using nlohmann::json;

constexpr int kDeepest = 100;

/// Nothing where the text is no JSON, or is nested so deep that copying it would recurse too far.
json parsed(const std::uint8_t* data, std::size_t size) {
  const auto watch = [](int depth, json::parse_event_t, json&) { return depth < kDeepest; };
  return json::parse(data, data + size, watch, false);
}

class Mutation {
 public:
  explicit Mutation(json value, unsigned seed) : value_(std::move(value)), random_(seed) { collect(value_); }

  json run() {
    const int times = 1 + below(3);
    for (int i = 0; i < times; ++i) {
      once();
      all_.clear();
      collect(value_);
    }
    return std::move(value_);
  }

 private:
  int below(std::size_t n) { return static_cast<int>(random_() % n); }
  json& any() { return *all_[static_cast<std::size_t>(below(all_.size()))]; }

  void collect(json& value) {
    all_.push_back(&value);
    if (value.is_structured())
      for (json& child : value) collect(child);
  }

  void once() {
    json& target = any();
    switch (below(8)) {
      case 0:
      case 1:  // something of the same kind from elsewhere, so that the result stays plausible
        if (json* other = alike(target)) {
          json copy = *other;
          target = std::move(copy);
        }
        return;
      case 2: {
        json copy = any();
        target = std::move(copy);
        return;
      }
      case 3:
        if (target.is_structured() && !target.empty()) target.erase(std::next(target.begin(), below(target.size())));
        return;
      case 4:
        if (target.is_array()) {
          json copy = target.empty() || below(4) == 0 ? any() : target[static_cast<std::size_t>(below(target.size()))];
          target.insert(std::next(target.begin(), below(target.size() + 1)), std::move(copy));
        }
        return;
      case 5:
        if (target.is_array() && target.size() > 1)
          std::swap(target[static_cast<std::size_t>(below(target.size()))], target.back());
        return;
      case 6:
        if (target.is_object()) {
          json copy = any();
          target[some_name()] = std::move(copy);
        }
        return;
      default:
        scalar(target);
    }
  }

  json* alike(const json& target) {
    for (int tries = 0; tries < 20; ++tries)
      if (json& other = any(); other.type() == target.type() && &other != &target) return &other;
    return nullptr;
  }

  std::string some_name() {
    for (int tries = 0; tries < 20; ++tries)
      if (const json& object = any(); object.is_object() && !object.empty())
        return std::next(object.begin(), below(object.size())).key();
    return "x";
  }

  void scalar(json& target) {
    if (target.is_boolean()) {
      target = !target.get<bool>();
    } else if (target.is_number_integer()) {
      static const std::vector<std::int64_t> values{0, 1, 2, 3, 4, 8, 16, 64, -1, 1 << 20, std::int64_t{1} << 53, INT64_MAX};
      const auto number = target.get<std::int64_t>();
      target = below(2) == 0
                   ? values[static_cast<std::size_t>(below(values.size()))]
                   : static_cast<std::int64_t>(static_cast<std::uint64_t>(number) + static_cast<std::uint64_t>(below(3)) - 1);
    } else if (target.is_string()) {
      auto text = target.get<std::string>();
      if (text.empty())
        text = "a";
      else if (const auto at = static_cast<std::size_t>(below(text.size())); below(2) == 0)
        text[at] = static_cast<char>("0123456789abcdef_*x"[below(19)]);
      else
        text.insert(at, 1, static_cast<char>('a' + below(26)));
      target = text;
    }
  }

  json value_;
  std::mt19937 random_;
  std::vector<json*> all_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  json value = parsed(data, size);
  if (value.is_discarded()) return LLVMFuzzerMutate(data, size, most);
  const std::string text = Mutation(std::move(value), seed).run().dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
