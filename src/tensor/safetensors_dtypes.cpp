#include "tensor/safetensors_dtypes.h"

#include <algorithm>

namespace bitpact {
namespace {

// A format that is added to src/number gets its row here: name it where now {} stands.
// In the reference's order, which is also the order in which it writes tensors (last row first): by alignment.
constexpr SafetensorsDtype kDtypes[] = {
    {"BOOL", 8, Format::I1},
    {"F4", 4, Format::F4E2M1FN},
    {"F6_E2M3", 6, {}},
    {"F6_E3M2", 6, {}},
    {"U8", 8, Format::UI8},
    {"I8", 8, Format::I8},
    {"F8_E5M2", 8, Format::F8E5M2},
    {"F8_E4M3", 8, Format::F8E4M3FN},
    {"F8_E8M0", 8, Format::F8E8M0FNU},
    {"F8_E4M3FNUZ", 8, Format::F8E4M3FNUZ},
    {"F8_E5M2FNUZ", 8, Format::F8E5M2FNUZ},
    {"I16", 16, Format::I16},
    {"U16", 16, Format::UI16},
    {"F16", 16, Format::F16},
    {"BF16", 16, Format::BF16},
    {"I32", 32, Format::I32},
    {"U32", 32, Format::UI32},
    {"F32", 32, Format::F32},
    {"C64", 64, {}},
    {"F64", 64, Format::F64},
    {"I64", 64, Format::I64},
    {"U64", 64, Format::UI64},
};

template <typename Predicate>
const SafetensorsDtype* find(Predicate&& predicate) {
  const auto* row = std::find_if(std::begin(kDtypes), std::end(kDtypes), predicate);
  return row == std::end(kDtypes) ? nullptr : row;
}

}  // namespace

const SafetensorsDtype* safetensors_dtype(std::string_view name) {
  return find([&](const SafetensorsDtype& row) { return row.name == name; });
}

const SafetensorsDtype* safetensors_dtype(Format format) {
  return find([&](const SafetensorsDtype& row) { return row.format == format; });
}

}  // namespace bitpact
