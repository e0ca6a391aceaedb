// Reading JSON field by field: every refusal names the JSON pointer (RFC 6901) of the field.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostic/diagnostic.h"

namespace bitpact {

/// A value and where it stands. Refuses `contract-field` for another type, `contract-value` for a value out of range.
class JsonView {
 public:
  JsonView(const nlohmann::json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  bool is_string() const { return value_->is_string(); }
  bool is_object() const { return value_->is_object(); }
  const std::string& string() const;
  /// Not empty, no control characters.
  const std::string& line() const;
  bool boolean() const;
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  std::vector<JsonView> array() const;

  [[noreturn]] void bad_field(std::string_view why) const;
  [[noreturn]] void bad_value(std::string_view why) const;

 private:
  friend class JsonFields;
  const nlohmann::json* value_;
  std::string path_;
};

/// The members of an object, each taken once. done() refuses the ones that nobody took.
class JsonFields {
 public:
  explicit JsonFields(const JsonView& object);
  JsonView take(const std::string& name);
  /// Empty where the object has no such member.
  std::optional<JsonView> take_optional(const std::string& name);
  void done() const;
  std::vector<std::string> names() const;

 private:
  JsonView object_;
  std::set<std::string> taken_;
};

}  // namespace bitpact
