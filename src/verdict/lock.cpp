#include "verdict/lock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "verdict/listed.h"

namespace bitpact {
namespace {

/// Probes that end without a contract; whatever else a probe ends with is a refusal.
bool is_unknown(Code code) {
  return code == Code::ProbeUnknown || code == Code::ProbePosition || code == Code::NotATree || code == Code::ProbeUnsupported;
}

LockedLine make_line(const LockListLine& listed, const LockRequest& request, BackendPool& pool) {
  const Resolved problem = resolve(listed.problem);
  Backend& backend = pool.open(listed.backend, request.settings);
  Probed probed = probe(problem, backend, request.probe);
  if (probed.diagnostic && !is_unknown(probed.diagnostic->code)) throw Refused(*probed.diagnostic);
  Separation separation;
  if (probed.contract) {
    try {
      separation = separate(problem, backend, probed, request.probe.seed);
    } catch (const Refused& refused) {
      if (refused.diagnostic().code != Code::ProbeUnknown) throw;
      probed = {{}, {}, refused.diagnostic()};
    }
  }
  LockedLine line;
  line.problem = to_text(problem.problem);
  line.backend = to_text(backend.spec());
  if (probed.diagnostic) {
    line.unknown = LockedUnknown{std::string(info(probed.diagnostic->code).name), probed.diagnostic->reason};
    if (!request.allow_unknown) return line;
    separation = separate(problem, backend, probed, request.probe.seed);
  }
  line.others = separation.others;
  line.parted = separation.parted;
  line.questions = std::move(separation.questions);
  line.parts = locked_parts(probed.parts);
  line.contract = std::move(probed.contract);
  line.identity = backend.identity();
  line.identity.kernel = separation.kernel;
  if (line.contract) line.contract->identity = line.identity;
  return line;
}

}  // namespace

std::vector<LockedPart> locked_parts(const std::vector<ProbedPart>& parts) {
  std::vector<LockedPart> locked;
  for (const ProbedPart& part : parts) locked.push_back({part.region, part.choices, part.flush});
  return locked;
}

std::vector<LockListLine> parse_lock_list(std::string_view text, const std::string& where) {
  std::vector<LockListLine> list;
  std::set<std::pair<std::string, std::string>> seen;
  for (const ListedLine& listed : parse_listed(text, where, {"backend"})) {
    LockListLine line{listed.number, {}, {}};
    try {
      line.problem = to_text(resolve(listed.problem).problem);
      const auto backend = listed.values.find("backend");
      if (backend == listed.values.end()) refuse_listed(where, listed.number, "no \"; backend=BACKEND\"");
      line.backend = to_text(parse_backend(backend->second));
    } catch (const Refused& refused) {
      Diagnostic d = refused.diagnostic();
      if (!d.reason.starts_with(where)) d.reason = fmt::format("{}:{}: {}", where, listed.number, d.reason);
      throw Refused(d);
    }
    if (!seen.emplace(line.problem, line.backend).second)
      refuse_listed(where, listed.number, fmt::format("{} on {} is there already", line.problem, line.backend));
    list.push_back(std::move(line));
  }
  if (list.empty()) refuse(Code::ProblemSyntax, where + ": no line asks for anything");
  return list;
}

Lock make_lock(const std::vector<LockListLine>& list, const LockRequest& request, BackendPool& pool) {
  Lock lock;
  lock.one_length = !request.probe.other_lengths;
  std::vector<std::string> unknown;
  for (const LockListLine& listed : list) {
    if (request.say) request.say(fmt::format("probing {} on {}", listed.problem, listed.backend));
    LockedLine line = make_line(listed, request, pool);
    if (line.unknown && !request.allow_unknown) {
      unknown.push_back(fmt::format("{} on {}: [{}] {}", line.problem, line.backend, line.unknown->code, line.unknown->reason));
      continue;
    }
    if (request.each) request.each(line);
    lock.lines.push_back(std::move(line));
  }
  if (!unknown.empty())
    refuse(Code::LockUnknown, fmt::format("{} of {} line(s): {}", unknown.size(), list.size(), fmt::join(unknown, "; ")));
  return lock;
}

}  // namespace bitpact
