#include "contract/json_view.h"

#include <fmt/format.h>

namespace bitpact {
namespace {

std::string pointer_token(std::string_view name) {
  std::string token;
  for (char c : name) token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return token;
}

}  // namespace

void JsonView::bad_field(std::string_view why) const {
  refuse(Code::ContractField, fmt::format("{}: {}", path_.empty() ? "/" : path_, why));
}

void JsonView::bad_value(std::string_view why) const {
  std::string value = value_->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (value.size() > 60) value = value.substr(0, 57) + "...";
  refuse(Code::ContractValue, fmt::format("{}: {}: {}", path_.empty() ? "/" : path_, value, why));
}

const std::string& JsonView::string() const {
  if (!value_->is_string()) bad_field(fmt::format("needs a string, has a {}", value_->type_name()));
  return value_->get_ref<const std::string&>();
}

const std::string& JsonView::line() const {
  const std::string& text = string();
  if (text.empty()) bad_value("is empty");
  for (char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) bad_value("holds a control character");
  return text;
}

bool JsonView::boolean() const {
  if (!value_->is_boolean()) bad_field(fmt::format("needs a boolean, has a {}", value_->type_name()));
  return value_->get<bool>();
}

std::int64_t JsonView::integer(std::int64_t low, std::int64_t high) const {
  if (!value_->is_number_integer())
    bad_field(fmt::format("needs an integer, has a {}", value_->is_number() ? "fraction" : value_->type_name()));
  const bool huge = value_->is_number_unsigned() && value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  if (huge || value_->get<std::int64_t>() < low || value_->get<std::int64_t>() > high)
    bad_value(fmt::format("must lie in {} .. {}", low, high));
  return value_->get<std::int64_t>();
}

std::vector<JsonView> JsonView::array() const {
  if (!value_->is_array()) bad_field(fmt::format("needs an array, has a {}", value_->type_name()));
  std::vector<JsonView> elements;
  for (size_t i = 0; i < value_->size(); ++i) elements.emplace_back((*value_)[i], fmt::format("{}/{}", path_, i));
  return elements;
}

JsonFields::JsonFields(const JsonView& object) : object_(object) {
  if (!object.value_->is_object()) object.bad_field(fmt::format("needs an object, has a {}", object.value_->type_name()));
}

std::optional<JsonView> JsonFields::take_optional(const std::string& name) {
  const auto member = object_.value_->find(name);
  if (member == object_.value_->end()) return std::nullopt;
  taken_.insert(name);
  return JsonView(*member, object_.path() + "/" + pointer_token(name));
}

JsonView JsonFields::take(const std::string& name) {
  if (auto member = take_optional(name)) return *member;
  refuse(Code::ContractField, fmt::format("{}/{}: is missing", object_.path(), pointer_token(name)));
}

void JsonFields::done() const {
  for (const auto& [name, value] : object_.value_->items())
    if (!taken_.contains(name))
      refuse(Code::ContractField, fmt::format("{}/{}: is no field that is known here", object_.path(), pointer_token(name)));
}

std::vector<std::string> JsonFields::names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : object_.value_->items()) names.push_back(name);
  return names;
}

}  // namespace bitpact
