// The normal form: what it makes equal has equal bits, and what the rules say it makes equal is equal.
#include "contract/normal_form.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "contract/canonical_json.h"
#include "contract/program_json.h"
#include "contract/rewrite.h"
#include "contract/run.h"

namespace bitpact {
namespace {

using generate::Case;
using generate::Random;

std::string text(const NumericProgram& program) { return canonical_json(to_json(program)); }

Case normal(const Case& c, const Domain& domain = {}) {
  const NormalForm form = normalise(c.program, domain);
  Case made{form.program, {}};
  for (const auto& [name, axis] : form.axis_names)
    if (c.extents.contains(name)) made.extents[axis] = c.extents.at(name);
  return made;
}

/// Runs both on some operands; says where they differ.
void check_same_bits(Random& random, const Case& a, const Case& b, int times) {
  for (int t = 0; t < times; ++t) {
    const auto inputs = generate::operands(random, a);
    const auto x = generate::run(a, inputs).results, y = generate::run(b, inputs).results;
    if (x != y) RC_FAIL("different bits:\n" + text(a.program) + "\n" + text(b.program));
  }
}

RC_GTEST_PROP(NormalForm, IsWellFormedIdempotentAndHasTheSameBits, ()) {
  Random random(*generate::seed());
  for (int n = 0; n < 20; ++n) {
    const Case c = generate::program(random);
    const Case once = normal(c);
    check_well_formed(once.program);
    const NumericProgram twice = normal_form(once.program);
    if (twice != once.program) RC_FAIL("not idempotent:\n" + text(c.program) + "\n" + text(once.program) + "\n" + text(twice));
    check_same_bits(random, c, once, 3);
  }
}

RC_GTEST_PROP(NormalForm, KeepsTheFingerprintUnderEachRewrite, ()) {
  Random random(*generate::seed());
  for (int n = 0; n < 4; ++n) {
    const Case c = generate::program(random);
    const std::string fingerprint = arithmetic_fingerprint(c.program);
    for (const auto& [name, rewrite] : generate::all_rewrites()) {
      const auto made = rewrite(random, c);
      if (!made) continue;
      check_well_formed(made->program);
      if (arithmetic_fingerprint(made->program) != fingerprint)
        RC_FAIL(name + "\n" + text(c.program) + "\n" + text(made->program) + "\n" + text(normal_form(c.program)) + "\n" +
                text(normal_form(made->program)));
      check_same_bits(random, normal(c), normal(*made), 1);
    }
  }
}

RC_GTEST_PROP(NormalForm, KeepsTheFingerprintUnderManyRewrites, ()) {
  Random random(*generate::seed());
  const Case c = generate::program(random);
  Case made = c;
  for (int n = 0; n < 12; ++n)
    if (auto next = random.pick(generate::all_rewrites()).rewrite(random, made)) made = *next;
  if (arithmetic_fingerprint(made.program) != arithmetic_fingerprint(c.program))
    RC_FAIL(text(c.program) + "\n" + text(made.program) + "\n" + text(normal_form(c.program)) + "\n" +
            text(normal_form(made.program)));
}

TEST(NormalForm, EveryRewriteFindsAPlace) {
  Random random(7);
  std::map<std::string, int> places;
  for (int n = 0; n < 2000; ++n) {
    const Case c = generate::program(random);
    for (const auto& [name, rewrite] : generate::all_rewrites())
      if (rewrite(random, c)) ++places[name];
  }
  for (const auto& [name, rewrite] : generate::all_rewrites()) EXPECT_GE(places[name], 5) << name;
}

}  // namespace
}  // namespace bitpact
