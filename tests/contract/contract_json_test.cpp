// Contracts as bytes: they read back, and nothing that was changed does.
#include "contract/contract_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "contract/canonical_json.h"
#include "contract/generate.h"
#include "tensor/refusal.h"

namespace bitpact {
namespace {

using generate::Random;
using Json = nlohmann::json;

RC_GTEST_PROP(ContractJson, ReadsBackWhatItWrites, ()) {
  Random random(*generate::seed());
  const Contract contract = generate::contract(random);
  const std::string bytes = write_contract(contract);
  RC_ASSERT(bytes.back() == '\n');
  RC_ASSERT(canonical_json(parse_json(bytes)) + "\n" == bytes);
  RC_ASSERT(read_contract(bytes) == contract);
  // White space is not content.
  RC_ASSERT(read_contract(parse_json(bytes).dump(2)) == contract);
}

/// Every place in a document.
void for_each_place(const Json& at, const Json::json_pointer& path, const std::function<void(const Json::json_pointer&)>& visit) {
  visit(path);
  if (at.is_object())
    for (const auto& [name, value] : at.items()) for_each_place(value, path / name, visit);
  if (at.is_array())
    for (size_t i = 0; i < at.size(); ++i) for_each_place(at[i], path / i, visit);
}

/// Other values for a leaf: of its type and of others.
std::vector<Json> others(const Json& value) {
  std::vector<Json> all{Json(), Json(true), Json(0), Json(-1), Json(1.5), Json("other"), Json::array(), Json::object()};
  if (value.is_number_integer()) all.insert(all.end(), {value.get<int>() + 1, value.get<int>() - 1});
  if (value.is_string()) {
    std::string text = value;
    all.emplace_back(text + "x");
    if (!text.empty()) {
      all.emplace_back(text.substr(1));
      text.back() = text.back() == '1' ? '0' : '1';
      all.emplace_back(text);
    }
    for (const char* word : {"f32", "bf16", "i32", "last", "prefixes", "up", "add", "subtract", "sampled", "derived", "probed",
                             "canonical", "m", "LT"})
      all.emplace_back(word);
  }
  return all;
}

void expect_refused(const Json& changed, const std::string& what) {
  const std::string text = changed.dump();
  const auto code = refusal([&] { read_contract(text); });
  ASSERT_TRUE(code) << "accepted with " << what << ": " << text;
  const std::set<Code> allowed{Code::ContractField,   Code::ContractValue,       Code::ContractVersion,
                               Code::ContractProgram, Code::ContractFingerprint, Code::JsonMalformed};
  ASSERT_TRUE(allowed.contains(*code)) << "refused as " << info(*code).name << " with " << what;
}

void check_changes(std::uint64_t seed) {
  Random random(seed);
  const Json original = parse_json(write_contract(generate::contract(random)));
  for_each_place(original, Json::json_pointer(), [&](const Json::json_pointer& path) {
    if (path.empty() || !random.chance(20)) return;
    const Json value = original.at(path);
    const Json& parent = original.at(path.parent_pointer());
    // Deleted.
    Json changed = original;
    if (parent.is_object())
      changed.at(path.parent_pointer()).erase(path.back());
    else
      changed.at(path.parent_pointer()).erase(std::stoul(path.back()));
    expect_refused(changed, path.to_string() + " deleted");
    if (parent.is_object()) {
      // Renamed, and written once more under another name.
      changed.at(path.parent_pointer())[path.back() + "_"] = value;
      expect_refused(changed, path.to_string() + " renamed");
      changed.at(path.parent_pointer())[path.back()] = value;
      expect_refused(changed, path.to_string() + " copied");
    } else {
      changed = original;
      changed.at(path.parent_pointer()).push_back(value);
      expect_refused(changed, path.to_string() + " repeated");
    }
    for (const Json& other : others(value)) {
      if (other == value) continue;
      changed = original;
      changed.at(path) = other;
      expect_refused(changed, path.to_string() + " = " + other.dump());
    }
  });
}

TEST(ContractJson, RefusesEveryChangeOfOneField) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) check_changes(seed);
}

TEST(ContractJson, RefusesEveryTruncation) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Random random(seed);
    const std::string bytes = write_contract(generate::contract(random));
    for (size_t length = 0; length + 1 < bytes.size(); ++length)  // the last byte, a newline, is not content
      ASSERT_EQ(refusal([&] { read_contract(std::string_view(bytes).substr(0, length)); }), Code::JsonMalformed) << length;
  }
}

Contract some_contract() {
  Random random(3);
  Contract contract = generate::contract(random);
  contract.pieces.resize(1);
  return contract;
}

TEST(ContractJson, RefusesByName) {
  const Json original = parse_json(write_contract(some_contract()));
  const auto refused = [&](const char* pointer, const Json& value) {
    Json changed = original;
    changed[Json::json_pointer(pointer)] = value;
    try {
      read_contract(changed.dump());
    } catch (const Refused& refusal) {
      return std::string(info(refusal.diagnostic().code).name) + " " + refusal.diagnostic().reason;
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused("/schema", "bitpact.contract/2"),
            "contract-version /schema: bitpact.contract/2; this program reads bitpact.contract/1");
  EXPECT_EQ(refused("/extra", 1), "contract-field /extra: is no field that is known here");
  EXPECT_EQ(refused("/a~1b", 1), "contract-field /a~1b: is no field that is known here");
  EXPECT_EQ(refused("/identity/backend", 1), "contract-field /identity/backend: needs a string, has a number");
  EXPECT_EQ(refused("/identity/backend", ""), "contract-value /identity/backend: \"\": is empty");
  EXPECT_EQ(refused("/identity/target", "a\nb"), "contract-value /identity/target: \"a\\nb\": holds a control character");
  EXPECT_EQ(refused("/established/how", "guessed"),
            "contract-value /established/how: \"guessed\": is none of hand-written, probed, canonical");
  EXPECT_EQ(refused("/pieces", Json::array()), "contract-value /pieces: a contract has at least one piece");
  EXPECT_EQ(refused("/pieces/0/region", "interior"),
            "contract-value /pieces/0/region: region 'interior': expected axis[from,to)");
  EXPECT_EQ(refused("/pieces/0/domain/excludes", {"subnormal"}),
            "contract-value /pieces/0/domain/excludes/0: \"subnormal\": is no exclusion");
  EXPECT_EQ(refused("/pieces/0/domain/excludes", {"subnormal-result", "overflow-intermediate"}).substr(0, 41),
            "contract-value /pieces/0/domain/excludes:");
  EXPECT_EQ(refused("/pieces/0/shapes", {{{"axis", "none"}, {"min", 1}, {"multiple", 1}}}),
            "contract-value /pieces/0/shapes/0/axis: \"none\" is no single axis of the program");
  EXPECT_EQ(refused("/fingerprints/contract", "sha256:0").substr(0, 48), "contract-value /fingerprints/contract: \"sha256:0");
  const std::string zeros = "sha256:" + std::string(64, '0');
  EXPECT_EQ(refused("/fingerprints/contract", zeros).substr(0, 45), "contract-fingerprint /fingerprints/contract: ");
  EXPECT_EQ(refused("/fingerprints/arithmetic/0", zeros).substr(0, 49), "contract-fingerprint /fingerprints/arithmetic/0: ");
  EXPECT_EQ(refused("/identity/version", "0.32.5").substr(0, 44), "contract-fingerprint /fingerprints/contract:");
}

TEST(ContractJson, RefusesToWriteWhatItCouldNotRead) {
  const auto refused = [](auto change) {
    Contract contract = some_contract();
    change(contract);
    return refusal([&] { write_contract(contract); });
  };
  EXPECT_EQ(refused([](Contract&) {}), std::nullopt);
  EXPECT_EQ(refused([](Contract& c) { c.identity.kernel = ""; }), Code::ContractValue);
  EXPECT_EQ(refused([](Contract& c) { c.identity.kernel = "\xff"; }), Code::ContractValue);
  EXPECT_EQ(refused([](Contract& c) { c.established.strength = "proved"; }), Code::ContractValue);
  EXPECT_EQ(refused([](Contract& c) { c.op.name = "Mat Mul"; }), Code::ContractValue);
  EXPECT_EQ(refused([](Contract& c) { c.op.operands.push_back(Format::F32); }), Code::ContractValue);
  EXPECT_EQ(refused([](Contract& c) { c.op.result = c.op.result == Format::I64 ? Format::F32 : Format::I64; }),
            Code::ContractValue);
  EXPECT_EQ(refused([](Contract& c) { c.pieces.clear(); }), Code::ContractValue);
  EXPECT_EQ(refused([](Contract& c) { c.pieces[0].region = ""; }), Code::ContractValue);
  EXPECT_EQ(refused([](Contract& c) { c.pieces[0].program.results.push_back(0); }), Code::ContractValue);
  EXPECT_EQ(refused([](Contract& c) { c.pieces[0].program.results.clear(); }), Code::ContractProgram);
  EXPECT_EQ(refused([](Contract& c) { c.verified.push_back(c.verified[0]); }), Code::ContractValue);
  const std::string axis = "m";
  EXPECT_EQ(refused([&](Contract& c) { c.pieces[0].shapes = {{axis, 5, 4, 1}}; }), Code::ContractValue);
  EXPECT_EQ(refused([&](Contract& c) { c.pieces[0].shapes = {{axis, 5, 7, 4}}; }), Code::ContractValue);
  EXPECT_EQ(refused([&](Contract& c) { c.pieces[0].shapes = {{axis, 0, {}, 1}}; }), Code::ContractValue);
}

TEST(ContractJson, BothFingerprintsCoverTheirContent) {
  const Contract contract = some_contract();
  const auto changed = [&](auto change) {
    Contract other = contract;
    change(other);
    return contract_fingerprint(other);
  };
  std::set<std::string> all{contract_fingerprint(contract)};
  all.insert(changed([](Contract& c) { c.op.name = "other"; }));
  all.insert(changed([](Contract& c) { c.op.attributes["x"] = "y"; }));
  all.insert(changed([](Contract& c) { c.pieces[0].when["threads"] = "1"; }));
  all.insert(changed([](Contract& c) {
    c.pieces[0].operands.excludes = {Exclusion::SubnormalInput, Exclusion::SubnormalResult};
  }));
  all.insert(changed([](Contract& c) { c.pieces[0].shapes.push_back({"k", 1, 9, 1}); }));
  all.insert(changed([](Contract& c) { c.verified.emplace_back("sum 3xf32"); }));
  all.insert(changed([](Contract& c) { c.established.note = "n"; }));
  for (auto field : {&Identity::backend, &Identity::version, &Identity::build, &Identity::device, &Identity::target,
                     &Identity::flags, &Identity::threads, &Identity::kernel})
    all.insert(changed([&](Contract& c) { c.identity.*field += "+"; }));
  EXPECT_EQ(all.size(), 16u);
}

}  // namespace
}  // namespace bitpact
