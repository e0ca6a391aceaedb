// Conditions under which a backend is asked the same: values of attributes of the operator, and of options of the backend.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "operators/catalogue.h"

namespace bitpact {

/// One name that is varied.
struct VariedName {
  std::string name;
  bool option = false;              ///< of the backend: another identity; else an attribute of the operator
  std::vector<std::string> values;  ///< canonical, the problem's (or backend's) own first where it has one, each once
};

/// NAME=V1,V2,... An attribute of the operator (`align` among them) goes before an option of the backend of the same name.
/// Refuses `usage` for another form, `unknown-attribute` for a name that is neither, `bad-attribute` and `clause-violated` for a
/// value that the operator does not take.
VariedName parse_varied(const std::string& text, const Resolved& problem, const BackendSpec& backend);

/// The problem with another value of an attribute. Where the operands then have wrong shapes, they are given turned, their last
/// two axes changed, if that makes all extents what they were (transpose_b=true: rhs becomes n x k). Refuses what `resolve` does,
/// and `bad-attribute` where the formats or the program would be another operator's for a contract.
Resolved with_attribute(const Resolved& problem, const std::string& name, const std::string& value);

/// Whether no value of the attribute is left that is not listed.
bool lists_all_values(const VariedName& varied, const Resolved& problem);

struct VaryCondition {
  std::map<std::string, std::string> attributes;  ///< a value for each attribute that is varied
  std::map<std::string, std::string> options;     ///< likewise; an option that the backend was not given is left out
  Resolved problem;
  BackendSpec backend;
};

/// Each combination of values, the problem and backend as they were given first, then by backend. Refuses `usage` for more than
/// 64, and for a name that is varied twice.
std::vector<VaryCondition> conditions_of(const std::vector<VariedName>& varied, const Resolved& problem,
                                         const BackendSpec& backend);

}  // namespace bitpact
